"""uvicorn with sse-starlette and a queue for each client, where the JSON of an event is made once for all of them."""

from benchmarks.sse.contender import Gateway
from benchmarks.sse.sse_starlette import ForgetfulGateway

CONTENDER: Gateway = ForgetfulGateway(
    label="the same, JSON made once",
    package="sse-starlette",
    module="benchmarks.sse.starlette_server",
    arguments=("shared",),
)
