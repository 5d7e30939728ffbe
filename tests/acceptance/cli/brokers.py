"""For stories that are about one broker, or about none."""

import pytest

#: On the embedded store only.
embedded = pytest.mark.parametrize("broker", ["sqlite"], indirect=True)
