"""The result of each submission of one person.

Nothing here says who validated, or which other annotator wrote what: of others only accepted
texts are read.
"""

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.db.models import Max

from accounts.models import User
from annotation import prepared
from annotation.models import Annotation, Assignment, AuditEntry, KeptWarning, Question
from annotation.queries import concerns
from annotation.stages import GENERATION, LONG_ANSWERS, VALIDATION
from validation.comparing import Compared, Texts, nearest
from validation.models import AcceptedAnnotation, Decision, ExcludedAnswer

PAGE = 30


class Status(StrEnum):
    """The result of one submission.

    A validator's verdict comes first: WRITTEN and CHANGED are judged correct, INCORRECT is not.
    Without a verdict (all answers match, nobody validates, staff decided) CHANGED has every answer
    accepted, PARTLY some and OTHER none.
    """

    WAITING = "waiting"
    WRITTEN = "written"
    CHANGED = "changed"
    PARTLY = "partly"
    INCORRECT = "incorrect"
    OTHER = "other"
    EXCLUDED = "excluded"
    LEFT_OUT = "left_out"
    RETURNED = "returned"


LABELS = {
    Status.WAITING: "Waiting",
    Status.WRITTEN: "Accepted as written",
    Status.CHANGED: "Accepted with a change",
    Status.PARTLY: "Partly accepted",
    Status.INCORRECT: "Judged incorrect",
    Status.OTHER: "Another answer accepted",
    Status.EXCLUDED: "Question excluded",
    Status.LEFT_OUT: "Paid, not used",
    Status.RETURNED: "Returned to you",
}
TONES = {
    Status.WRITTEN: "success",
    Status.CHANGED: "warning",
    Status.PARTLY: "warning",
    Status.INCORRECT: "error",
    Status.OTHER: "error",
    Status.EXCLUDED: "error",
    Status.LEFT_OUT: "error",
    Status.RETURNED: "warning",
}

# A text without case, punctuation and articles, near enough to metrics.text.answer_key to tell
# whether two sets have an answer in common.
_KEY = r"regexp_replace(lower({0}), '\m(a|an|the)\M|[^[:alnum:]]', '', 'g')"
_SAME = f"{_KEY.format('mine.text')} = {_KEY.format('theirs.text')}"
_SHARED = f"""EXISTS (
          SELECT 1 FROM annotation_answer mine
          JOIN validation_acceptedannotation s ON s.decision_id = d.id
          JOIN validation_acceptedpair r ON r.accepted_id = s.id
          JOIN validation_acceptedanswer theirs ON theirs.pair_id = r.id
          WHERE mine.pair_id = p.id AND {_SAME})"""  # noqa: S608 - constants of this module
_OWN = "EXISTS (SELECT 1 FROM annotation_qapair p WHERE p.annotation_id = n.id AND {0})"
_SOME, _NOT_ALL = _OWN.format(_SHARED), _OWN.format(f"NOT {_SHARED}")
# Whether every answer of annotation n is accepted by decision d, in whatever words.
ALL_ACCEPTED = f"({_SOME} AND NOT {_NOT_ALL})"
# Whether annotation n is an accepted set of decision d, or one has just its pairs with all their
# texts.
AS_WRITTEN = """EXISTS (
          SELECT 1 FROM validation_acceptedannotation s
          WHERE s.decision_id = d.id AND (s.annotation_id = n.id OR (
            s.kind = n.kind
            AND (SELECT count(*) FROM validation_acceptedpair r WHERE r.accepted_id = s.id)
              = (SELECT count(*) FROM annotation_qapair p WHERE p.annotation_id = n.id)
            AND NOT EXISTS (
              SELECT 1 FROM annotation_qapair p WHERE p.annotation_id = n.id AND NOT EXISTS (
                SELECT 1 FROM validation_acceptedpair r WHERE r.accepted_id = s.id
                AND (s.kind = 'single' OR EXISTS (
                  SELECT 1 FROM validation_acceptedquestion x
                  WHERE x.pair_id = r.id AND x.text = p.question))
                AND NOT EXISTS (
                  SELECT 1 FROM annotation_answer w WHERE w.pair_id = p.id AND NOT EXISTS (
                    SELECT 1 FROM validation_acceptedanswer f
                    WHERE f.pair_id = r.id AND f.text = w.text)))))))"""

