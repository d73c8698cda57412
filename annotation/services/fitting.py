"""Fit what a file gives to the protocol of the project it goes into."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from annotation import formats
from annotation.formats import BadLine, Format, LeftOut, QuestionRecord, Read
from annotation.long_answers import arriving
from annotation.models import Project, StagePolicy
from annotation.policies import Conflict
from annotation.stages import LONG_ANSWERS
from wikipedia.models import Snapshot

AMBIGQA, ASQA = "ambigqa", "asqa"


def formats_of(project: Project) -> list[Format]:
    """Return the formats that can go into a project of its protocol, the likeliest first."""
    found = formats.FORMATS.values()
    if project.protocol == ASQA:
        return sorted(found, key=lambda each: (each.annotates != ASQA, not each.annotates))
    return [each for each in found if each.annotates in ("", project.protocol)]


def check_format(project: Project, format: str) -> None:
    """Raise Conflict, with the sentence, where no record of the format fits the project."""
    kind = formats.FORMATS[format]
    if project.protocol != ASQA and kind.annotates == ASQA:
        raise Conflict(
            f"{kind.label} holds questions for long answers, with their disambiguations, and this "
            f"is a project of {project.protocol_label}. Import it into an ASQA project."
        )
    if project.protocol == ASQA and kind.key == "nq-open" and not question_only(project):
        raise Conflict(
            f"{kind.label} has no disambiguations, and writers of this project are given them. "
            "Import ASQA or AmbigNQ, or let the policy of a split give writers only the question."
        )


def question_only(project: Project) -> frozenset[str]:
    """Return the splits whose writers are given the question alone (S9). One query."""
    policies = StagePolicy.objects.filter(
        project=project, stage=LONG_ANSWERS, inputs=StagePolicy.Inputs.QUESTION
    )
    return frozenset(policies.values_list("split", flat=True))


def counted(project: Project, format: str) -> dict[str, int]:
    """Return the reasons for which records of the format may be left out, each with 0."""
    converts = project.protocol == ASQA and formats.FORMATS[format].annotates == AMBIGQA
    return dict.fromkeys(arriving.REASONS, 0) if converts else {}


def problems_of(project: Project) -> Callable[[QuestionRecord, str], str]:
    """Return a function that says why a record cannot go into a split, "" where it can."""
    if project.protocol != ASQA:
        return lambda record, split: ""
    alone = question_only(project)
    return lambda record, split: arriving.problem_of(record, split, question_only=split in alone)


def fitted(project: Project, format: str, reads: Iterator[Read]) -> Iterator[Read]:
    """Give the records as the project's protocol has them."""
    if not counted(project, format):
        yield from reads
        return
    articles = articles_of(project.snapshot)
    for read in reads:
        if isinstance(read.found, QuestionRecord):
            read = read._replace(found=_converted(read.number, read.found, articles))
        yield read


def _converted(
    number: int, record: QuestionRecord, articles: str
) -> QuestionRecord | BadLine | LeftOut:
    try:
        return arriving.from_ambignq(record, articles)
    except ValueError as error:
        return BadLine(f"Record {number}, “{record.external_id}”: {error}")


def articles_of(snapshot: Snapshot) -> str:
    """Return the address under which the articles of a snapshot's wiki lie on the web."""
    address = snapshot.address
    if snapshot.kind == Snapshot.Kind.LIVE:
        parts = urlsplit(address)
        address = f"{parts.scheme}://{parts.netloc}/wiki/" if parts.netloc else ""
    if not address:
        return f"https://{snapshot.language}.wikipedia.org/wiki/"
    return address if address.endswith("/") else f"{address}/"
