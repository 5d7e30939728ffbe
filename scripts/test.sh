# All tests, against real servers, which are started for the run. The type checkers are part of it: tests/typing.
. "$(dirname "$0")/env.sh"
use runtime examples dubbing test firebase deploy lint
exec python -m scripts.scratch python -m scripts.servers rabbitmq redis postgres chromium node media systemd promtool taskiq -- \
    python -m scripts.suite "$@"
