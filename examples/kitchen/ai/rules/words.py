"""Words that give a recipe away."""

import re


def listed(words: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(words.split())


#: What cooks do, in the form of an order.
VERBS = listed(
    """add arrange bake baste beat blanch blend blitz boil braise bring broil brown brush caramelise caramelize char
    chill chop coat combine cook cool cover cream crack crush cube cut decorate deglaze dice dip dissolve divide drain
    dress drizzle dry dust fill flip fold freeze fry garnish glaze grate grease grill grind halve heat infuse knead
    ladle layer line marinate mash melt microwave mince mix peel pipe place poach pour preheat press proof puree purée
    reduce refrigerate remove rest rinse roast roll rub saute sauté scatter score scramble sear season separate serve
    set shape shred sieve sift simmer skim slice soak soften spoon spread sprinkle squeeze steam steep stew stir strain
    stuff sweat tear thicken thread toast top toss transfer trim turn warm wash whip whisk wilt wrap zest"""
)

#: Things that are bought by the piece, so that "3 eggs" needs no unit.
COUNTED = listed(
    """apple apricot aubergine avocado bagel banana bay-leaf beetroot biscuit breast bun carrot chicken chilli chili
    courgette cucumber date egg eggplant fig fillet garlic leek lemon lettuce lime mango mushroom olive onion orange
    parsnip peach pear pepper plum potato pumpkin radish sausage scallion shallot squash steak thigh tomato tortilla
    turnip white yolk zucchini"""
)

#: What begins with these says more of the ingredient before it: "200 g butter, softened", "parsley, finely chopped".
_MADE_READY = re.compile(
    r"(?:\w+ed|\w+ly|cut|ground|plus|at|to|for|if|or|with|without|rind|skin|room|about)\b",
    re.IGNORECASE,
)

_WORD = re.compile(r"[a-zé-]+")


def cooking_verbs(text: str) -> list[str]:
    """The cooking verbs in a text, in order."""
    return [word for word in _WORD.findall(text.lower()) if word in VERBS]


def begins_with_a_cooking_verb(text: str) -> bool:
    """Whether an order is given: "Whisk the eggs", "Then gently fold in"."""
    return any(word in VERBS for word in _WORD.findall(text.lower())[:3])


def names_a_counted_food(text: str) -> bool:
    """Whether a thing that is bought by the piece is named, in the singular or plural."""
    return any(singular in COUNTED for word in _WORD.findall(text.lower()) for singular in _singulars(word))


def says_how_it_is_made_ready(text: str) -> bool:
    """Whether a text is no ingredient of its own but belongs to the one before: "softened", "to taste"."""
    return _MADE_READY.match(text.strip()) is not None


def _singulars(word: str) -> tuple[str, ...]:
    return word, word.removesuffix("s"), word.removesuffix("es")
