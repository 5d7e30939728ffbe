"""The app whose gateways and routers the runs kill; where its events are is in the environment."""

from goatherd import Goatherd

app = Goatherd("chaos")
