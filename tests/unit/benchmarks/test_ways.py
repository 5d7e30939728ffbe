import threading

from benchmarks.ways import SENDERS, by_tasks, by_threads, sends, shares


def test_every_job_is_dealt_to_one_sender() -> None:
    dealt = shares(range(100))
    assert len(dealt) == SENDERS
    assert sorted(job for share in dealt for job in share) == list(range(100))
    assert len(shares(range(3))) == 3


async def test_tasks_and_threads_send_every_job() -> None:
    sent: list[int] = []
    await by_tasks(sends(sent.append))(range(100))
    await by_threads(sent.append)(range(100, 200))
    assert sorted(sent) == list(range(200))


async def test_threads_stay_so_that_what_they_opened_stays_too() -> None:
    senders: list[set[int]] = []
    send_all = by_threads(lambda number: senders[-1].add(threading.get_ident()))
    for _ in range(2):
        senders.append(set())
        await send_all(range(SENDERS))
    assert len(senders[0]) == SENDERS
    assert senders[0] == senders[1]
