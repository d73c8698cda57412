"""The judgments of two systems' answers, or of one system's, a page at a time."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from accounts.pseudonyms import derive_pseudonym
from annotation.models import Question
from evaluation.consensus.models import Consensus
from evaluation.studies.judgment_values import CHOICES
from evaluation.studies.models import Item, Judgment, Study
from evaluation.systems.models import Output, System

PAGE = 20
# Imported, or submitted and not left out by the team.
COUNTED = Q(submission=None) | Q(
    submission__assignment__state="submitted", submission__assignment__used=True
)


@dataclass(frozen=True)
class JudgeStatement:
    """What one person said. `lines` are labels with words; `left` is the system shown there."""

    judge: str
    left: str
    lines: tuple[tuple[str, str], ...]
    why: str


@dataclass(frozen=True)
class PairItem:
    """An item with the texts of its systems, by name, and its judgments."""

    position: int
    repeat: bool
    question: Question
    texts: tuple[tuple[str, str], ...]
    judgments: tuple[JudgeStatement, ...]
    consensus: Consensus | None


@dataclass(frozen=True)
class PairPage:
    """Items of a pair of systems that were judged; `further` is where the next page starts."""

    shown: tuple[PairItem, ...]
    further: int | None


def page_of(study: Study, first: System, second: System | None, *, start: int = 0) -> PairPage:
    """Return the judged items of a pair from a position on. At most five queries.

    Without `second` these are the items that show the answer of `first` alone.
    """
    pairs: list[tuple[int, int | None]] = [(first.pk, second.pk if second else None)]
    if second:
        pairs.append((second.pk, first.pk))  # imported judgments may have either order
    rows = heapq.merge(
        *(_items(study, *pair, start)[: PAGE + 1] for pair in pairs),
        key=lambda item: item.position,
    )
    items = [item for item, _ in zip(rows, range(PAGE + 1), strict=False)]
    shown = items[:PAGE]
    systems = {row.pk: row for row in (first, second) if row}
    outputs = Output.objects.filter(
        system__in=systems, question__in=[item.question_id for item in shown]
    )
    texts = {
        (system, question): text
        for system, question, text in outputs.values_list("system", "question", "text")
    }
    return PairPage(
        tuple(_shown(study, item, systems, texts) for item in shown),
        items[PAGE].position if len(items) > PAGE else None,
    )


def _items(study: Study, first: int, second: int | None, start: int) -> QuerySet[Item]:
    counted = Judgment.objects.filter(COUNTED)
    judgments = counted.select_related("judge", "submission").order_by()
    pair = Item.objects.filter(study=study, first=first, second=second, position__gte=start)
    return (
        pair.filter(Exists(counted.filter(item=OuterRef("pk"))))
        .select_related("question", "consensus")
        .prefetch_related(Prefetch("judgments", judgments))
        .order_by("position")
    )


def _shown(
    study: Study,
    item: Item,
    systems: Mapping[int, System],
    texts: Mapping[tuple[int, int], str],
) -> PairItem:
    judgments = sorted(item.judgments.all(), key=lambda row: row.pk)
    names = [str(systems[pk]) for pk in (item.first_id, item.second_id) if pk]
    return PairItem(
        position=item.position,
        repeat=item.repeats_id is not None,
        question=item.question,
        texts=tuple(
            (str(systems[pk]), texts.get((pk, item.question_id), ""))
            for pk in (item.first_id, item.second_id)
            if pk
        ),
        judgments=tuple(_said(study, row, names) for row in judgments),
        consensus=getattr(item, "consensus", None),
    )


def _said(study: Study, judgment: Judgment, names: Sequence[str]) -> JudgeStatement:
    """Put a judgment into words; `names` are those of the first system and the second."""
    response = judgment.submission.response if judgment.submission else judgment.response or {}
    sides = names[::-1] if judgment.swapped else names
    lines = [*_found(response, sides), *_choices(study, response, sides)]
    verdict = response.get("verdict")
    if verdict:
        lines.append(("Verdict", Consensus.Verdict(verdict).label))
    judge = (
        derive_pseudonym(judgment.judge, scope=study.project.slug)
        if judgment.judge
        else judgment.judge_name
    )
    return JudgeStatement(judge, sides[0], tuple(lines), response.get("why", ""))


def _found(response: Mapping[str, Any], sides: Sequence[str]) -> Iterator[tuple[str, str]]:
    for side, name in zip(("left", "right"), sides, strict=False):
        asked = response.get(side) or []
        if asked:
            answered = sum(row.get("found") == "yes" for row in asked)
            yield f"Answered by {name}", f"{answered} of {len(asked)}"


def _choices(
    study: Study, response: Mapping[str, Any], sides: Sequence[str]
) -> Iterator[tuple[str, str]]:
    for criterion, choice in zip(study.criteria, response.get("choices") or [], strict=False):
        worth = CHOICES.get(choice.get("better"))
        if worth is not None:
            yield criterion["label"], _preferred(worth, sides)


def _preferred(worth: int, sides: Sequence[str]) -> str:
    """Return a choice in words, from what it is worth in CHOICES."""
    if not worth:
        return "Equally good"
    much = ", much better" if abs(worth) == 2 else ""
    return f"{sides[worth > 0]}{much}"
