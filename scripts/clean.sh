# Removes what the other scripts made; nothing that is committed.
set -eu
cd "$(dirname "$0")/.."
rm -rf .boot .venv .cache .tools .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist site
find . -name __pycache__ -type d -prune -exec rm -rf {} +
