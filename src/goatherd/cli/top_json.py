"""What `goatherd top` tells programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goatherd.model.envelope import moment

if TYPE_CHECKING:
    from goatherd.cli.top_parts import QueueLook, TopLook


def top_json(look: TopLook) -> dict[str, Any]:
    """One look; null is what is not known, or what the app does not have."""
    from goatherd.cli.listeners_list import as_json

    return {
        "app": look.app,
        "at": moment(look.at),
        "queues": None if look.queues is None else [_queue(each) for each in look.queues],
        "workers": look.workers,
        "schedules": None if look.schedules is None else [each.as_json(look.at) for each in look.schedules],
        "listeners": None if look.listeners is None else [as_json(row) for row in look.listeners],
        "lane_waits": look.lane_waits,
        "held_lanes": look.held_lanes,
        "troubles": {name: {"seen_seconds_ago": age, "why": why} for name, (age, why) in look.troubles.items()},
    }


def _queue(each: QueueLook) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        **asdict(each.state),
        "growing_per_second": each.growing,
        "arriving_per_second": each.flow.arriving,
        "leaving_per_second": each.flow.leaving,
    }