# One row per submission of a person, and its result. A decision counts while the state of the
# question is its outcome; without one, what was submitted is what is accepted. Where a validator
# judged the annotation, their verdict decides; where staff decided, only what is accepted does.
# Work of other stages (an audit is blind) has no result of its own.
_MINE = f"""
    SELECT a.id, a.submitted_at,
      CASE
        WHEN a.state <> 'submitted' THEN 'returned'
        WHEN NOT a.used THEN 'left_out'
        WHEN q.state = 'excluded' THEN 'excluded'
        WHEN q.state NOT IN ('accepted', 'edited', 'auto_accepted') THEN 'waiting'
        WHEN d.id IS NULL THEN 'written'
        WHEN n.id IS NULL THEN CASE WHEN v.assignment_id = a.id THEN 'written' ELSE 'other' END
        WHEN judged.correct IS FALSE THEN 'incorrect'
        WHEN {AS_WRITTEN} THEN 'written'
        WHEN judged.correct OR {ALL_ACCEPTED} THEN 'changed'
        WHEN {_SOME} THEN 'partly'
        ELSE 'other'
      END AS status
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    LEFT JOIN annotation_annotation n ON n.assignment_id = a.id
    LEFT JOIN validation_decision d
      ON d.question_id = q.id AND d.in_force AND d.outcome = q.state
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN validation_verdict judged
      ON judged.validation_id = v.id AND judged.annotation_id = n.id
    WHERE a.user_id = %(user)s::bigint AND a.stage IN ('generation', 'validation', 'long_answers')
      AND a.stage <> 'audit' -- nothing becomes of it but figures
      AND (a.state = 'submitted' OR (a.state IN ('active', 'parked') AND a.staff_note <> ''))
      AND (%(project)s::bigint = 0 OR a.project_id = %(project)s::bigint)
"""  # noqa: S608 - constants of this module
_PAGE = f"""
    SELECT id, status FROM ({_MINE}) mine
    WHERE (%(status)s::text = '' OR status = %(status)s::text)
      AND (%(before)s::bigint = 0 OR id < %(before)s::bigint)
    ORDER BY id DESC LIMIT %(most)s::bigint
"""  # noqa: S608
_TOLD = f"SELECT id, status FROM ({_MINE}) mine WHERE id = ANY(%(ids)s::bigint[])"  # noqa: S608
_COUNTS = f"SELECT status, count(*) FROM ({_MINE}) mine GROUP BY status"  # noqa: S608
_TALLY = f"""
    SELECT count(*) FILTER (WHERE status IN ('written', 'changed', 'partly', 'incorrect', 'other')),
           count(*) FILTER (WHERE status IN ('written', 'changed'))
    FROM ({_MINE}) mine WHERE submitted_at >= %(since)s
"""  # noqa: S608
_ONE = f"SELECT status FROM ({_MINE}) mine WHERE id = %(assignment)s::bigint"  # noqa: S608


@dataclass(frozen=True)
class Submission:
    """One line of the list."""

    assignment: Assignment
    status: Status

    @property
    def label(self) -> str:
        return LABELS[self.status]

    @property
    def tone(self) -> str:
        return TONES.get(self.status, "")


def submissions(
    user: User, *, project: int = 0, status: str = "", before: int = 0
) -> list[Submission]:
    """Return up to PAGE + 1 submissions of a person, newest first. Two queries.

    Shown with each: how much feedback is new, and the state of its newest thread.
    """
    values = {"user": user.pk, "project": project, "status": status, "before": before}
    rows = prepared.fetch(_PAGE, values | {"most": PAGE + 1})
    turns = (
        Assignment.objects.filter(pk__in=[row[0] for row in rows])
        .select_related("task__question", "project")
        .prefetch_related("threads", "feedback_on")
        .in_bulk()
    )
    return [Submission(turns[pk], Status(status)) for pk, status in rows]


def counts(user: User, *, project: int = 0) -> dict[Status, int]:
    """Return how many submissions have each status. One query."""
    rows = dict(prepared.fetch(_COUNTS, {"user": user.pk, "project": project}))
    return {status: rows[status.value] for status in Status if status.value in rows}


