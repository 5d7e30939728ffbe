"""A provider without a language model: rules alone, and it says so."""

import asyncio

from examples.kitchen.ai.pictures import Picture
from examples.kitchen.ai.provider import Findings
from examples.kitchen.ai.rules.reading import Reading, read_recipe

_BY_RULES = "Found by rules, without a language model."
_WHAT_CONFIDENCE_IS = (
    "The confidence tells how much of a recipe's usual shape was seen; it is not a measured probability."
)
_NO_RECIPE = "The text does not look like a recipe: neither amounts of food nor orders to cook them were found in it."
_PROSE = "The text has no list of ingredients, so only those that are named with an amount were found."
_UNSEEN = "The picture itself was not looked at: only its file was measured, and the description was read in its place."


class OfflineProvider:
    """Reads recipes by rules; needs no network and no key."""

    name = "offline"

    async def read(self, text: str, picture: Picture | None = None) -> Findings:
        """What the rules find in the text; a picture's content is out of their reach, and the note tells so."""
        # A long text takes a while, in which the program must go on answering its broker.
        reading = await asyncio.to_thread(read_recipe, text)
        return Findings(recipe=reading.recipe, method="rules", note=_note(reading, picture is not None))

    async def close(self) -> None:
        """Nothing is held."""


def _note(reading: Reading, has_picture: bool) -> str:
    about_picture = [_UNSEEN] if has_picture else []
    if not reading.recipe.is_recipe:
        about_text = [_NO_RECIPE]
    elif reading.from_prose:
        about_text = [_PROSE, _WHAT_CONFIDENCE_IS]
    else:
        about_text = [_WHAT_CONFIDENCE_IS]
    return " ".join([_BY_RULES, *about_picture, *about_text])
