# The embedded demo, which needs no server: first the scenes, then the chat page. With --once both are checked, and end.
. "$(dirname "$0")/env.sh"
use runtime examples
case " $* " in
*" --help "*) exec goatherd demo "$@" ;;
*" --once "*) goatherd demo "$@" && exec python -m examples.chat --once ;;
*) goatherd demo "$@" && exec python -m examples.chat ;;
esac
