"""The second domain: texts that users add to the documents. It is little work, so chat-api does it itself."""

from examples.chat.herd import scan, settings
from examples.chat.worker.documents import read_markdown
from examples.chat.worker.library import ADDED, Library
from goatherd.sync import Context


@scan.task(name="scan.process", tracked=True, timeout=60)
def read(ctx: Context, name: str, text: str) -> int:
    """Put a text into the library; returns of how many passages it consists."""
    source = ADDED + name
    passages = list(read_markdown(text, source))
    ctx.progress("split", 50, status="completed", passages=len(passages))
    library = Library(settings.library)
    try:
        library.add(source, passages)
    finally:
        library.close()
    return len(passages)
