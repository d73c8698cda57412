"""Schemes of labelling as data: what an item of the sample is, and what people can say of it.

Those here come with Ambit; a team can define its own (`models.LabelScheme`).

Sources: AmbigQA (Min et al. 2020, tables 1, 6, 9 and 10), ASQA (Stelmakh et al. 2022, table 6). The
categories are theirs, the words about them ours.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.protocols.registry import Feature

Kind = Literal["accepted", "prediction", "mismatch", "long"]
OWN = "own"
"""The key of samples whose scheme the team defined."""
AMBIGUITY = "ambiguity"
NONE_KEYS = ("other", "none")
"""Categories that say that none of the others is right; they are chosen alone."""
MOST_CATEGORIES = 10
"""One for each digit of the keyboard."""


@dataclass(frozen=True, slots=True)
class ItemKind:
    """What the items of a sample are.

    label: in the list of kinds; needs: the feature of protocols that have such items; of_system:
    whether an item is an answer of a system; none_left: why a draw finds nothing, about `{split}`.
    """

    label: str
    needs: Feature
    of_system: bool
    none_left: str


KINDS: Mapping[Kind, ItemKind] = {
    "accepted": ItemKind(
        "Questions with their accepted answers",
        Feature.PAIRS,
        False,
        "No other question of {split} has accepted answers.",
    ),
    "prediction": ItemKind(
        "Accepted answers beside those of a system",
        Feature.PAIRS,
        True,
        "No other accepted question of {split} was answered by this system.",
    ),
    "mismatch": ItemKind(
        "Questions whose known answers are not accepted",
        Feature.PAIRS,
        False,
        "No other question of {split} came with answers of which none is accepted.",
    ),
    "long": ItemKind(
        "Long answers of a system",
        Feature.LONG,
        True,
        "No other question of {split} was answered by this system.",
    ),
}


@dataclass(frozen=True, slots=True)
class Category:
    """What can be said of an item. group: the words above it and its neighbours, if any."""

    key: str
    label: str
    hint: str = ""
    group: str = ""

    @property
    def is_alone(self) -> bool:
        """Whether no other category can be chosen besides."""
        return self.key in NONE_KEYS


@dataclass(frozen=True, slots=True)
class Scheme:
    """How the items of a sample are labelled.

    asked: the question above the categories; several: whether more than one can be chosen; spans:
    whether words of the text are highlighted, each with its category; size, labellers: what a draw
    proposes; noun: what a category is called; own: the id of a scheme of the team, else 0.
    """

    key: str
    title: str
    asked: str
    kind: Kind
    categories: tuple[Category, ...]
    several: bool = False
    spans: bool = False
    size: int = 50
    labellers: int = 2
    noun: str = "category"
    own: int = 0

    @property
    def kind_of_item(self) -> ItemKind:
        """What its items are."""
        return KINDS[self.kind]

    def list_labels(self, chosen: Collection[str]) -> list[str]:
        """Return the labels of these categories, in the order of the scheme."""
        return [category.label for category in self.categories if category.key in chosen]

    def sort_categories(self, chosen: Collection[str]) -> list[str]:
        """Return the keys that the scheme has, in its order."""
        return [category.key for category in self.categories if category.key in chosen]

    def find_mistake(self, chosen: Sequence[str]) -> str:
        """Return why these categories, which the scheme has, make no label; "" if they do."""
        alone = next((each for each in self.categories if each.is_alone), None)
        if not chosen:
            return f"Choose at least one {self.noun}" + (f", or “{alone.label}”." if alone else ".")
        if len(chosen) > 1 and not self.several:
            return f"Choose one {self.noun}."
        if alone and alone.key in chosen and len(chosen) > 1:
            nouns = "types" if self.noun == "type" else "categories"
            return f"Choose either {nouns} or “{alone.label}”, not both."
        return ""


_MANY, _ONE = "Several answers are accepted", "One answer is accepted"
BUILT_IN = (
    Scheme(
        key=AMBIGUITY,
        title="Types of ambiguity",
        asked="Why does it have several answers?",
        kind="accepted",
        categories=(
            Category(
                "event",
                "Event references",
                "It is open which event or occasion is meant: an informal or a legal wedding.",
            ),
            Category(
                "property",
                "Properties",
                "It is open what exactly is asked for: with or without a bonus episode.",
            ),
            Category(
                "entity",
                "Entity references",
                "A name could be several people or things: a father or his son.",
            ),
            Category(
                "answer",
                "Answer types",
                "It is open what kind of answer is wanted: a band or its singer.",
            ),
            Category(
                "time",
                "Time-dependency",
                "The answer depends on when it is asked: the newest season.",
            ),
            Category(
                "several",
                "Multiple sub-questions",
                "It asks two things at once: who was minister and who was viceroy.",
            ),
            Category("other", "None of these", "It has several answers for another reason."),
        ),
        several=True,
        size=100,
        labellers=1,
        noun="type",
    ),
    Scheme(
        key="predictions",
        title="Errors of predictions",
        asked="How good is the system’s answer?",
        kind="prediction",
        categories=(
            Category(
                "several-correct",
                "All of them found",
                "Every accepted answer is there, and no other: both years of a bridge that "
                "opened twice.",
                _MANY,
            ),
            Category(
                "several-partly",
                "Some of them found",
                "At least one accepted answer is there, but not all, or a wrong one as well: only "
                "the first year.",
                _MANY,
            ),
            Category(
                "several-wrong",
                "None of them found",
                "No accepted answer is there: the year in which the bridge was closed.",
                _MANY,
            ),
            Category(
                "one-over",
                "Found, with others",
                "The accepted answer is there, and further ones that the question does not call "
                "for: eight and seven.",
                _ONE,
            ),
            Category(
                "one-correct",
                "Found",
                "The only answer is the accepted one, however it is written.",
                _ONE,
            ),
            Category(
                "one-wrong", "Not found", "The accepted answer is not there: the losing team.", _ONE
            ),
            Category(
                "reference-wrong",
                "The accepted answers are wrong",
                "What is accepted does not answer the question, so the system cannot be judged "
                "by it.",
                "Either way",
            ),
        ),
    ),
    Scheme(
        key="mismatches",
        title="Mismatches with known answers",
        asked="Why is the known answer not among the accepted ones?",
        kind="mismatch",
        categories=(
            Category(
                "span",
                "Same answer, other words",
                "Both name the same thing with more or fewer words: with and without a middle "
                "name.",
            ),
            Category(
                "in-question",
                "Known answer is in a question",
                "The accepted pairs ask about it: the name of the prize is in the question, its "
                "class is the answer.",
            ),
            Category(
                "less-specific",
                "Known answer is less specific",
                "It says less than the accepted one: a year instead of a month and year.",
            ),
            Category(
                "known-wrong",
                "Known answer is wrong",
                "It does not answer the question, and the accepted answers are complete.",
            ),
            Category(
                "time",
                "Depends on the time",
                "Each was right when it was written: the record was broken in between.",
            ),
            Category(
                "missed",
                "Accepted answers miss it",
                "The known answer is reasonable, and should be accepted as well.",
            ),
            Category(
                "both-wrong",
                "Wrong, and another is missed",
                "The known answer is wrong, and the accepted ones miss another possible answer.",
            ),
        ),
    ),
    Scheme(
        key="long-errors",
        title="Errors in long answers",
        asked="What is wrong with the answer?",
        kind="long",
        categories=(
            Category(
                "hallucination",
                "Hallucination",
                "It states what is not so, or joins facts about different things: an election in "
                "a year that had none.",
            ),
            Category(
                "misunderstanding",
                "Question misunderstanding",
                "It is about the subject, but not about what is asked: the history of a pledge, "
                "not when two words were added.",
            ),
            Category(
                "repetition",
                "Repetition",
                "It says again what it has said: two sentences that begin with the same names.",
            ),
            Category("none", "None of these", "It has none of these errors."),
        ),
        several=True,
        spans=True,
    ),
)
_BY_KEY = {scheme.key: scheme for scheme in BUILT_IN}


def find_scheme(key: str) -> Scheme | None:
    """Return a scheme that comes with Ambit, None if there is none of this key."""
    return _BY_KEY.get(key)


def known_categories() -> dict[str, list[str]]:
    """Return the keys of the categories of each scheme that comes with Ambit."""
    return {scheme.key: [each.key for each in scheme.categories] for scheme in BUILT_IN}
