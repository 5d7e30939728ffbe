"""What clients are told when something goes wrong: a status and a sentence; the rest is in the log."""

import logging

from flask import Flask
from werkzeug.exceptions import HTTPException

from examples.kitchen.main.answers import Answer, failed
from examples.kitchen.main.reading import BadInput
from goatherd import CallTimeout, JobFailed, Unavailable
from goatherd.errors import InvalidArguments, TopologyMismatch, UnknownJob

log = logging.getLogger("kitchen")


def tell_errors(web: Flask) -> None:
    """Let every error of this service become an answer."""
    web.register_error_handler(BadInput, _bad_input)
    web.register_error_handler(InvalidArguments, _bad_input)
    web.register_error_handler(UnknownJob, _unknown_job)
    web.register_error_handler(Unavailable, _unavailable)
    web.register_error_handler(CallTimeout, _timed_out)
    web.register_error_handler(JobFailed, _not_understood)
    web.register_error_handler(TopologyMismatch, _not_agreed)
    web.register_error_handler(HTTPException, _of_http)
    web.register_error_handler(Exception, _of_ours)


def _bad_input(error: Exception) -> Answer:
    return failed(400, "bad_request", str(error))


def _unknown_job(error: UnknownJob) -> Answer:
    return failed(404, "unknown_job", "No such job: its id is wrong, or it ended too long ago.", job_id=error.job_id)


def _unavailable(error: Unavailable) -> Answer:
    """Not accepted: the broker is away, or too much waits already. It is safe to try again."""
    log.warning("503: %s", error)
    text = "Not accepted: the service behind this one cannot be reached, or has too much to do. Try again."
    return failed(error.http_status, "unavailable", text, retry_after=error.retry_after)


def _timed_out(error: CallTimeout) -> Answer:
    """Accepted, but nobody answered: it may still be done."""
    log.warning("504: %s", error)
    text = "Accepted, but no answer came in time. It may still be done."
    return failed(error.http_status, "timeout", text, job_id=error.job_id)


def _not_understood(error: JobFailed) -> Answer:
    """The other program answered something that the contract does not know."""
    log.error("502: job %s: %s: %s", error.job_id, error.error_type, error.message)
    return failed(502, "bad_answer", "The service behind this one gave an answer that cannot be read.")


def _not_agreed(error: TopologyMismatch) -> Answer:
    log.error("503: %s", error)
    return failed(503, "misconfigured", "A queue is not as this service needs it; its operators are told.")


def _of_http(error: HTTPException) -> Answer:
    """No such address, a wrong method, a body that is too large."""
    return failed(error.code or 500, error.name.lower().replace(" ", "_"), error.description or error.name)


def _of_ours(error: Exception) -> Answer:
    log.error("500: %s", error, exc_info=error)
    return failed(500, "internal", "Something went wrong here. It is in the log.")
