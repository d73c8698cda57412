"""What the page of one question shows staff, as values that the templates only render."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.core.states import DECIDED
from annotation.models import Assignment, Event, QAPair, Question
from annotation.reading.visits import visits_of
from annotation.stages import registry as stages
from metrics.edits import EditSpan
from validation.decisions import history
from validation.decisions.history import AcceptedSetRecord, DecisionRecord, RemovedAnswer, Text
from validation.decisions.models import Decision
from validation.outcomes.values import Status
from validation.submissions.shown import (
    Fate,
    SubmittedTurn,
    mark_changes,
    read_earlier_versions,
)
from validation.verdicts.comparing import Texts, keys_of
from validation.verdicts.responses import row_letter

Names = Mapping[int, str]


@dataclass(frozen=True)
class OriginLine:
    """Accepted texts with one origin: who wrote them, and how they were changed."""

    label: str
    texts: tuple[Sequence[EditSpan], ...]
    who: str
    how: str


@dataclass(frozen=True)
class Block:
    """One accepted answer with its questions, as lines; `title` begins each of several sets."""

    lines: tuple[OriginLine, ...]
    title: str = ""


@dataclass(frozen=True)
class Version:
    """A decision as the page shows it.

    now: whether it is the one in force. gone and new: its texts that are no longer accepted, and
    the texts accepted now that it does not have.
    """

    number: int
    decided: DecisionRecord
    by: str
    now: bool
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Who decided, in words."""
        return str(Decision.Source(self.decided.source).label)

    @property
    def outcome(self) -> str:
        """The outcome, in words."""
        return str(Decision.Outcome(self.decided.outcome).label)


@dataclass(frozen=True)
class QuestionValidation:
    """One validation: verdicts as (name, turn or 0 if withdrawn, correct), and excluded answers.

    Each excluded answer comes with the names of its authors, in words.
    """

    version: Version
    turn: Assignment | None
    verdicts: Sequence[tuple[str, int, bool]]
    excluded: Sequence[tuple[RemovedAnswer, str]]


@dataclass(frozen=True)
class QuestionDecisions:
    """Everything about decisions on a question. `blocks`: the answers accepted now."""

    blocks: tuple[Block, ...] = ()
    now: Version | None = None
    versions: tuple[Version, ...] = ()
    validations: tuple[QuestionValidation, ...] = ()
    submissions: tuple[SubmittedTurn, ...] = ()
    others: tuple[SubmittedTurn, ...] = ()
    matched: bool = False


def decisions_of(question: Question) -> list[DecisionRecord]:
    """Return every decision on the question, oldest first. Six queries."""
    return history.read_decisions(
        Decision.objects.filter(question=question).order_by("pk").values_list("pk", flat=True)
    )


def people_in(decisions: Iterable[DecisionRecord], turns: Iterable[Assignment]) -> set[int]:
    """Return the ids of the people whose names the page needs."""
    people = {turn.user_id for turn in turns}
    for decision in decisions:
        people |= {judged.author for judged in decision.verdicts}
        people |= {place.author for out in decision.excluded for place in out.places}
        if decision.by:
            people.add(decision.by)
    return people


