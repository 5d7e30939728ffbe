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
