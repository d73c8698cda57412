"""Retrieval: do the first K passages hold the answers, the evidence, the relevant passages?

Sources: QAMPARI (Amouyal et al. 2023, section 4.2) for ARecall@K and ERecall@K, the code released
with it for what counts as an evidence passage, DPR (Karpukhin et al. 2020) for top-K accuracy.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf

from metrics.score import SCORE, Evaluation, Figure, missing_option

DEPTHS = (10, 25, 50, 100, 200)
OVERLAP = 0.7
"""A retrieved passage is an evidence passage when more than this share of the shorter is common."""

_TOKEN = re.compile(r"[^\W_]+|[^\s\w]|_")


@dataclass(frozen=True, slots=True)
class TitledPassage:
    """A passage of a page, with the page's title; ``id`` is the collection's, where it has one."""

    title: str
    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """What should be found for one question; what a benchmark does not have is left empty.

    ``answers``: per gold answer its aliases. ``evidence``: per gold answer its evidence passages
    (one more group for passages whose answer is not known is fine). ``relevant``: ids of the
    relevant passages.
    """

    answers: tuple[tuple[str, ...], ...] = ()
    evidence: tuple[tuple[TitledPassage, ...], ...] = ()
    relevant: frozenset[str] = frozenset()


def score_predictions(
    references: Mapping[str, Reference],
    retrieved: Mapping[str, Sequence[TitledPassage]],
    *,
    depths: Sequence[int] = DEPTHS,
) -> Evaluation:
    """Score ranked passages, best first, against references keyed on the same ids.

    Per question, for each depth K; every figure is the mean over the questions that have what it
    needs (answers, evidence, relevant ids), from 0 to 1:

    ``arecall.K``: share of gold answers, any alias, found in the first K passages.
    ``hit.K``: 1 where any gold answer is among them (top-K accuracy).
    ``answer_mrr``: 1 / rank of the first passage with any gold answer, 0 where none has one.
    ``erecall.K``: per gold answer the share of its evidence passages among the first K, mean over
    the question's answers that have any.
    ``recall.K``, ``mrr``: the same as share and as rank over the ids of relevant passages.

    Figures that no question can have are left out. A question without passages scores 0.

    Raises ``ValueError`` where a depth is below 1.
    """
    if not depths or min(depths) < 1:
        raise ValueError("a depth must be at least 1")
    has = {
        "answers": [bool(reference.answers) for reference in references.values()],
        "evidence": [any(reference.evidence) for reference in references.values()],
        "relevant": [bool(reference.relevant) for reference in references.values()],
    }
    kinds = {name: every for name, every in has.items() if any(every)}
    columns = {f"has_{name}": list(map(float, every)) for name, every in kinds.items()}
    figures: list[Figure] = []
    items = [(reference, retrieved.get(name, ())) for name, reference in references.items()]
    if "answers" in kinds:
        ranks = [[[r] for r in answer_ranks(ref.answers, found)] for ref, found in items]
        _add(columns, figures, "arecall", "answers", ranks, depths)
        _add_first(columns, figures, ("hit", "answer_mrr"), "answers", ranks, depths)
    if "evidence" in kinds:
        ranks = [[evidence_ranks(group, found) for group in ref.evidence] for ref, found in items]
        _add(columns, figures, "erecall", "evidence", ranks, depths)
    if "relevant" in kinds:
        ranks = [[[r] for r in relevant_ranks(ref.relevant, found)] for ref, found in items]
        _add(columns, figures, "recall", "relevant", ranks, depths)
        _add_first(columns, figures, (None, "mrr"), "relevant", ranks, depths)
    return Evaluation(
        task="retrieval",
        ids=list(references),
        columns=columns,
        figures=figures,
        options={"match": "tokens", "overlap": f"{OVERLAP:g}"}
        | missing_option(references, retrieved),
        counts={"n": len(references)},
    )


def answer_ranks(
    answers: Sequence[Sequence[str]], passages: Sequence[TitledPassage]
) -> list[float]:
    """Return per answer the rank (from 1) of the first passage with one of its aliases, or inf.

    An alias is in a passage when its tokens (``tokenise_and_join``) stand in the passage's text in
    a row, so that "art" is not found in "party" and "Orwell" is in "the narrator—Orwell's". Titles
    do not count. Of a blank alias nothing can be found.
    """
    texts = [f" {tokenise_and_join(passage.text)} " for passage in passages]
    # One text to search, in passage order; a line feed is in no alias.
    everything = "\n".join(texts)
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    ranks = []
    for aliases in answers:
        found = [everything.find(f" {form} ") for form in map(tokenise_and_join, aliases) if form]
        first = min((place for place in found if place >= 0), default=-1)
        ranks.append(float(bisect_right(starts, first)) if first >= 0 else inf)
    return ranks


def tokenise_and_join(text: str) -> str:
    """Return the tokens that are looked for, with a space between them.

    A token is a run of letters and digits, or any other single character but white space; in
    composed form (NFC) and lower case. This is how DPR tells whether a passage has an answer:
    nothing is deleted, so that no two words become one, and articles stay.
    """
    return " ".join(_TOKEN.findall(unicodedata.normalize("NFC", text).lower()))


def evidence_ranks(
    evidence: Sequence[TitledPassage], passages: Sequence[TitledPassage]
) -> list[float]:
    """Return per evidence passage the rank of the first retrieved passage that is it, or inf.

    Two passages are the same by ``same_passage``. One retrieved passage may be several evidence
    passages at once; the released code lets it be one only, which can only lower the recall.
    """
    ranks = []
    for wanted in evidence:
        matches = (
            rank for rank, passage in enumerate(passages, 1) if same_passage(wanted, passage)
        )
        ranks.append(float(next(matches, inf)))
    return ranks


def relevant_ranks(relevant: frozenset[str], passages: Sequence[TitledPassage]) -> list[float]:
    """Return per relevant id, in sorted order, the rank at which it was retrieved, or inf."""
    ranks: dict[str, float] = {}
    for rank, passage in enumerate(passages, 1):
        ranks.setdefault(passage.id, rank)
    return [ranks.get(name, inf) for name in sorted(relevant)]


def same_passage(first: TitledPassage, second: TitledPassage) -> bool:
    """Whether titles are equal and the texts mostly, both apart from case.

    Mostly: the longest common substring is longer than 0.7 of the shorter text, in characters.
    """
    return first.title.lower() == second.title.lower() and has_long_overlap(
        first.text.lower(), second.text.lower()
    )


def has_long_overlap(first: str, second: str, share: float = OVERLAP) -> bool:
    """Whether the longest common substring is longer than ``share`` of the shorter text; exact.

    Any stretch of more than half of the shorter text holds its middle, so it is enough to look for
    that in the longer one and to see how far the two agree on either side of it.

    Raises ``ValueError`` where ``share`` is not from 0.5 up to (not including) 1.
    """
    if not 0.5 <= share < 1:
        raise ValueError(f"share must be at least 0.5 and below 1, not {share}")
    short, long = sorted((first, second), key=len)
    needed = next(
        (n for n in range(int(share * len(short)), len(short) + 1) if _above(n, short, share)), 0
    )
    if not needed:
        return False
    left, right = len(short) - needed, needed
    middle = short[left:right]
    place = long.find(middle)
    while place >= 0:
        before = _common(short[:left][::-1], long[max(0, place - left) : place][::-1])
        after = _common(short[right:], long[place + len(middle) : place + len(middle) + left])
        if before + len(middle) + after >= needed:
            return True
        place = long.find(middle, place + 1)
    return False


def _above(length: int, text: str, share: float) -> bool:
    return bool(text) and length / len(text) > share


def _common(first: str, second: str) -> int:
    """Return how many characters two texts have in common from their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(first), len(second)))