def build_page(
    question: Question,
    turns: Sequence[Assignment],
    decisions: Sequence[DecisionRecord],
    names: Names,
) -> QuestionDecisions:
    """Return the content of the page. Three queries, five where no decision is in force."""
    now = next((d for d in decisions if d.in_force and d.outcome == question.state), None)
    if now is not None:
        sets = now.sets
    elif question.state in DECIDED:
        sets = history.as_submitted([question.pk]).get(question.pk, ())
    else:
        sets = ()
    versions = _versions(decisions, now, sets, names)
    current = next((version for version in versions if version.now), None)
    fates = _fates(sets, decisions, now, accepted=question.state in DECIDED)
    answering = [t for t in turns if t.state == "submitted" and not _writes_decision(t.stage)]
    visits = visits_of(turn.pk for turn in turns)
    searches = _searches(turns)
    earlier = read_earlier_versions(turns)
    marks = {
        judged.annotation: judged.correct for decision in decisions for judged in decision.verdicts
    }
    by_pk = {turn.pk: turn for turn in turns}
    told = {turn.pk for turn in answering} | {decision.assignment for decision in decisions}

    def shown(turn: Assignment) -> SubmittedTurn:
        annotation = getattr(turn, "annotation", None)
        pairs = annotation.pairs.all() if annotation else ()
        return SubmittedTurn(
            turn=turn,
            correct=marks.get(annotation.pk) if annotation else None,
            outcome=Status(turn.outcome.status) if hasattr(turn, "outcome") else None,
            pairs=tuple(
                (pair, mark_changes(question.prompt, pair.question), fates(pair)) for pair in pairs
            ),
            visits=visits.get(turn.pk, []),
            searches=searches.get(turn.pk, 0),
            earlier=earlier.get(turn.pk, ()),
        )

    return QuestionDecisions(
        blocks=_blocks(sets, question.prompt, now, names),
        now=current,
        versions=versions,
        validations=tuple(
            QuestionValidation(
                version=version,
                turn=by_pk.get(version.decided.assignment or 0),
                verdicts=_verdicts(version, names, answering),
                excluded=[(out, _whose(out, names)) for out in version.decided.excluded],
            )
            for version in reversed(versions)
            if version.decided.source == Decision.Source.VALIDATION
        ),
        submissions=tuple(shown(turn) for turn in answering),
        others=tuple(shown(turn) for turn in turns if turn.pk not in told),
        matched=question.state == Question.State.AUTO_ACCEPTED,
    )


def _writes_decision(key: str) -> bool:
    """Whether a submission of the stage is shown by its decision, not on its own."""
    stage = stages.get_stage(key)
    return stage.decides and not isinstance(stage, stages.WritesJson)


def _searches(turns: Sequence[Assignment]) -> dict[int, int]:
    counts: dict[int, int] = {}
    rows = Event.objects.filter(assignment__in=[t.pk for t in turns], kind=Event.Kind.SEARCH)
    for pk in rows.values_list("assignment", flat=True):
        counts[pk] = counts.get(pk, 0) + 1
    return counts


def _verdicts(
    version: Version, names: Names, turns: Iterable[Assignment]
) -> list[tuple[str, int, bool]]:
    """Return (author, their turn or 0 if withdrawn, verdict) for each verdict."""
    turn_of = {a.pk: t.pk for t in turns if (a := getattr(t, "annotation", None))}
    return [
        (names.get(verdict.author, ""), turn_of.get(verdict.annotation, 0), verdict.correct)
        for verdict in version.decided.verdicts
    ]


def _whose(out: RemovedAnswer, names: Names) -> str:
    return " · ".join(f"{names.get(p.author, '')}, pair {p.number}" for p in out.places)


# --- accepted texts ----------------------------------------------------------------------------


def _blocks(
    sets: Sequence[AcceptedSetRecord], prompt: str, decided: DecisionRecord | None, names: Names
) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for number, accepted in enumerate(sets, start=1):
        title = f"Set {number} of {len(sets)}" if len(sets) > 1 else ""
        for pair in accepted.pairs:
            first = f"Question {row_letter(len(blocks))}"
            lines = [
                _line("Also accepted" if place else first, text, prompt, decided, names)
                for place, text in enumerate(pair.questions)
            ] or [OriginLine(first, (mark_changes(prompt, ""),), "The prompt question", "")]
            lines += [
                _line("Alias" if place else "Short answer", text, "", decided, names)
                for place, text in enumerate(pair.answers)
            ]
            blocks.append(Block(_joined(lines), title))
            title = ""
    return tuple(blocks)


def _line(
    label: str, text: Text, prompt: str, decided: DecisionRecord | None, names: Names
) -> OriginLine:
    """Return a text with its origin; its spans show the edit, or differences from `prompt`."""
    who, how = _origin(text, decided, names)
    edited = text.edited and text.origin is not None
    before = text.original if edited else prompt or text.text
    return OriginLine(label, (mark_changes(before, text.text),), who, how)


