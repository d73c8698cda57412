"""One person's annotation compared with the accepted answers, pair by pair, on plain texts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metrics.edits import EditSpan, list_diff_spans
from metrics.text import answer_key


@dataclass(frozen=True, slots=True)
class Texts:
    """A pair: the phrasings of its question (none where the prompt is meant) and its forms."""

    questions: tuple[str, ...]
    forms: tuple[str, ...]
    pk: int = 0


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """An annotation, or one set of answers that is accepted: "multiple", "single" or "none".

    annotation: its id where the set is one annotation, None where a decision put it together.
    """

    kind: str
    pairs: tuple[Texts, ...]
    annotation: int | None = None


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One pair of one's own and the accepted one; either side may be missing.

    `spans` compare the questions. Forms are in both (`same`), `added`, `removed`, or accepted
    `elsewhere`, as an answer to another question. `reason` says why a pair was excluded.
    """

    own: Texts | None
    accepted: Texts | None
    spans: tuple[EditSpan, ...] = ()
    same: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    reason: str = ""

    @property
    def to_prompt(self) -> bool:
        """Whether a question was written, and the accepted one is the prompt itself."""
        if self.own is None or self.accepted is None:
            return False
        return bool(self.own.questions) and not self.accepted.questions

    @property
    def question(self) -> str:
        """The question as it was accepted: one's own where that is among the phrasings."""
        if self.accepted is None or not self.accepted.questions:
            return ""
        own = self.own.questions[0] if self.own and self.own.questions else ""
        return own if own in self.accepted.questions else self.accepted.questions[0]

    @property
    def further(self) -> tuple[str, ...]:
        """The other phrasings that are accepted."""
        if self.accepted is None:
            return ()
        return tuple(question for question in self.accepted.questions if question != self.question)

    @property
    def unchanged(self) -> bool:
        """Whether the pair is accepted as it was written."""
        if self.own is None or self.accepted is None or self.to_prompt:
            return False
        same_forms = not self.removed and not self.elsewhere
        return same_forms and all(span.kind == "same" for span in self.spans)


def match_pairs(own: Sequence[Texts], accepted: Sequence[Texts]) -> list[ComparedPair]:
    """Match one's pairs with the accepted ones on a shared form: own order, then the new ones."""
    left = list(range(len(accepted)))
    pairs: list[ComparedPair] = []
    for pair in own:
        keys = keys_of(pair)
        place = next((p for p in left if keys & keys_of(accepted[p])), None)
        if place is None:
            pairs.append(ComparedPair(pair, None, removed=pair.forms))
        else:
            left.remove(place)
            pairs.append(_both(pair, accepted[place]))
    pairs += [ComparedPair(None, accepted[place], added=accepted[place].forms) for place in left]
    return [_placed(pair, pairs) for pair in pairs]


def _placed(pair: ComparedPair, pairs: Sequence[ComparedPair]) -> ComparedPair:
    """Return the pair; removed forms that another accepted pair has are moved to `elsewhere`."""
    others = [p.accepted for p in pairs if p is not pair and p.accepted is not None]
    keys = {key for accepted in others for key in keys_of(accepted)}
    elsewhere = tuple(form for form in pair.removed if answer_key(form) in keys)
    if not elsewhere:
        return pair
    removed = tuple(form for form in pair.removed if form not in elsewhere)
    return replace(pair, removed=removed, elsewhere=elsewhere)


def keys_of(pair: Texts) -> set[str]:
    """Return the keys by which the forms of a pair are compared; white space has none."""
    return {answer_key(form) for form in pair.forms} - {""}


def _both(own: Texts, accepted: Texts) -> ComparedPair:
    pair = ComparedPair(
        own,
        accepted,
        same=tuple(form for form in accepted.forms if form in own.forms),
        added=tuple(form for form in accepted.forms if form not in own.forms),
        removed=tuple(form for form in own.forms if form not in accepted.forms),
    )
    before = own.questions[0] if own.questions else ""
    if not pair.question:
        return pair
    return ComparedPair(
        own,
        accepted,
        tuple(list_diff_spans(before, pair.question)),
        pair.same,
        pair.added,
        pair.removed,
    )


def compare_with_nearest(
    own: Sequence[Texts], sets: Sequence[Sequence[Texts]]
) -> list[ComparedPair]:
    """Compare with the set that shares most pairs with one's own; the first in case of a tie."""
    compared = [match_pairs(own, accepted) for accepted in sets]
    return max(compared, key=_shared, default=[])


def _shared(pairs: Sequence[ComparedPair]) -> tuple[int, int]:
    both = [pair for pair in pairs if pair.own and pair.accepted]
    return len(both), sum(pair.unchanged for pair in both)
