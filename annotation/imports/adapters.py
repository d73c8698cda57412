"""What a protocol tells imports: which files it reads, and what their records become."""

import datetime as dt
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from accounts.models import User
from annotation.core.models.audit import AuditEntry
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.imports.formats import (
    Format,
    LeftOut,
    QuestionRecord,
    ReadRecord,
    all_formats,
    get_format,
)
from annotation.imports.query_filters import REASONS
from annotation.protocols import registry as protocols

ANNOTATIONS = "annotations"
"""The key of a record's context under which the annotations of its file are."""
MOST_ANNOTATIONS = 1_000


class AcceptedWorkEffect(NamedTuple):
    """The effect of a file's accepted work on an existing question: a problem, or a change."""

    problem: str = ""
    changed: bool = False


class ImportAdapter:
    """Takes records of some formats unchanged. A protocol with more to say has a subclass.

    `formats` are keys, the likeliest first.
    """

    # Reasons to leave records out of an import, with the words for them.
    reasons: Mapping[str, str] = {}
    # The formats whose annotations can be taken as accepted work.
    finished_formats: tuple[str, ...] = ()
    # The keys of a record's context that are then stored in rows of their own, and nowhere else.
    finished_keys: tuple[str, ...] = ()
    # The format in which a project gives its accepted work to others, "" where it gives none.
    gives: str = ""
    # Those in which it takes such work from projects of other protocols.
    takes: tuple[str, ...] = ()
    # How many records are written at once; fewer where each takes long to complete.
    most_at_once: int = 500

    def __init__(self, *formats: str) -> None:
        self.formats = formats

    # --- which records fit ----------------------------------------------------------------------

    def formats_for(self, project: Project) -> tuple[str, ...]:
        """Return the keys of the formats that a project takes, the likeliest first."""
        return self.formats

    def check_format_fits(self, project: Project, format: Format) -> None:
        """Raise Conflict, with a sentence for people, if no record of the format can be taken."""

    def zero_counts(self, format: str) -> dict[str, int]:
        """Return the reasons for which records of the format may be left out, each with 0."""
        return {}

    def problems_of(self, project: Project) -> Callable[[QuestionRecord, str], str]:
        """Return a function that says why a record cannot go into a split, "" where it can."""
        return lambda record, split: ""

    def adapt_records(
        self, project: Project, format: str, reads: Iterator[ReadRecord]
    ) -> Iterator[ReadRecord]:
        """Yield the records in the form that the protocol needs."""
        return reads

    def complete_record(self, project: Project, record: QuestionRecord) -> QuestionRecord | LeftOut:
        """Return the record with what has to be looked for, once, before it is written.

        Checks do without. Raises ProviderUnavailable where a Wikipedia does not answer.
        """
        return record

    def describe_completion(self, format: str) -> str:
        """Return what is looked for while records of a format are written; "" if nothing is."""
        return ""

    def closing_problem(self, project: Project) -> str:
        """Return why no question can be imported closed, to be opened later; "" where they can."""
        return ""

    # --- what they become -----------------------------------------------------------------------

    def replacement_problem(self, known: Question, record: QuestionRecord) -> str:
        """Return why a record cannot replace a question in work, "" where it can."""
        return ""

    def store_attachments(self, questions: Sequence[tuple[Question, QuestionRecord]]) -> None:
        """Keep what is `beside` the records of new and changed questions, in rows of its own.

        The caller holds the questions' locks.
        """

    def clean_up_replaced(self, questions: Iterable[Question]) -> None:
        """Clean up for these questions, locked and not saved yet, whose context changes."""

    def follow_up_import(self, project: Project, *, by: User, now: dt.datetime) -> None:
        """Start what an import that a job has finished leaves to do."""

    def undo_problem(self, job: Job) -> str:
        """Return why an import cannot be undone, "" where it can. Its questions are locked."""
        return ""

    # --- finished work --------------------------------------------------------------------------

    def unfinished_problem(self, record: QuestionRecord) -> str:
        """Return why the record has no work that could be accepted, "" if it has."""
        annotations = annotations_of(record)
        if not annotations:
            return (
                "It has no annotations, so there is nothing to accept. "
                "Import it without “finished” to have it answered here."
            )
        if len(annotations) > MOST_ANNOTATIONS:
            return f"It has {len(annotations):,} annotations. The maximum is {MOST_ANNOTATIONS:,}."
        return ""

    def read_finished(self, question_ids: Sequence[int]) -> Mapping[int, Any]:
        """Return what `effect_of_finished` needs to know of these questions, by id."""
        return {}

    def effect_of_finished(
        self, question: Question, record: QuestionRecord, before: Any, worked: bool
    ) -> AcceptedWorkEffect:
        """Return what accepting the work in the record would do to a question.

        `before`: what `read_finished` has read of it, or None; `worked`: whether people have
        worked on it here.
        """
        return AcceptedWorkEffect()

    def write_finished(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write the work in the records as accepted. The caller holds the questions' locks."""

    def give_accepted(
        self, project: Project, split: str, *, by: User | None, now: dt.datetime
    ) -> Generator[bytes]:
        """Yield the accepted work of a split in blocks, as a file of the format that it `gives`."""
        yield from ()


def annotations_of(record: QuestionRecord) -> list[Any]:
    """Return the annotations that a file has for its record."""
    found = record.context.get(ANNOTATIONS)
    return found if isinstance(found, list) else []


def find_effects(
    adapter: ImportAdapter, known: Sequence[tuple[Question, QuestionRecord]]
) -> Mapping[int, AcceptedWorkEffect]:
    """Return what accepting the work in records would do to these questions; keys are their ids.

    One query, besides those of `read_finished`.
    """
    ids = [question.pk for question, _ in known]
    before = adapter.read_finished(ids)
    work = Assignment.objects.filter(task__question__in=ids)
    worked = set(work.values_list("task__question", flat=True))
    return {
        question.pk: adapter.effect_of_finished(
            question, record, before.get(question.pk), question.pk in worked
        )
        for question, record in known
    }


def log_replaced(
    action: str,
    replaced: Iterable[tuple[Question, Mapping[str, Any]]],
    *,
    by: User | None,
    now: dt.datetime,
) -> None:
    """Log that accepted work was replaced by that of a file. One statement."""
    AuditEntry.objects.bulk_create(
        AuditEntry(
            at=now,
            actor=by.pk if by else None,
            project=question.project_id,
            action=action,
            target=f"question:{question.pk}",
            data={**data, "source": "import"},
        )
        for question, data in replaced
    )


# --- of a project -------------------------------------------------------------------------------


def adapter_of(project: Project) -> ImportAdapter:
    """Return the object that says what a project imports."""
    return protocols.protocol_of(project).imports


def formats_of(project: Project) -> list[Format]:
    """Return the formats that can be imported into the project, the likeliest first."""
    return [all_formats()[key] for key in adapter_of(project).formats_for(project)]


def annotated_formats(project: Project) -> list[Format]:
    """Return the formats whose annotations the project can take as accepted work."""
    return [all_formats()[key] for key in adapter_of(project).finished_formats]


def sources_of(project: Project) -> list[str]:
    """Return the keys of the protocols whose accepted work the project can take."""
    takes = adapter_of(project).takes
    return [each.key for each in protocols.list_protocols() if each.imports.gives in takes]


def stands_for(format: Format) -> str:
    """Return the key by which protocols know a format; one made for a file is plain JSONL."""
    return format.key if format.key in all_formats() else "jsonl"


def check_format(project: Project, format: str | Format, *, finished: bool = False) -> None:
    """Raise Conflict, with a sentence for the person, where no record of the format fits.

    `finished`: or where the format has no annotations that the project can accept.
    """
    kind, adapter = get_format(format), adapter_of(project)
    key = stands_for(kind)
    if key not in adapter.formats_for(project):
        homes = [p.label for p in protocols.list_protocols() if key in p.imports.formats]
        raise Conflict(
            f"{kind.label} does not fit a project of {project.protocol_label}. "
            f"Import it into an {' or '.join(homes)} project."
        )
    adapter.check_format_fits(project, kind)
    if not finished or kind.key in adapter.finished_formats:
        return
    if not adapter.finished_formats:
        raise Conflict(
            f"No work of the protocol {project.protocol_label} can be imported as "
            "finished. Import the questions without their annotations."
        )
    name = annotated_formats(project)[0].label.partition(",")[0]
    what = "annotations of another kind" if kind.annotated else "questions without annotations"
    raise Conflict(
        f"{kind.label} holds {what}, so none of them is finished. "
        f"Choose an {name} file, or import the questions to be answered."
    )


def check_closed(project: Project, *, closed: bool, finished: bool) -> None:
    """Raise Conflict where questions are to stay closed that cannot, or that no one is given."""
    if closed and finished:
        raise Conflict(
            "No one is asked to answer questions whose answers are accepted, so they cannot be "
            "opened later. Choose one of the two."
        )
    if closed and (problem := adapter_of(project).closing_problem(project)):
        raise Conflict(problem)


def left_out_labels() -> dict[str, str]:
    """Return the words for every reason to leave a record out, whatever the protocol."""
    return REASONS | {
        reason: label
        for protocol in protocols.list_protocols()
        for reason, label in protocol.imports.reasons.items()
    }


def list_left_out(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the words for each reason to leave records out, with how many were."""
    labels = left_out_labels()
    return [(labels[reason], counts[reason]) for reason in labels if reason in counts]


def left_out_in_words(counts: Mapping[str, int]) -> str:
    """Return how many records were left out, as a phrase with the reasons; "" if there are none."""
    return ", ".join(f"{number:,} {label}" for label, number in list_left_out(counts))