def outcomes(user: User, assignments: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return label and tone for a person's submissions, but for an audit's. One query."""
    if not assignments:
        return {}
    rows = prepared.fetch(_TOLD, {"user": user.pk, "project": 0, "ids": list(assignments)})
    found = {pk: Status(status) for pk, status in rows}
    return {pk: (LABELS[status], TONES.get(status, "")) for pk, status in found.items()}


def tally(user: User, *, since: dt.datetime) -> tuple[int, int]:
    """Return of a person's submissions since then how many have a result, and how many of those
    are accepted. An excluded question says nothing about its answers. One query."""
    values = {"user": user.pk, "project": 0, "since": since}
    [(decided, accepted)] = prepared.fetch(_TALLY, values)
    return decided, accepted


@dataclass(frozen=True)
class Outcome:
    """The result of one submission, with all that its author may read of it.

    `decided_at` is shown as a day only: the minute could tell who it was. `sets` are the accepted
    sets but for one's own; `pairs` compare one's own with the nearest of them, with the reason
    where one was excluded. `kept` are the warnings that the author kept.
    """

    status: Status
    reason: str = ""
    decided_at: dt.datetime | None = None
    by_team: bool = False
    own: tuple[Texts, ...] = ()
    none_reason: str = ""
    pairs: tuple[Compared, ...] = ()
    sets: tuple[tuple[Texts, ...], ...] = field(default=())
    kept: tuple[KeptWarning, ...] = ()

    @property
    def accepted(self) -> int:
        """How many of one's own answers are accepted."""
        return sum(pair.own is not None and pair.accepted is not None for pair in self.pairs)

    @property
    def label(self) -> str:
        return LABELS[self.status]

    @property
    def tone(self) -> str:
        return TONES.get(self.status, "")


def outcome_of(assignment: Assignment) -> Outcome | None:
    """Return the outcome of a person's own submission; None while it never was one."""
    values = {"user": assignment.user_id, "project": 0, "assignment": assignment.pk}
    found = prepared.fetch(_ONE, values)
    if not found:
        return None
    status = Status(found[0][0])
    question = assignment.task.question
    annotation = (
        Annotation.objects.filter(assignment=assignment)
        .prefetch_related("pairs__answers", "kept_warnings")
        .first()
    )
    decision = _decision(question)
    own = tuple(_texts_of(annotation)) if annotation else ()
    sets = _sets(decision) if decision and assignment.stage == GENERATION else []
    others = tuple(texts for accepted, texts in sets if not annotation or accepted != annotation.pk)
    compared = status in _COMPARED
    pairs = nearest(own, [texts for _, texts in sets]) if compared and sets else []
    reasons = _reasons(decision, annotation) if pairs and decision and annotation else {}
    return Outcome(
        status=status,
        reason=_reason(assignment, status, decision),
        decided_at=_decided_at(assignment, status, decision),
        by_team=decision is not None and decision.source == Decision.Source.STAFF,
        own=own,
        none_reason=annotation.none_reason if annotation else "",
        pairs=tuple(
            replace(pair, reason=reasons.get(pair.own.pk, "")) if pair.own else pair
            for pair in pairs
        ),
        sets=others if compared else (),
        kept=tuple(annotation.kept_warnings.all()) if annotation else (),
    )


_COMPARED = frozenset(
    {Status.WRITTEN, Status.CHANGED, Status.PARTLY, Status.INCORRECT, Status.OTHER}
)


def _reasons(decision: Decision, annotation: Annotation) -> dict[int, str]:
    """Return by one's own pairs why a validator excluded them. One query."""
    rows = ExcludedAnswer.pairs.through.objects.filter(
        excludedanswer__decision=decision, qapair__annotation=annotation
    )
    return dict(rows.values_list("qapair_id", "excludedanswer__reason"))


def _reason(assignment: Assignment, status: Status, decision: Decision | None) -> str:
    """Return why it came to this. A question of long answers is excluded after a concern."""
    if status in (Status.WAITING, Status.RETURNED):
        return ""
    if assignment.stage == LONG_ANSWERS and status == Status.EXCLUDED:
        upheld = concerns.exclusion(assignment.task.question)
        return upheld.note if upheld else ""
    return _told(decision)


def _told(decision: Decision | None) -> str:
    """Return the reason that is for the annotators: why it is excluded, what the team changed."""
    if decision is None:
        return ""
    excluded = decision.outcome == Decision.Outcome.EXCLUDED
    return decision.reason if excluded or decision.source == Decision.Source.STAFF else ""


def _decision(question: Question) -> Decision | None:
    return Decision.objects.filter(question=question, in_force=True, outcome=question.state).first()


def _texts_of(annotation: Annotation) -> list[Texts]:
    return [
        Texts(
            (pair.question,) if pair.question else (),
            tuple(answer.text for answer in pair.answers.all()),
            pair.pk,
        )
        for pair in annotation.pairs.all()
    ]


def _sets(decision: Decision) -> list[tuple[int | None, tuple[Texts, ...]]]:
    """Return the accepted sets, each with the annotation that it is. Four queries."""
    rows = AcceptedAnnotation.objects.filter(decision=decision).prefetch_related(
        "pairs__questions", "pairs__answers"
    )
    return [
        (
            each.annotation_id,
            tuple(
                Texts(
                    tuple(question.text for question in pair.questions.all()),
                    tuple(answer.text for answer in pair.answers.all()),
                )
                for pair in each.pairs.all()
            ),
        )
        for each in rows
    ]


def _decided_at(
    assignment: Assignment, status: Status, decision: Decision | None
) -> dt.datetime | None:
    """Return when the result came about; None while there is none."""
    if status in (Status.WAITING, Status.RETURNED):
        return None
    if status == Status.LEFT_OUT:
        entries = AuditEntry.objects.filter(
            target=f"assignment:{assignment.pk}", action="assignment_left_out"
        )
        left_out: dt.datetime | None = entries.aggregate(at=Max("at"))["at"]
        return left_out or assignment.submitted_at
    if decision is not None:
        return decision.created_at
    # Nobody decided: the last of the answers did.
    stage = GENERATION if assignment.stage == VALIDATION else assignment.stage
    answers = Assignment.objects.filter(
        task__question=assignment.task.question_id, stage=stage, state="submitted", used=True
    )
    last: dt.datetime | None = answers.aggregate(at=Max("submitted_at"))["at"]
    return last


def filters(found: dict[Status, int], chosen: str) -> Sequence[tuple[str, str, int, bool]]:
    """Return the choices of the list: value, label, count, whether it is the one shown."""
    total = sum(found.values())
    return [
        ("", "All", total, not chosen),
        *((each.value, LABELS[each], found.get(each, 0), each.value == chosen) for each in Status),
    ]
