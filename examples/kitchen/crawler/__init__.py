"""The crawler program: walks through a web site within limits, and tells what it found."""
