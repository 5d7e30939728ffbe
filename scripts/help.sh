# Lists the targets of the Makefile with the words after their ##.
cd "$(dirname "$0")/.."
awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $1, $2 }' Makefile
