"""The drawing of a run, for graphs of any shape."""

import re
from datetime import UTC, datetime
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from goatherd.desk.run_facts import RunDetail, RunFacts, StepEdge, StepFacts
from goatherd.web.dashboard.dag import Graph, Node, graph_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def detail(size: int, edges: set[tuple[int, int]]) -> RunDetail:
    """A run of so many steps; each edge goes from a lower number to a higher one."""
    ranks = [0] * size
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        ranks[target] = max(ranks[target], ranks[source] + 1)
    steps = tuple(
        StepFacts(
            name=f"s{number}", state="done", after=(), rank=rank, in_code=True, queue=None, map=False, remote=False,
            done=1, total=1, skipped=0, failed=0, compensating=0, running=0, failures=0, deaths=0, started_at=None,
            ended_at=None, worker="", trouble=None,
        )
        for number, rank in enumerate(ranks)
    )  # fmt: skip
    run = RunFacts(
        run="r", pipeline="p", state="done", created_at=NOW, ended_at=None, steps_done=size, steps_total=size,
        now_at=(), trouble=None,
    )  # fmt: skip
    told = tuple(StepEdge(source=f"s{source}", target=f"s{target}") for source, target in edges)
    return RunDetail(run=run, input=None, in_code=True, tick=False, steps=steps, edges=told)


@st.composite
def graphs(draw: st.DrawFn) -> RunDetail:
    size = draw(st.integers(0, 14))
    pairs = list(combinations(range(size), 2))
    edges = draw(st.sets(st.sampled_from(pairs), max_size=24)) if pairs else set()
    return detail(size, edges)


def points(path: str) -> list[tuple[int, int]]:
    """Where a line begins, bends and ends, without the points that only draw it near."""
    found: list[tuple[int, int]] = []
    for letter, told in re.findall(r"([MCH])([-0-9 ]+)", path):
        numbers = [int(each) for each in told.split()]
        found.append((numbers[0], found[-1][1]) if letter == "H" else (numbers[-2], numbers[-1]))
    return found


def nodes_of(graph: Graph) -> dict[str, Node]:
    return {node.step.name: node for node in graph.nodes}


@given(graphs())
def test_no_two_steps_overlap_and_all_are_on_the_paper(run: RunDetail) -> None:
    graph = graph_of(run)
    for one, other in combinations(graph.nodes, 2):
        apart_x = abs(one.x - other.x) >= one.width
        apart_y = abs(one.y - other.y) >= one.height
        assert apart_x or apart_y, (one.step.name, other.step.name)
    for node in graph.nodes:
        assert 0 <= node.x <= graph.width - node.width
        assert 0 <= node.y <= graph.height - node.height


@given(graphs())
def test_every_line_begins_and_ends_at_its_steps_and_crosses_no_other(run: RunDetail) -> None:
    graph = graph_of(run)
    nodes = nodes_of(graph)
    assert {(line.source, line.target) for line in graph.lines} == {(edge.source, edge.target) for edge in run.edges}
    for line in graph.lines:
        source, target = nodes[line.source], nodes[line.target]
        way = points(line.path)
        assert way[0] == (source.x + source.width, source.y + source.height // 2)
        assert way[-1] == (target.x, target.y + target.height // 2)
        # From one side of a column to the other it goes straight, and no step of the column is there.
        for left, right in zip(way[1:-1:2], way[2:-1:2], strict=True):
            assert left[1] == right[1]
            beside = [node for node in graph.nodes if left[0] <= node.x < right[0]]
            assert all(not node.y < left[1] < node.y + node.height for node in beside), line


def test_a_chain_is_a_straight_line_and_what_fans_out_stands_around_its_middle() -> None:
    chain = graph_of(detail(5, {(n, n + 1) for n in range(4)}))
    assert len({node.y for node in chain.nodes}) == 1
    fan = nodes_of(graph_of(detail(5, {(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)})))
    assert fan["s0"].y == fan["s4"].y == fan["s2"].y
    assert fan["s2"].y - fan["s1"].y == fan["s3"].y - fan["s2"].y


def test_a_line_to_a_step_that_is_not_known_is_left_out() -> None:
    run = detail(1, set())
    stray = RunDetail(**{**vars(run), "edges": (StepEdge(source="gone", target="s0"),)})
    assert graph_of(stray).lines == ()
    assert graph_of(detail(0, set())) == Graph(nodes=(), lines=(), width=0, height=0)
