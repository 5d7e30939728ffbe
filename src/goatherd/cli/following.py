"""Show a tracked job as it goes: its text on standard output, everything else on standard error."""

from __future__ import annotations

from typing import Any

import click

from goatherd import events
from goatherd.cli.output import Output
from goatherd.events import Event
from goatherd.run import Run


async def follow(run: Run[Any], output: Output) -> bool:
    """Tell what happens until the end; true if it succeeded."""
    show = _lines if output.json else _Story().tell
    succeeded = False
    async for event in run.events():
        show(event)
        succeeded = isinstance(event, events.Done)
    return succeeded


def _lines(event: Event) -> None:
    import msgspec

    told = {"event": type(event).__name__.lower(), **msgspec.to_builtins(event)}
    click.echo(msgspec.json.encode(told))


class _Story:
    """For people."""

    def __init__(self) -> None:
        self._text = ""

    def tell(self, event: Event) -> None:
        match event:
            case events.Token(text=text):
                self._text += text
                click.echo(text, nl=False)
            case events.Snapshot(text=text, stage=stage, percent=percent):
                self._anew("what came before is no longer kept")
                self._say(_stage(stage, percent, ""))
                self._text = text
                click.echo(text, nl=False)
            case events.Progress(stage=stage, percent=percent, status=status):
                self._say(_stage(stage, percent, status))
            case events.Done(result=result):
                self._end(result)
            case _:
                self._turn(event)

    def _turn(self, event: Event) -> None:
        match event:
            case events.Started(attempt=attempt, worker=worker):
                self._anew(f"attempt {attempt} begins")
                self._say(f"started by {worker}" + (f", attempt {attempt}" if attempt > 1 else ""))
            case events.Retrying(error=error, delay=delay):
                self._say(f"failed, tried again in {delay:.1f} s: {error}")
            case events.Failed(reason=reason, error=error, message=message):
                self._say(f"{reason}: {error}: {message}")
            case _:
                self._say(type(event).__name__.lower())

    def _end(self, result: object) -> None:
        import msgspec

        written = msgspec.json.encode(result).decode()
        if self._text or result is None:
            self._say("done" if result is None else f"done: {written}")
        else:
            self._say("done")
            click.echo(written)

    def _anew(self, why: str) -> None:
        if self._text:
            self._say(f"the text begins anew: {why}")
            self._text = ""

    def _say(self, line: str) -> None:
        if self._text and not self._text.endswith("\n"):
            click.echo()
            self._text += "\n"
        click.secho(line, err=True, dim=True)


def _stage(stage: str, percent: float | None, status: str) -> str:
    far = "" if percent is None else f"{percent:3.0f} % "
    return f"{far}{stage}" + (f" ({status})" if status and status != "running" else "")
