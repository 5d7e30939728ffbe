"""How often words are met among the newest jobs, so that a search begins with the rarest of them.

An index of words finds a rare one at once. For the beginning of a common one it has to put together a list of nearly
all jobs, which takes longer than to look at the few that have the rare one.
"""

from collections.abc import Mapping, Sequence

#: Jobs that are looked at, one by one, before an index of words is asked.
NEWEST = 1000
#: The share of jobs from which on a word is left out of what the index is asked for.
COMMON = 0.15


def rare_words(words: Sequence[str], met: Mapping[str, int], among: int) -> list[str]:
    """Those that an index is asked for: all that are not common, and one in any case."""
    rare = [word for word in words if met.get(word, 0) <= COMMON * among]
    return rare or sorted(words, key=lambda word: met.get(word, 0))[:1]
