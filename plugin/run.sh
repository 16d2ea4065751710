#!/bin/sh
# Finds the installed Recollect and runs it. A hook must never fail or show an error: if Recollect is missing, it does nothing.
launcher=${RECOLLECT_HOME:-$HOME/.recollect}/bin/recollect-hook
if [ "$1" = hook ] && [ -z "$RECOLLECT_BIN" ] && [ -f "$launcher" ]; then
  shift
  . "$launcher"
fi
for program in "$RECOLLECT_BIN" "$(command -v recollect)" "$HOME/.local/bin/recollect"; do
  [ -n "$program" ] && [ -x "$program" ] && exec "$program" "$@"
done
[ "$1" = hook ] && exit 0
echo "recollect is not on your PATH; install it with: npm install -g recollect" >&2
exit 1
