"""Where the story plays."""

import struct
import zlib
from dataclasses import dataclass
from hashlib import sha256

from examples.kitchen.kitchen import Kitchen
from examples.kitchen.story.user import Answered, User
from examples.kitchen.trap_site import TrapSite
from examples.running.checks import must

RECIPE = """Leek soup
Serves 4

Ingredients:
3 leeks
1 litre water
20 g butter

Method:
1. Melt the butter and stew the leeks for 10 minutes.
2. Add the water and boil for 20 minutes.
"""
#: Seconds that clients wait for the AI service during the story, which also plays what happens when it is down.
AI_SECONDS = 4.0
#: Seconds for one page of the site.
PAGE_SECONDS = 2.0

SETTINGS = {
    "KITCHEN_PORT": "0",
    "KITCHEN_AI_SECONDS": f"{AI_SECONDS:g}",
    "CRAWLER_PAGE_SECONDS": f"{PAGE_SECONDS:g}",
}


@dataclass(frozen=True)
class Stage:
    """Every scene uses the same, one after the other."""

    kitchen: Kitchen
    site: TrapSite
    user: User

    def read_recipe(self) -> Answered:
        """The recipe is read as it should be; raises Broken."""
        answered = self.user.post("/api/ai/analyze-recipe", {"user_input": RECIPE})
        result = answered.json["result"]
        must(result["input_sha256"] == sha256(RECIPE.encode()).hexdigest(), "the answer is for another recipe")
        found = [ingredient["item"] for ingredient in result["ingredients"]]
        must(found == ["leeks", "water", "butter"], f"the ingredients are {found}")
        must(len(result["steps"]) == 2, f"the steps are {result['steps']}")
        return answered


def png(width: int, height: int) -> bytes:
    """A grey picture."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    pixels = zlib.compress((b"\0" + b"\x80" * width) * height)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
