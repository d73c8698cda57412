"""Titles and sentences for jobs, by kind."""

from dataclasses import dataclass

from annotation.core.models.jobs import Job


@dataclass(frozen=True)
class Words:
    """The words for a kind of job. `counts`: keys of its result with their labels.

    refused: how the page calls the records that its result counts as rejected.
    """

    title: str
    failed: str
    stop: str
    counts: tuple[tuple[str, str], ...]
    refused: str = "rejected"


IMPORT = Words(
    title="Import of questions",
    failed="The import did not finish",
    stop="Stop, and keep what is imported",
    counts=(
        ("created", "new"),
        ("updated", "updated"),
        ("unchanged", "unchanged"),
        ("rejected", "rejected"),
    ),
)
CONTEXTS = Words(
    title="Search for context paragraphs",
    failed="The search did not finish",
    stop="Stop, and keep what is found",
    counts=(
        ("found", "paragraphs found"),
        ("without", "without one"),
        ("given", "given in the file"),
        ("opened", "taken in the meantime"),
        ("pages_missing", "pages not found"),
    ),
)
AGREEMENT = Words(
    title="Figures of agreement",
    failed="The figures could not be computed",
    stop="Stop",
    counts=(),
)
RESULTS = Words(
    title="Results of a study",
    failed="The results could not be computed",
    stop="Stop",
    counts=(),
)
REPORT = Words(
    title="Figures of a report",
    failed="The figures could not be computed",
    stop="Stop",
    counts=(),
)
PREDICT = Words(
    title="Answers of a baseline",
    failed="The baseline did not finish",
    stop="Stop, and keep what is stored",
    counts=(
        ("created", "new"),
        ("changed", "changed"),
        ("unchanged", "unchanged"),
        ("kept", "kept because a study uses them"),
        ("rejected", "without an answer"),
    ),
    refused="without an answer",
)
SUGGEST = Words(
    title="Suggestions of a baseline",
    failed="The baseline did not finish",
    stop="Stop, and keep what is stored",
    counts=(
        ("created", "questions with new suggestions"),
        ("unchanged", "had them before"),
        ("rejected", "without any"),
    ),
    refused="without any suggestion",
)
SCORE = Words(
    title="Scores of systems",
    failed="The systems could not be scored",
    stop="Stop, and keep what is read",
    counts=(
        ("read", "texts read"),
        ("unchanged", "read before"),
        ("scored", "systems scored"),
    ),
)
VECTORS = Words(
    title="Vectors of passages",
    failed="The vectors were not finished",
    stop="Stop, and continue another time",
    counts=(),
)
OUTPUTS = Words(
    title="Import of answers",
    failed="The answers were not imported",
    stop="Stop the import",
    counts=(
        ("created", "new"),
        ("changed", "changed"),
        ("unchanged", "unchanged"),
        ("rejected", "not matched"),
    ),
    refused="not matched",
)
JUDGMENTS = Words(
    title="Import of judgments",
    failed="The judgments were not imported",
    stop="Stop the import",
    counts=(
        ("judgments", "judgments"),
        ("questions", "questions"),
        ("judges", "raters"),
    ),
)
_WORDS = {
    "import": IMPORT,
    "bring": IMPORT,
    "contexts": CONTEXTS,
    "agreement": AGREEMENT,
    "study_results": RESULTS,
    "report": REPORT,
    "predict": PREDICT,
    "suggest": SUGGEST,
    "score": SCORE,
    "vectors": VECTORS,
    "outputs": OUTPUTS,
    "judgments": JUDGMENTS,
}


def title_of(kind: str) -> str:
    """Return the title of a kind of job."""
    return _WORDS[kind].title if kind in _WORDS else kind.replace("_", " ").capitalize()


def words_of(job: Job) -> Words:
    """Return the words for a job."""
    return _WORDS[job.kind]


def outcome_said(job: Job) -> str:
    """Return the outcome of a finished job without a file, as one sentence."""
    words = words_of(job)
    if job.state == Job.State.FAILED:
        return f"{words.failed}: {job.problem}"
    ended = "stopped" if job.state == Job.State.CANCELLED else "finished"
    if note := job.result.get("note"):
        return str(note)
    counts = ", ".join(f"{job.result.get(key, 0):,} {label}" for key, label in words.counts)
    return f"{words.title} {ended}{': ' if counts else ''}{counts}."
