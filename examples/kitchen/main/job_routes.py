"""What has become of a job, by its id, whichever process handed it over."""

from flask import Blueprint

from examples.kitchen.main.answers import Answer, told
from examples.kitchen.main.herd import crawl, herd
from goatherd import JobFailed

routes = Blueprint("jobs", __name__, url_prefix="/api/jobs")

#: Seconds to read a result that is there.
TO_READ = 5.0


@routes.get("/<job_id>")
def job(job_id: str) -> Answer:
    """Its state and, when it has ended, what the crawler answered; 404 if nobody knows it."""
    run = herd.run(job_id, of=crawl)
    status = run.status()
    if status in ("queued", "running", "retrying"):
        return told({"job_id": job_id, "status": "queued" if status == "queued" else "in_progress"})
    try:
        # The crawler's own word: a crawl that failed is an answer like any other.
        return told(run.result(timeout=TO_READ))
    except JobFailed as error:
        return told({"job_id": job_id, "status": "failed", "error": {"message": error.message}})
