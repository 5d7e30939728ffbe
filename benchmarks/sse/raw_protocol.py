"""A bare asyncio protocol on uvloop: what Python allows."""

from benchmarks.sse.contender import Gateway
from benchmarks.sse.sse_starlette import ForgetfulGateway

CONTENDER: Gateway = ForgetfulGateway(
    label="bare protocol on uvloop", package="uvloop", module="benchmarks.sse.raw_server"
)
