"""Run the code fragments of a page, one after the other, in one namespace.

The main program of a process of its own; what to run comes as JSON on standard input. A fragment that awaits is run
while the page's `app` is open, so that its verbs really send, and one that calls or starts has a worker beside it.
"""

import ast
import asyncio
import builtins
import importlib
import inspect
import json
import sys
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

#: Stands for what a page leaves to the reader's imagination: "for to in readers".
SOMETHING = ["something"]


async def run(fragments: Sequence[tuple[str, str]], modules: Sequence[str], *, imagine: bool) -> None:
    """Run each fragment, given with the place where it stands; it sees the names of these modules."""
    namespace: dict[str, Any] = {"__name__": "page"}
    for module in modules:
        namespace.update(
            {name: value for name, value in vars(importlib.import_module(module)).items() if name[0] != "_"}
        )
    for place, text in fragments:
        if imagine:
            namespace.update(dict.fromkeys(_unknown(ast.parse(text), namespace), SOMETHING))
        # A fragment that brings its app with it awaits while that one is open.
        exec(compile(_imports(text), place, "exec"), namespace)
        code = compile(text, place, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if "blocking(" in text:
            # As its reader would: on a thread without a loop.
            in_thread = asyncio.to_thread(eval, code, namespace)
            await _in_open_app(namespace, in_thread, answered=_wants_worker(text))
            continue
        waiting = eval(code, namespace)
        if inspect.iscoroutine(waiting):
            await _in_open_app(namespace, waiting, answered=_wants_worker(text))


async def _in_open_app(namespace: dict[str, Any], waiting: Coroutine[Any, Any, None], *, answered: bool) -> None:
    if "app" not in namespace:
        return await waiting
    app = namespace["app"]
    async with app.serve("worker") if answered else app:
        return await waiting


def _wants_worker(text: str) -> bool:
    """Whether it waits for what a worker does."""
    return ".call(" in text or ".start(" in text


def _imports(text: str) -> ast.Module:
    return ast.Module([each for each in ast.parse(text).body if isinstance(each, ast.Import | ast.ImportFrom)], [])


def _unknown(tree: ast.Module, namespace: dict[str, Any]) -> set[str]:
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return used - set(_bound(tree)) - namespace.keys() - vars(builtins).keys()


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.alias(asname=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name):
                yield name.partition(".")[0]


if __name__ == "__main__":
    sys.path.insert(0, "")
    asyncio.run(run(**json.load(sys.stdin)))
