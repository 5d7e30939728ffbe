"""The app whose gateway is measured; the environment says where its events are."""

from goatherd import Goatherd

NAME = "bench"

app = Goatherd(NAME)