def _origin(text: Text, decided: DecisionRecord | None, names: Names) -> tuple[str, str]:
    by = names.get(decided.by or 0, "") if decided else ""
    if text.origin is None:
        imported = decided is not None and decided.source == Decision.Source.IMPORT
        return ("The imported file", "") if imported else (by, "added")
    if text.edited:
        edit = f"edited by {by}. The marks show the edit." if by else "edited"
        return names.get(text.origin.author, ""), edit
    people = [text.origin.author, *(place.author for place in text.also)]
    if decided is not None and len(people) == len(decided.covers) > 1:
        return ("Both" if len(people) == 2 else f"All {len(people)}"), "unchanged"
    return " · ".join(names.get(pk, "") for pk in people), "unchanged"


def _joined(lines: Sequence[OriginLine]) -> tuple[OriginLine, ...]:
    """Put aliases with the same origin on one line."""
    joined: list[OriginLine] = []
    for line in lines:
        last = joined[-1] if joined else None
        if (
            last is not None
            and line.label == "Alias"
            and last.label.startswith("Alias")
            and (last.who, last.how) == (line.who, line.how)
        ):
            joined[-1] = replace(last, label="Aliases", texts=last.texts + line.texts)
        else:
            joined.append(line)
    return tuple(joined)


# --- versions and fates ------------------------------------------------------------------------


def _versions(
    decisions: Sequence[DecisionRecord],
    now: DecisionRecord | None,
    sets: Sequence[AcceptedSetRecord],
    names: Names,
) -> tuple[Version, ...]:
    accepted = _texts(sets)
    versions = []
    for number, decision in enumerate(decisions, start=1):
        own = _texts(decision.sets)
        versions.append(
            Version(
                number=number,
                decided=decision,
                by=names.get(decision.by or 0, ""),
                now=decision is now,
                gone=tuple(text for text in own if text not in accepted),
                new=tuple(text for text in accepted if text not in own),
            )
        )
    return tuple(versions)


def _texts(sets: Sequence[AcceptedSetRecord]) -> list[str]:
    texts = (
        text.text
        for accepted_set in sets
        for pair in accepted_set.pairs
        for text in (*pair.questions, *pair.answers)
    )
    return list(dict.fromkeys(texts))


class _Fates:
    """Gives the fate of a submitted pair; None while the question has no decision."""

    def __init__(self, accepted: bool) -> None:
        self.accepted = accepted
        self.letters: dict[int, list[str]] = {}
        self.reworded: dict[str, list[str]] = {}
        self.edited: set[int] = set()
        self.reasons: dict[int, str] = {}
        self.whole = ""

    def __call__(self, pair: QAPair) -> Fate | None:
        if not self.accepted:
            return None
        if letters := self.letters.get(pair.pk):
            edited = ", edited" if pair.pk in self.edited else ""
            return Fate(f"Accepted as {_and(letters)}{edited}")
        if pair.pk in self.reasons:
            return Fate("Excluded", excluded=True, reason=self.reasons[pair.pk])
        keys = keys_of(Texts((), tuple(answer.text for answer in pair.answers.all())))
        if letters := [letter for key in keys for letter in self.reworded.get(key, ())]:
            return Fate(f"Accepted as {_and(sorted(letters))}, in other words")
        return Fate(self.whole or "Not accepted")


def _and(letters: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(letters))


def _fates(
    sets: Sequence[AcceptedSetRecord],
    decisions: Sequence[DecisionRecord],
    now: DecisionRecord | None,
    *,
    accepted: bool,
) -> _Fates:
    fates = _Fates(accepted)
    if now is not None and now.outcome == Decision.Outcome.EXCLUDED:
        fates.whole = "The question is excluded"
    pairs = [pair for accepted_set in sets for pair in accepted_set.pairs]
    for place, pair in enumerate(pairs):
        for own in pair.places:
            fates.letters.setdefault(own.pair, []).append(row_letter(place))
        for key in keys_of(Texts((), tuple(text.text for text in pair.answers))):
            fates.reworded.setdefault(key, []).append(row_letter(place))
        fates.edited |= {
            text.origin.pair
            for text in (*pair.questions, *pair.answers)
            if text.edited and text.origin
        }
    for decision in decisions:
        for out in decision.excluded:
            fates.reasons.update({place.pair: out.reason for place in out.places})
    return fates
