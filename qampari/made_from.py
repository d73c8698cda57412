"""What a record says of the graph that its question was made from. Pure.

The record may come from a file that anybody wrote, so what is not as it should be is not there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from metrics.text import answer_key

# The key of a record under which it stands.
MAKING: Final = "making"


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """Which relations a question asks about, and what answers it without evidence.

    relations: their keys, in order, without what is asked about; unproven: names of what the graph
    has as an answer, though no page shows it, as `answer_key` has them.
    """

    relations: tuple[str, ...]
    unproven: frozenset[str]


def read_made_from(said: Any) -> MadeFrom | None:
    """Return what a record says under `MAKING`, None where it is nothing that can be used."""
    if not isinstance(said, Mapping):
        return None
    queries, unproven = said.get("queries"), said.get("unproven", [])
    if not isinstance(queries, list) or not isinstance(unproven, list):
        return None
    keys = [each[0] for each in queries if isinstance(each, list) and each]
    names = [each for each in unproven if isinstance(each, str)]
    if not keys or len(keys) < len(queries) or not all(isinstance(key, str) for key in keys):
        return None
    return MadeFrom(tuple(sorted(keys)), frozenset(map(answer_key, names)))
