#!/bin/sh
# Finds the installed Recollect and runs it. A hook must never fail: if Recollect is missing, the SessionStart hook says so and the other
# hooks stay silent.
for program in "$RECOLLECT_BIN" "$(command -v recollect)" "$HOME/.local/bin/recollect"; do
  [ -n "$program" ] && [ -x "$program" ] && exec "$program" "$@"
done
if [ "$1" = hook ]; then
  if [ "$3" = SessionStart ]; then
    echo '{"systemMessage":"The Recollect plugin is enabled, but the program is not on your PATH. Install it: npm install -g recollect"}'
  else
    echo '{}'
  fi
  exit 0
fi
echo "recollect is not on your PATH; install it with: npm install -g recollect" >&2
exit 1
