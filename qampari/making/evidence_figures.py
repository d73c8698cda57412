"""The verdicts of a job as figures: their scores, and how often people say that they are right.

A job's verdicts are those of its project on the relations it asks about, by its judge in its
snapshot, whichever job asked for them first.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import CharField, Count, Exists, Min, OuterRef, Q, QuerySet, Value
from django.db.models.functions import MD5, Cast, Concat

from annotation.models import Job
from metrics.intervals import find_share_interval
from qampari.making.choices import MakingChoice, read_choice
from qampari.making.stored_verdicts import hash_wording
from qampari.making.verdicts import THRESHOLDS
from qampari.models import EvidenceOpinion, EvidenceVerdict

BINS: Final = 20
NEAR, RANDOM = "near", "random"
PAGE: Final = 10
MOST_PAGES: Final = 100
# The place of a fact in a random order that never changes.
_LOT: Final = MD5(
    Concat(
        "wording",
        Value(" "),
        Cast("value", CharField()),
        Value(" "),
        Cast("item", CharField()),
    )
)


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """How many facts have a score from `low` on and below `high`; the last one holds 1, too."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact that people said something of. shows: of most of them; None where they are split.

    at_random: whether it belongs to the part of the random order that people have judged whole.
    """

    score: float
    shows: bool | None
    at_random: bool


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """How many of some judged facts are shown, with the 95 % interval of the share, if known."""

    right: int
    judged: int
    interval: tuple[float, float] | None

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where none was judged."""
        return self.right / self.judged if self.judged else 0.0


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """What a threshold keeps, and what people said above and below it, of facts drawn at random."""

    threshold: float
    kept: int
    above: JudgedShare
    below: JudgedShare
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class EvidenceFigures:
    """All that the page about a job's evidence says in numbers.

    with_sentence, without: facts that were judged, and those of which no sentence names both;
    near_above, near_below: of all judged facts, wherever they come from; split: facts on which as
    many say one thing as the other, which count nowhere.
    """

    bins: list[ScoreBin]
    rows: list[ThresholdRow]
    with_sentence: int
    without: int
    judged: int
    split: int
    near_above: JudgedShare
    near_below: JudgedShare

    @property
    def highest(self) -> int:
        """The count of the fullest bin."""
        return max((each.count for each in self.bins), default=0)

    @property
    def is_two_valued(self) -> bool:
        """Whether all scores are 0 or 1, as those of words are."""
        return not any(each.count for each in self.bins[1:-1])


def find_verdicts(job: Job) -> QuerySet[EvidenceVerdict]:
    """Return the verdicts of a job, those of facts without a sentence among them."""
    about = (job.result or {}).get("verdicts", {})
    choice = read_choice(job.options["choice"])
    return EvidenceVerdict.objects.filter(
        project=job.project_id,
        snapshot=about.get("snapshot", ""),
        judge=about.get("judge", ""),
        wording__in={hash_wording(each) for each in choice.relations},
    )


def compute_figures(verdicts: QuerySet[EvidenceVerdict], choice: MakingChoice) -> EvidenceFigures:
    """Return the figures of a job's verdicts. Three queries."""
    thresholds = sorted({*THRESHOLDS, choice.threshold})
    counts = verdicts.aggregate(**_list_counts(thresholds))
    facts = _list_judged(verdicts)
    decided = [fact for fact in facts if fact.shows is not None]
    drawn = [fact for fact in decided if fact.at_random]
    above, below = _split_at(decided, choice.threshold)
    return EvidenceFigures(
        bins=[
            ScoreBin(place / BINS, (place + 1) / BINS, counts[f"bin_{place}"])
            for place in range(BINS)
        ],
        rows=[
            _describe_threshold(level, counts[f"kept_{place}"], drawn, choice)
            for place, level in enumerate(thresholds)
        ],
        with_sentence=counts["found"],
        without=counts["all"] - counts["found"],
        judged=len(facts),
        split=len(facts) - len(decided),
        near_above=_count_right(above),
        near_below=_count_right(below),
    )


def _describe_threshold(
    level: float, kept: int, drawn: Collection[JudgedFact], choice: MakingChoice
) -> ThresholdRow:
    above, below = map(_count_right, _split_at(drawn, level))
    return ThresholdRow(level, kept, above, below, is_chosen=level == choice.threshold)


def list_near(
    verdicts: QuerySet[EvidenceVerdict], threshold: float, page: int
) -> tuple[list[EvidenceVerdict], list[EvidenceVerdict]]:
    """Return the facts just above a threshold and just below it, the closest first. Two queries.

    Those of one score come in the random order, so that of scores of 0 and 1 it is a random sample.
    """
    found = verdicts.exclude(path="")
    part = slice((page - 1) * PAGE // 2, page * PAGE // 2)
    above = found.filter(score__gte=threshold).order_by("score", _LOT)
    below = found.filter(score__lt=threshold).order_by("-score", _LOT)
    return list(above[part]), list(below[part])


def list_at_random(verdicts: QuerySet[EvidenceVerdict], page: int) -> list[EvidenceVerdict]:
    """Return facts with a sentence in the random order. One query."""
    return list(verdicts.exclude(path="").order_by(_LOT)[(page - 1) * PAGE : page * PAGE])


def _list_counts(thresholds: Collection[float]) -> dict[str, Any]:
    found = ~Q(path="")
    bins = {
        f"bin_{place}": Count(
            "pk",
            filter=found
            & Q(score__gte=place / BINS)
            & (Q(score__lt=(place + 1) / BINS) if place + 1 < BINS else Q()),
        )
        for place in range(BINS)
    }
    kept = {
        f"kept_{place}": Count("pk", filter=found & Q(score__gte=level))
        for place, level in enumerate(thresholds)
    }
    return {"all": Count("pk"), "found": Count("pk", filter=found), **bins, **kept}


def _list_judged(verdicts: QuerySet[EvidenceVerdict]) -> list[JudgedFact]:
    """Return what people said of facts, one row for each. Two queries."""
    opinions = EvidenceOpinion.objects.filter(verdict=OuterRef("pk"))
    undecided = verdicts.exclude(path="").exclude(Exists(opinions))
    first_open = undecided.aggregate(lot=Min(_LOT))["lot"]
    rows = verdicts.filter(Exists(opinions)).annotate(
        lot=_LOT,
        yes=Count("opinions", filter=Q(opinions__shows=True)),
        no=Count("opinions", filter=Q(opinions__shows=False)),
    )
    return [
        JudgedFact(
            row.score,
            None if row.yes == row.no else row.yes > row.no,
            at_random=first_open is None or row.lot < first_open,
        )
        for row in rows
    ]


def _split_at(
    facts: Iterable[JudgedFact], threshold: float
) -> tuple[list[JudgedFact], list[JudgedFact]]:
    above: list[JudgedFact] = []
    below: list[JudgedFact] = []
    for fact in facts:
        (above if fact.score >= threshold else below).append(fact)
    return above, below


def _count_right(facts: Collection[JudgedFact]) -> JudgedShare:
    right = sum(bool(fact.shows) for fact in facts)
    interval = find_share_interval(right, len(facts)) if facts else None
    return JudgedShare(right, len(facts), interval)
