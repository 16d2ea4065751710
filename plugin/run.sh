#!/bin/sh
# Runs Recollect for the plugin. A released plugin brings the program in the folder `program`, and downloads its runtime with npm when it is first used.
# The plugin of a checkout uses the program that is installed, or the checkout itself. A hook never fails: when a session starts, it says what is missing,
# and otherwise it is silent.
here=${0%/*}
own=$here/program
launcher=${RECOLLECT_HOME:-$HOME/.recollect}/bin/recollect-hook

# An update brings a new program, while the launcher still names the old one.
if [ "$1" = hook ] && [ -z "$RECOLLECT_BIN" ] && [ ! -d "$own" ] && [ -f "$launcher" ]; then
  shift
  . "$launcher"
fi

say() {
  if [ "$event" = SessionStart ]; then printf '{"systemMessage":"Recollect: %s"}' "$1"; fi
  if [ -z "$event" ]; then echo "recollect: $1" >&2; fi
}

# A runtime that is still being written must not be started.
has_runtime() {
  [ -d "$own/.fetching" ] && return 1
  for bun in "$own"/node_modules/@oven/bun-*/bin/bun; do [ -x "$bun" ] && return 0; done
  return 1
}

fetch_runtime() {
  find "$own/.fetching" -maxdepth 0 -mmin +10 -exec rmdir {} \; 2>/dev/null
  mkdir "$own/.fetching" 2>/dev/null || return 1
  (cd "$own" && npm install --omit=dev --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error) >"$own/fetch.log" 2>&1
  fetched=$?
  rmdir "$own/.fetching"
  return $fetched
}

if [ "$1" = fetch-runtime ]; then
  fetch_runtime && exec "$own/bin/recollect" start
  exit 1
fi

event=
[ "$1" = hook ] && event=$3

if [ -z "$RECOLLECT_BIN" ] && [ -d "$own" ]; then
  if ! has_runtime && ! command -v npm >/dev/null; then
    say "it needs npm (Node 20 or newer) to download its runtime, and npm is not on your PATH. Sessions are not remembered until then."
    [ -n "$event" ] && exit 0
    exit 1
  fi
  if ! has_runtime && [ -n "$event" ]; then
    if [ "$event" = SessionStart ]; then
      # In a session of its own, because the client ends what a hook leaves behind.
      $(command -v setsid) "$0" fetch-runtime >/dev/null 2>&1 </dev/null &
      say "it downloads its runtime with npm now (Bun, about 40 MB, once). Sessions are remembered as soon as that is done."
    fi
    exit 0
  fi
  if ! has_runtime; then
    echo "recollect: downloading its runtime with npm (Bun, about 40 MB, once)" >&2
    fetch_runtime
    while [ -d "$own/.fetching" ]; do sleep 1; done
    if ! has_runtime; then
      say "its runtime could not be downloaded; $own/fetch.log says why. Check the network and npm's settings, then try again."
      exit 1
    fi
  fi
  if [ "$1" = hook ]; then
    shift
    exec "$own/bin/with-bun" --no-env-file --config=/dev/null "$own/dist/cli/hook.js" "$@"
  fi
  exec "$own/bin/recollect" "$@"
fi

installed=$(command -v recollect)
# The plugin's own command, which the client puts on the PATH, only leads back here.
[ "$installed" -ef "$here/bin/recollect" ] && installed=
for program in "$RECOLLECT_BIN" "$installed" "$HOME/.local/bin/recollect"; do
  [ -n "$program" ] && [ -x "$program" ] && exec "$program" "$@"
done

# A plugin that was added from a checkout: the client knows where that is.
markets=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/plugins/known_marketplaces.json
folders=$(sed -n 's/.*"installLocation": *"\([^"]*\)".*/\1/p' "$markets" 2>/dev/null)
while IFS= read -r folder; do
  [ -f "$folder/plugin/run.sh" ] && [ -x "$folder/bin/recollect" ] && "$folder/bin/with-bun" --version >/dev/null 2>&1 &&
    exec "$folder/bin/recollect" "$@"
done <<FOLDERS
$folders
FOLDERS

say "the program is missing, so sessions are not remembered. In the folder of the plugin's repository, run: npm ci && npm install -g ."
[ "$1" = hook ] && exit 0
exit 1
