"""Every name that our spans have, in one place: the conventions for messaging are still being made.

Follows OpenTelemetry's semantic conventions for messaging as of version 1.43; what is ours begins with `goatherd`.
"""

from goatherd.ports.tracer import Verb

#: Whose spans these are, for those who configure what is recorded.
LIBRARY = "goatherd"

SYSTEM = "messaging.system"
DESTINATION = "messaging.destination.name"
OPERATION = "messaging.operation.name"
OPERATION_TYPE = "messaging.operation.type"
MESSAGE_ID = "messaging.message.id"
CONVERSATION_ID = "messaging.message.conversation_id"
BATCH_COUNT = "messaging.batch.message_count"
ERROR_TYPE, OTHER_ERROR = "error.type", "_OTHER"

APP = "goatherd.app"
TASK = "goatherd.task"
ATTEMPT = "goatherd.attempt"
OUTCOME, DONE = "goatherd.outcome", "done"
RUN = "goatherd.run"
SCHEDULE = "goatherd.schedule"
FIRING = "goatherd.firing"
JOB = "goatherd.job"

#: Something in the life of an attempt that is no span of its own.
PROGRESS, STAGE, PERCENT = "progress", "goatherd.stage", "goatherd.percent"
EXCEPTION, EXCEPTION_TYPE = "exception", "exception.type"
EXCEPTION_MESSAGE, EXCEPTION_STACKTRACE = "exception.message", "exception.stacktrace"

#: The operations, and the kinds of them that the conventions know.
PROCESS, FIRE, STREAM = "process", "fire", "stream"
SEND_TYPE, PROCESS_TYPE = "send", "process"


def system_of(broker_url: str) -> str:
    """The messaging system, as the conventions name it, or by its scheme where they do not know it."""
    scheme = broker_url.partition(":")[0]
    return "rabbitmq" if scheme in ("amqp", "amqps") else scheme


def span_name(operation: Verb | str, what: str) -> str:
    """By task, pipeline or schedule and never by queue, of which a task may have thousands."""
    return f"{operation} {what}"
