"""Names and keys that come from data may be anything: each has its page and its buttons, and none is markup."""

import html
import re
from urllib.parse import quote, unquote

from goatherd import Goatherd
from tests.unit.web.dashboard.callers import Caller

ODD = (
    'a"b', "a'b", "a`b", "a/b", "a//b/", "a?b=c&d#e", "a%2Fb", "a b", " a", "a\nb", "a\r\nb\n", "a\tb", "a\\b",
    "ä/漢字/🐐",
    "<img src=x onerror=alert(1)>", '"><script>alert(1)</script>', "javascript:alert(1)", "{{ 7 * 7 }}", "a/retry",
    "\u202eright", "a\u2028b",
)  # fmt: skip


def keyed(app: Goatherd) -> None:
    @app.task(queue="comments", key="post", tracked=True)
    async def comment(post: str) -> None: ...


def addresses(page: str, prefix: str) -> set[str]:
    """Links that begin so, as a browser asks for them."""
    return {html.unescape(link) for link in re.findall(rf'href="({prefix}[^"]*)"', page)}


async def test_every_lane_has_its_page(app: Goatherd, operator: Caller) -> None:
    keyed(app)
    async with app:
        for name in ODD:
            await app.tasks["comment"].start(name)
        page = (await operator.get("/lanes")).text
        assert "<img" not in page
        assert "<script>" not in page
        wanted = {f"/lanes/{quote(f'comments/post={name}', safe='')}" for name in ODD}
        assert wanted <= addresses(page, "/lanes/")
        for link in wanted:
            answer = await operator.get(link)
            assert (answer.status_code, "<img" in answer.text, "<script>" in answer.text) == (200, False, False), link
            assert (await operator.get(f"/api{link}")).status_code == 200, link
            # There is nothing to try again, which is told of the lane itself.
            for path in (f"{link}/retry", f"/api{link}/retry"):
                answer = await operator.http.post(path, headers={"accept": "application/json"})
                assert (answer.status_code, "nothing to retry" in answer.text) == (409, True), link


async def test_every_job_has_its_page(app: Goatherd, operator: Caller) -> None:
    ids = [name for name in ODD if name.isprintable() and name == name.strip() and name != "a/retry"]
    keyed(app)
    async with app:
        for name in ids:
            await app.tasks["comment"].options(id=name).start("x")
        for name in ids:
            answer = await operator.get(f"/jobs/{quote(name, safe='')}")
            assert (answer.status_code, "<script>" in answer.text) == (200, False), name
            cancel = re.findall(r'action="(/jobs/[^"]*/cancel)"', answer.text)
            assert [unquote(html.unescape(path)) for path in cancel] == [f"/jobs/{name}/cancel"]
