"""What a run of making questions was asked for: a document that goes in and out. Pure."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from annotation.core.refusals import Conflict
from qampari.making.queries import KeepRule
from qampari.making.relations import (
    AskedRelation,
    list_shipped_relations,
    read_relation,
    write_relation,
)
from qampari.making.splitting import DEV, RULES, STRICT, TEST, TRAIN, DrawPlan
from qampari.making.table_queries import TABLE_COMPOSITION, TABLE_KINDS, TABLE_SIMPLE
from qampari.records import COMPOSITION, INTERSECTION, SIMPLE

_KINDS: Final = (SIMPLE, INTERSECTION, COMPOSITION, *TABLE_KINDS)
_MOST_QUESTIONS: Final = 100_000
# As many as a person can look through in an afternoon; a run can ask for more.
_SIZES: Final = {
    TRAIN: {SIMPLE: 100, INTERSECTION: 20, COMPOSITION: 20, TABLE_COMPOSITION: 20},
    DEV: {SIMPLE: 20, INTERSECTION: 5, COMPOSITION: 5, TABLE_SIMPLE: 5, TABLE_COMPOSITION: 5},
    TEST: {SIMPLE: 20, INTERSECTION: 5, COMPOSITION: 5, TABLE_SIMPLE: 5, TABLE_COMPOSITION: 5},
}


class BadChoice(Conflict):
    """A run cannot be as it was asked for. The message is a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingChoice:
    """Everything that decides which questions a run makes, beside its graph and its pages.

    judged_of_relation: for how many simple queries of each relation evidence is looked for, drawn
    by the seed; threshold: from which score on evidence counts; split: a key of `splitting.RULES`;
    day: as 2024-01-02, for relations that are asked about on a day; tables: whether questions are
    made from lists of the snapshot, too; lists_read: from how many, drawn by the seed.
    """

    relations: tuple[AskedRelation, ...]
    rule: KeepRule = field(default_factory=KeepRule)
    plan: DrawPlan = field(default_factory=lambda: DrawPlan(_SIZES))
    judged_of_relation: int = 1_000
    threshold: float = 0.5
    split: str = STRICT
    subjects_apart: bool = False
    day: str = ""
    tables: bool = False
    lists_read: int = 1_000
    seed: int = 0


def read_choice(
    document: Mapping[str, Any], usual: Sequence[AskedRelation] | None = None
) -> MakingChoice:
    """Return the choice of a document; what it does not say is as usual.

    usual: the relations where the document names none; those that come with Ambit by default.

    Keys: relations (as in relations.json), least, most, share, judged_of_relation, threshold, sizes
    (by split and kind), most_of_relation, split, subjects_apart, day, tables, lists_read, seed.
    Raises BadChoice or BadRelation.
    """
    known = {*write_choice(MakingChoice(relations=()))}
    if unknown := sorted(set(document) - known):
        raise BadChoice(f"There is no “{unknown[0][:40]}”. Known: {', '.join(sorted(known))}.")
    given = document.get("relations")
    if given is not None and not (isinstance(given, list) and all(map(_is_object, given))):
        raise BadChoice("“relations” is a list of objects, as in a file of settings.")
    if given == []:
        raise BadChoice("Choose at least two relations, or give your own in a file.")
    if usual is None:
        usual = list_shipped_relations()
    relations = tuple(map(read_relation, given)) if given else tuple(usual)
    if not relations:
        raise BadChoice("No relation is included in this project. Include some, or give your own.")
    most = _whole(document, "most", 200, 1, 2_000)
    return MakingChoice(
        relations=relations,
        rule=KeepRule(_whole(document, "least", 5, 1, most), most, _share(document, "share", 0.8)),
        plan=DrawPlan(
            _read_sizes(document.get("sizes", _SIZES)),
            _whole(document, "most_of_relation", 1_000, 1, _MOST_QUESTIONS),
        ),
        judged_of_relation=_whole(document, "judged_of_relation", 1_000, 1, 10_000_000),
        threshold=_share(document, "threshold", 0.5),
        split=_one_of(document, "split", tuple(RULES)),
        subjects_apart=document.get("subjects_apart", False) is True,
        day=_read_day(document.get("day", "")),
        tables=_yes_or_no(document, "tables"),
        lists_read=_whole(document, "lists_read", 1_000, 1, 1_000_000),
        seed=_whole(document, "seed", 0, 0, 2**31),
    )


def write_choice(choice: MakingChoice) -> dict[str, Any]:
    """Return the document that `read_choice` reads."""
    return {
        "relations": list(map(write_relation, choice.relations)),
        **asdict(choice.rule),
        "judged_of_relation": choice.judged_of_relation,
        "threshold": choice.threshold,
        "sizes": {split: dict(own) for split, own in choice.plan.sizes.items()},
        "most_of_relation": choice.plan.most_of_relation,
        "split": choice.split,
        "subjects_apart": choice.subjects_apart,
        "day": choice.day,
        "tables": choice.tables,
        "lists_read": choice.lists_read,
        "seed": choice.seed,
    }


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _read_sizes(given: Any) -> dict[str, dict[str, int]]:
    sizes: dict[str, dict[str, int]] = {}
    if not isinstance(given, dict) or not set(given) <= set(_SIZES):
        raise BadChoice("“sizes” says for train, dev and test how many of each kind there are.")
    for split, own in given.items():
        if not isinstance(own, dict) or not set(own) <= set(_KINDS):
            raise BadChoice(f"“sizes” of {split} has the kinds {', '.join(_KINDS)}.")
        if own.get(TABLE_SIMPLE) and split == TRAIN:
            raise BadChoice("Simple questions from tables are for dev and test alone.")
        sizes[split] = {kind: _whole(own, kind, 0, 0, _MOST_QUESTIONS) for kind in own}
    return sizes


def _read_day(value: Any) -> str:
    try:
        return value and dt.date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise BadChoice(f"“day” is a date such as 2024-01-02, not {value!r:.40}.") from None


def _whole(document: Mapping[str, Any], name: str, default: int, low: int, high: int) -> int:
    value = document.get(name, default)
    if type(value) is not int or not low <= value <= high:
        raise BadChoice(f"“{name}” is a whole number from {low:,} to {high:,}, not {value!r:.40}.")
    return value


def _share(document: Mapping[str, Any], name: str, default: float) -> float:
    value = document.get(name, default)
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise BadChoice(f"“{name}” is a number from 0 to 1, not {value!r:.40}.")
    return float(value)


def _yes_or_no(document: Mapping[str, Any], name: str) -> bool:
    value = document.get(name, False)
    if type(value) is not bool:
        raise BadChoice(f"“{name}” is true or false, not {value!r:.40}.")
    return value


def _one_of(document: Mapping[str, Any], name: str, values: tuple[str, ...]) -> str:
    value = document.get(name, values[0])
    if value not in values:
        raise BadChoice(f"“{name}” is {' or '.join(values)}, not {value!r:.40}.")
    return str(value)
