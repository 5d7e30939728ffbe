"""Several programs, or versions of one, have the same runs on record."""

from collections.abc import Callable

import pytest

from goatherd import Goatherd
from goatherd.model.run_record import Onward, Succeed, UnitClaim, UnitExchange, UnitKey


@pytest.mark.parametrize("knows", ["another pipeline", "a newer one"])
async def test_who_does_not_know_a_run_tells_its_result_all_the_same(
    make_app: Callable[..., Goatherd], knows: str
) -> None:
    app, other = make_app(), make_app()
    doubling = app.pipeline("doubling", takes=int, gives=int)

    @doubling.step(after=doubling.input)
    async def double(number: int) -> int:
        return 2 * number

    of_other = other.pipeline("doubling" if knows == "a newer one" else "halving", takes=int, gives=int)

    @of_other.step(after=of_other.input, name="double")
    async def double_newly(number: int) -> int:
        return 2 * number

    @of_other.step(after=double_newly)
    async def check(number: int) -> int:
        return number

    async with app, other:
        run = await doubling.start(21)
        steps = (await app.session().records()).steps
        key = UnitKey(run.id, "double")
        [claim] = (await steps.exchange(UnitExchange(worker="w", number=1, wanted=[key]))).claims
        assert isinstance(claim, UnitClaim)
        done = Succeed(hold=claim.hold, result=b"42", onward=Onward(last=True))
        await steps.exchange(UnitExchange(worker="w", number=2, settled=[done]))
        conductor = (await other.session().records()).conductor
        conductor.see_to_ends()
        await conductor.idle()
        assert not await steps.ended(10)
        assert await run.result(timeout=5) == 42
        await (await app.session().events()).forget(run.id)
        if knows == "a newer one":
            assert await other.run(run.id, of=of_other).result(timeout=5) == 42
        assert await run.result(timeout=5) == 42
