# The long fault runs; they end by themselves, so there is no time limit for a test.
. "$(dirname "$0")/env.sh"
use runtime examples dubbing test
exec python -m scripts.servers rabbitmq redis postgres chromium node media spin -- \
    python -m pytest tests/conformance tests/faults tests/acceptance tests/docs tests/unit -m chaos --timeout=0 "$@"
