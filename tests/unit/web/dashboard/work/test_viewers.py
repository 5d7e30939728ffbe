"""Viewers change nothing: no button, no form and no address of the API does anything for them."""

from fastapi.routing import APIRoute

from goatherd.model.audit import AuditFilter
from goatherd.web.api.registered import routers
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.pages.registered import PAGES
from tests.unit.web.dashboard.callers import VIEWER, Caller


def deeds() -> list[str]:
    """The path of everything that changes something."""
    pages = [("", route) for page in PAGES for route in page.router.routes]
    api = [("/api", route) for router in routers() for route in router.routes]
    found = [
        prefix + route.path_format.replace("{", "").replace("}", "")
        for prefix, route in [*pages, *api]
        if isinstance(route, APIRoute) and (route.methods or set()) - {"GET", "HEAD", "OPTIONS"}
    ]
    assert len(found) > 40
    return found


async def test_whatever_they_send_is_refused_before_anybody_looks_at_it(viewer: Caller, served: Dashboard) -> None:
    signed_in = await Caller(served).sign_in(VIEWER)
    for path in deeds():
        bodies: tuple[object, ...] = (None, {"arguments": {}}, "nonsense")
        for body in bodies:
            answer = await viewer.http.post(path, json=body, headers={"accept": "application/json"})
            assert (answer.status_code, "not act" in answer.json()["detail"]) == (403, True), path
        assert (await signed_in.act(path, {"arguments": "{"})).status_code == 403, path
        assert (await signed_in.act(path, hx_request="true")).status_code == 403, path
        # Nor by the method that is for looking.
        assert (await viewer.get(path)).status_code in (200, 404, 405), path
    assert not await (await served.app.session().control_records.audit()).find(AuditFilter(), 10)


async def test_they_may_sign_out(served: Dashboard) -> None:
    signed_in = await Caller(served).sign_in(VIEWER)
    assert (await signed_in.act("/sign-out")).status_code == 303
    assert (await signed_in.get("/")).status_code == 401
