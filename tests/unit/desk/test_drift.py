from goatherd.desk.drift import drift
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


async def test_without_a_broker_of_its_own_there_is_nothing_to_compare(shop: Shop, herd: Herd) -> None:
    found = await drift(shop.app)
    assert (found.state, found.differences) == ("none", ())
    assert "no broker of its own" in found.why
