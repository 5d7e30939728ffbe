# The embedded demo: needs no server.
. "$(dirname "$0")/env.sh"
use runtime
exec goatherd demo "$@"
