"""Find the app that a command is for: MODULE:APP, looked for in this folder first."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed
from goatherd.errors import GoatherdError

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Frames of the user's own code that are shown when a module cannot be imported.
MOST_FRAMES = 5

target_argument = click.argument("target", metavar="MODULE:APP")


def load_app(target: str, *, starts: bool = False) -> Goatherd:
    """Import the module and return its app; raises UsageError, Failed or SettingsError.

    One that is not started to serve, but to see or change how things stand, is opened on any broker: whoever has to
    mend a broker needs to look, and to pause queues there.
    """
    app = _found(target)
    if not starts and app.settings.declare == "check":
        import msgspec

        app.settings = msgspec.structs.replace(app.settings, declare="never")
    return app


def _found(target: str) -> Goatherd:
    name, colon, attribute = target.partition(":")
    if name.endswith(".py") or "/" in name:
        raise click.UsageError(
            f"{target!r} is a file. Name the module instead: {_as_module(name)}:{attribute or 'app'}"
        )
    if not name or (colon and not attribute):
        raise click.UsageError(f"{target!r} does not name an app. Write MODULE:APP, for example shop:app for shop.py.")
    module = _import(name)
    return _named(module, attribute) if attribute else _only(module)


def _import(name: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise click.UsageError(_not_found(name)) from error
        raise _broken(name, error) from error
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error


def _named(module: ModuleType, attribute: str) -> Goatherd:
    from goatherd.app import Goatherd

    found: object = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise click.UsageError(f"{module.__name__} has no {attribute!r}. {_apps_told(module)}")
        found = getattr(found, part)
    if not isinstance(found, Goatherd):
        kind = type(found).__name__
        raise click.UsageError(f"{module.__name__}:{attribute} is a {kind}, not a Goatherd app. {_apps_told(module)}")
    return found


def _only(module: ModuleType) -> Goatherd:
    apps = _apps(module)
    different = {id(app): app for app in apps.values()}
    if len(different) != 1:
        raise click.UsageError(f"Say which app of {module.__name__} is meant: MODULE:APP. {_apps_told(module)}")
    return next(iter(different.values()))


def _apps(module: ModuleType) -> dict[str, Goatherd]:
    from goatherd.app import Goatherd

    return {name: value for name, value in vars(module).items() if isinstance(value, Goatherd)}


def _apps_told(module: ModuleType) -> str:
    apps = [f"{module.__name__}:{name}" for name in _apps(module)]
    if not apps:
        return f"There is no app in {module.__name__}; make one with app = Goatherd('name')."
    return f"It has {', '.join(apps)}."


def _not_found(name: str) -> str:
    here = sorted(path.stem for path in Path().glob("*.py") if path.stem.isidentifier())
    near = difflib.get_close_matches(name, here, n=1)
    advice = f"Did you mean {near[0]}?" if near else "Go to the folder that has it, or install it."
    return f"There is no module {name!r} in {os.getcwd()} nor among the installed packages. {advice}"


def _broken(name: str, error: BaseException) -> Failed:
    """The user's own traceback, without the frames of the import machinery and ours."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_ours(frame.filename)]
    if isinstance(error, GoatherdError):
        where = f"  ({_short(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
        return Failed(f"{name} cannot be imported. {error}\n{where}".rstrip())
    shown = "".join(traceback.format_list(frames[-MOST_FRAMES:]) + traceback.format_exception_only(error))
    return Failed(f"{name} cannot be imported:\n{shown.rstrip()}")


def _is_ours(filename: str) -> bool:
    return "importlib" in filename or filename.startswith(("<", str(Path(__file__).parents[1])))


def _short(filename: str) -> str:
    return os.path.relpath(filename) if filename.startswith(os.getcwd()) else filename


def _as_module(path: str) -> str:
    parts = [part for part in Path(path.removesuffix(".py")).parts if part not in (".", "/")]
    return ".".join(parts)
