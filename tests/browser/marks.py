"""What all tests in a browser have in common."""

import pytest

#: They need Chromium; it, and all that speaks to it, lives on one loop in one process of a parallel run.
IN_CHROMIUM = [
    pytest.mark.servers("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.xdist_group("browser"),
]
