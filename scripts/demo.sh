# The embedded demo, which needs no server: the tour with its dashboard, and the chat page beside it until Ctrl-C. With
# --once both are checked, and end.
. "$(dirname "$0")/env.sh"
use runtime examples
case " $* " in
*" --help "*) exec goatherd demo "$@" ;;
*" --once "*) goatherd demo "$@" && exec python -m examples.chat --once ;;
esac
said=$(mktemp)
python -m examples.chat >"$said" 2>&1 &
chat=$!
# What the chat's own end was is nothing to whoever asked for the demo.
trap 'kill "$chat" 2>/dev/null || true; wait "$chat" 2>/dev/null || true; rm -f "$said"' EXIT
trap 'exit 0' INT TERM
for _ in $(seq 300); do
    grep 'The chat is open at' "$said" && break
    kill -0 "$chat" 2>/dev/null || { cat "$said" >&2; break; }
    sleep 0.1
done
goatherd demo "$@"
