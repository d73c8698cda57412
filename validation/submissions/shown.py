"""What a submission says, pair by pair, and its outcome, as values that templates render.

The page of a question shows it to the team, and My submissions to who wrote it.
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.models import Annotation, Assignment, PayEntry, QAPair, ReplacedSubmission
from annotation.reading.visits import Visit
from annotation.stages import registry as stages
from metrics.edits import EditSpan, list_diff_spans
from validation.outcomes.status import OutcomeDetails
from validation.outcomes.values import Status
from validation.verdicts.comparing import ComparedPair

DONE, CHANGED, NOT = "done", "changed", "not"
AS_WRITTEN = "Accepted as you wrote it"


@dataclass(frozen=True)
class Fate:
    """The outcome of a submitted pair; `reason`: why a validator excluded it.

    tone: done, changed, not, or "" for none; spans: how its question was edited; gone, moved: its
    aliases that are not accepted, and those that are as the answer to another question.
    """

    words: str
    excluded: bool = False
    reason: str = ""
    tone: str = ""
    spans: Sequence[EditSpan] = ()
    gone: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()


@dataclass(frozen=True)
class EarlierVersion:
    """What was submitted before it was changed: label and text of every field that has one."""

    submitted_at: dt.datetime
    replaced_at: dt.datetime
    texts: Sequence[tuple[str, str]]


ShownPair = tuple[QAPair, Sequence[EditSpan], Fate | None]


@dataclass(frozen=True)
class SubmittedTurn:
    """A turn: its pairs, each with its differences from the prompt and its fate; pages read.

    correct: the newest verdict on it; outcome: the one its author sees, None while undecided.
    """

    turn: Assignment
    correct: bool | None
    outcome: Status | None
    pairs: tuple[ShownPair, ...]
    visits: Sequence[Visit]
    searches: int
    earlier: Sequence[EarlierVersion] = ()

    @property
    def writes(self) -> bool:
        """Whether people write answers in its stage."""
        return stages.get_stage(self.turn.stage).first

    @property
    def pages(self) -> int:
        """Number of different pages opened."""
        return len({visit.data.get("path") for visit in self.visits})


def mark_changes(before: str, after: str) -> Sequence[EditSpan]:
    """Return the words of a text with what was added to and taken from another; one without words
    counts as the same.
    """
    return list_diff_spans(before, after or before)


def read_earlier_versions(
    assignments: Collection[Assignment],
) -> Mapping[int, Sequence[EarlierVersion]]:
    """Return what was submitted before it was changed, oldest first, by assignment. One query."""
    sheets = {turn.pk: stages.get_stage(turn.stage).sheet for turn in assignments}
    versions: dict[int, list[EarlierVersion]] = {}
    for row in ReplacedSubmission.objects.filter(assignment__in=sheets).order_by("number"):
        sheet = sheets[row.assignment_id]
        texts = [field for field in sheet.list_field_texts(sheet.load(row.response)) if field[1]]
        versions.setdefault(row.assignment_id, []).append(
            EarlierVersion(row.submitted_at, row.replaced_at, texts)
        )
    return versions


# --- one's own -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class OwnSubmission:
    """What somebody submitted, with its fate once that is decided.

    missing: accepted answers that they did not have; others: further accepted wordings and sets, of
    other people; changed_at: when they last changed it; paid: (amount, currency, when), None before
    that.
    """

    annotation: Annotation | None = None
    pairs: tuple[ShownPair, ...] = ()
    missing: tuple[ComparedPair, ...] = ()
    others: tuple[str, ...] = ()
    earlier: Sequence[EarlierVersion] = ()
    paid: tuple[Decimal, str, dt.datetime] | None = None

    @property
    def changed_at(self) -> dt.datetime | None:
        """When it was last changed."""
        return self.earlier[-1].replaced_at if self.earlier else None


def read_own_submission(assignment: Assignment, outcome: OutcomeDetails | None) -> OwnSubmission:
    """Return one's own submission for its page. At most nine queries, whatever its length."""
    annotation = (
        Annotation.objects.filter(assignment=assignment)
        .prefetch_related(
            "pairs__answers__quote__page", "pairs__answers__more_quotes__page", "kept_warnings"
        )
        .first()
    )
    prompt = assignment.task.question.prompt
    compared = outcome.pairs if outcome else ()
    fates = _fates(outcome) if outcome else {}
    whole = Fate(AS_WRITTEN, tone=DONE) if outcome and outcome.status == Status.WRITTEN else None
    earlier = read_earlier_versions([assignment]).get(assignment.pk, ())
    return OwnSubmission(
        annotation=annotation,
        pairs=tuple(
            (pair, mark_changes(prompt, pair.question), fates.get(pair.pk, whole))
            for pair in (annotation.pairs.all() if annotation else ())
        ),
        missing=tuple(pair for pair in compared if pair.own is None),
        others=tuple(dict.fromkeys(text for pair in compared if pair.own for text in pair.further)),
        earlier=earlier,
        paid=_paid(assignment),
    )


def _fates(outcome: OutcomeDetails) -> Mapping[int, Fate]:
    who = "The team" if outcome.by_team else "The validator"
    return {pair.own.pk: _fate(pair, who) for pair in outcome.pairs if pair.own}


def _fate(pair: ComparedPair, who: str) -> Fate:
    """Return the outcome of one's own pair, in words."""
    if pair.accepted is None:
        return Fate("Not accepted", excluded=True, reason=pair.reason, tone=NOT)
    added = ""
    if pair.added:
        aliases = ", ".join(f"“{text}”" for text in pair.added)
        added = f". {who} added {'an alias' if len(pair.added) == 1 else 'aliases'}: {aliases}"
    if pair.unchanged:
        return Fate(f"{AS_WRITTEN}{added}", tone=DONE)
    edited = any(span.kind != "same" for span in pair.spans)
    if pair.to_prompt:
        words = "Accepted as the answer to the question as it was asked"
    elif edited:
        words = "Accepted with an edited question"
    else:
        words = "Accepted with other aliases"
    return Fate(
        f"{words}{added}",
        tone=CHANGED,
        spans=pair.spans if edited else (),
        gone=pair.removed,
        moved=pair.elsewhere,
    )


def _paid(assignment: Assignment) -> tuple[Decimal, str, dt.datetime] | None:
    entries = list(PayEntry.objects.filter(assignment=assignment).order_by("pk"))
    amount = sum((entry.amount for entry in entries), Decimal(0))
    return (amount, entries[0].currency, entries[0].at) if entries and amount else None
