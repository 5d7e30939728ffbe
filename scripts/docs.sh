# Builds the pages into site/. A warning, such as a dead link, fails the build.
. "$(dirname "$0")/env.sh"
use runtime docs
exec zensical build --clean --strict --config-file mkdocs.yml "$@"