def _add(
    columns: dict[str, list[float]],
    figures: list[Figure],
    name: str,
    among: str,
    ranks: Sequence[Sequence[Sequence[float]]],
    depths: Sequence[int],
) -> None:
    """Add recall at each depth: per question the mean over its groups of each group's share."""
    for depth in depths:
        columns[f"{name}.{depth}"] = [
            _mean([_mean([float(rank <= depth) for rank in group]) for group in groups if group])
            for groups in ranks
        ]
        figures.append(_score_of(f"{name}.{depth}", among))


def _add_first(
    columns: dict[str, list[float]],
    figures: list[Figure],
    names: tuple[str | None, str],
    among: str,
    ranks: Sequence[Sequence[Sequence[float]]],
    depths: Sequence[int],
) -> None:
    """Add what the best rank of a question gives: a hit at each depth, and its reciprocal."""
    hit, reciprocal = names
    best = [min((rank for group in groups for rank in group), default=inf) for groups in ranks]
    for depth in depths if hit else ():
        columns[f"{hit}.{depth}"] = [float(rank <= depth) for rank in best]
        figures.append(_score_of(f"{hit}.{depth}", among))
    columns[reciprocal] = [1 / rank for rank in best]
    figures.append(_score_of(reciprocal, among))


def _score_of(name: str, among: str) -> Figure:
    return Figure(name, (name,), among=f"has_{among}", scale=SCORE)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
