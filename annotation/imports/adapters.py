"""Fit imported records to the protocol of the project."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from accounts.models import User
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.refusals import Conflict
from annotation.imports.formats import FORMATS, Format, QuestionRecord, ReadRecord
from annotation.protocols import registry as protocols


class ImportAdapter:
    """Takes records unchanged. A protocol with further requirements has a subclass."""

    # Reasons to leave records out of an import, with the words for them.
    reasons: Mapping[str, str] = {}

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


def fitting_of(project: Project) -> ImportAdapter:
    """Return the object that fits records to the project's protocol."""
    return protocols.protocol_of(project).fitting


def formats_of(project: Project) -> list[Format]:
    """Return the formats that can be imported into the project, the likeliest first."""
    return [FORMATS[key] for key in protocols.protocol_of(project).formats_in]


def annotated_formats(project: Project) -> list[Format]:
    """Return the formats whose annotations the project can take as accepted work."""
    finisher = protocols.protocol_of(project).finisher
    return [FORMATS[key] for key in finisher.formats] if finisher else []


def check_format(project: Project, format: str) -> None:
    """Raise Conflict, with a sentence for the person, where no record of the format fits."""
    kind = FORMATS[format]
    if format not in protocols.protocol_of(project).formats_in:
        homes = " or ".join(p.label for p in protocols.list_protocols() if format in p.formats_in)
        raise Conflict(
            f"{kind.label} does not fit a project of {project.protocol_label}. "
            f"Import it into an {homes} project."
        )
    fitting_of(project).check_format_fits(project, kind)


def left_out_labels() -> dict[str, str]:
    """Return the words for every reason to leave a record out, whatever the protocol."""
    return {
        reason: label
        for protocol in protocols.list_protocols()
        for reason, label in protocol.fitting.reasons.items()
    }


def left_out_in_words(counts: Mapping[str, int]) -> str:
    """Return how many records were left out, as a phrase with the reasons; "" if there are none."""
    return ", ".join(
        f"{counts[reason]:,} {label}"
        for reason, label in left_out_labels().items()
        if reason in counts
    )
