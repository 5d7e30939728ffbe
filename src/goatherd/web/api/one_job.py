"""All about one job; its path takes whatever no other path of jobs does."""

from fastapi import APIRouter

from goatherd.desk import jobs as desk
from goatherd.desk.job_facts import JobFacts
from goatherd.web.api.asking import Name
from goatherd.web.api.problems import NAMED
from goatherd.web.dashboard.asking import App

router = APIRouter()


@router.get("/jobs/{id:path}", summary="One job", responses=NAMED)
async def get_job(app: App, id: Name) -> JobFacts:
    """What its events, the history, its run and its dead letter tell, put together; secrets are left out."""
    return await desk.job(app, id)
