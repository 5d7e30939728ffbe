"""What a task returned, as it is written down."""

from goatherd.engine.admission import Admitted
from goatherd.model.retry import Retry
from goatherd.model.verdict import Dead, Done, Fault, dead


def encoded_result(done: Done, admitted: Admitted, now: float, largest: int) -> bytes | Dead:
    """Its JSON, or why it cannot be kept."""
    work = admitted.work
    try:
        result = admitted.task.signature.encode_result(done.result)
    except Exception as error:  # noqa: BLE001 - the user's own types may raise anything while they are written
        fault = Fault.of(error, Retry())
        told = f"its result cannot be written as JSON: {fault.message}"
        return dead("failed", fault.error_type, told, work.attempt, now, fault.traceback)
    if len(result) > largest:
        told = (
            f"its result takes {len(result):,} bytes, but at most {largest:,} are allowed; put it "
            f"into a file or an object store and return its name, or raise GOATHERD_PAYLOAD_LIMIT"
        )
        return dead("failed", "ResultTooLarge", told, work.attempt, now)
    return result
