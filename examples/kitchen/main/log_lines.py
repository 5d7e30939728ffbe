"""The log lines that the contract names, made of what Goatherd tells in its own words."""

import logging

log = logging.getLogger("kitchen")

#: Tells of calls: whom it asked and where the answer goes to, and that it came.
CALLS = "goatherd.calls"
#: Tells of the I/O thread.
SYNC = "goatherd.sync"


class ContractLines(logging.Handler):
    """Listens to Goatherd's loggers and writes each fact as the contract has it."""

    def __init__(self) -> None:
        super().__init__()
        #: The queue on which answers of the AI service come to this process, once there is one.
        self.callback_queue: str | None = None

    def listen(self) -> None:
        """From now on. Goatherd tells of single calls only to those who want to know more than usual."""
        logging.getLogger(CALLS).setLevel(logging.DEBUG)
        for name in (CALLS, SYNC):
            logger = logging.getLogger(name)
            if self not in logger.handlers:
                logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Say it again, in the contract's words."""
        if record.name == SYNC:
            if record.msg == "I/O thread started":
                log.info("RabbitMQ-IO-Thread started")
            return
        # Which fact it is can be seen by what is known of it.
        job_id, reply_to = getattr(record, "job_id", None), getattr(record, "reply_to", None)
        if reply_to is not None and reply_to != self.callback_queue:
            # After a lost connection it has another name.
            self.callback_queue = reply_to
            log.info("AI callback queue created: %s", reply_to)
        if reply_to is not None and job_id is not None:
            log.info("AI request published: %s → reply_to: %s", job_id, reply_to)
        elif job_id is not None and not hasattr(record, "last"):
            log.info("AI response received: correlation_id=%s", job_id)
