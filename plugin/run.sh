#!/bin/sh
# Finds the Recollect that is installed on this machine and runs it. A hook must never fail, so where there is none a hook says so once,
# at the start of a session, and is silent otherwise.
for program in "$RECOLLECT_BIN" "$(command -v recollect)" "$HOME/.local/bin/recollect"; do
  [ -n "$program" ] && [ -x "$program" ] && exec "$program" "$@"
done
if [ "$1" = hook ]; then
  if [ "$3" = SessionStart ]; then
    echo '{"systemMessage":"The Recollect plugin is enabled, but the program is not on your PATH: npm install -g recollect"}'
  else
    echo '{}'
  fi
  exit 0
fi
echo "recollect is not on your PATH; install it with: npm install -g recollect" >&2
exit 1
