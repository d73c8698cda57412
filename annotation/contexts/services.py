"""Find the context paragraphs of a project's questions, as a job (S21).

Only questions that no one has opened are touched, so that a writer's inputs never change.
Locks as everywhere (annotation.work.seats): question, then task. The project is locked before
them, because its threshold decides whether a new paragraph is shown.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

from accounts.models import User
from annotation.contexts.choice import BestParagraph, CandidateParagraph, best_paragraphs
from annotation.contexts.inputs import Inputs, inputs_of
from annotation.contexts.models import ContextParagraph, ContextSearch
from annotation.contexts.policies import check_can_choose_contexts, check_has_contexts
from annotation.contexts.searches import JOB_KIND, count_unsearched, search_values
from annotation.contexts.statements import LOCK_THRESHOLD, NEXT_UNSEARCHED, STILL_UNOPENED
from annotation.core import audit
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.work.seats import lock_questions
from annotation.work.tasks import lock_tasks
from wikipedia.models import Snapshot
from wikipedia.providers.base import ProviderUnavailable

if TYPE_CHECKING:
    from wikipedia.articles.page_texts import PageTexts

_BATCH = 50
_MISSING_NAMED = 20
_SILENT = 3  # failures in a row that mean the wiki is unavailable, not one page


@dataclass
class ParagraphCounts:
    """The outcome of the questions looked at. Pages count once for each question that names them.

    `given`: disambiguations imported with a paragraph; `found`: those for which one was found;
    `shown`: found and not below the threshold; `without`: those with none. `opened`: questions
    taken by someone in the meantime, or changed by an import, and left as they were.
    """

    questions: int = 0
    opened: int = 0
    disambiguations: int = 0
    given: int = 0
    found: int = 0
    shown: int = 0
    without: int = 0
    pages: int = 0
    pages_missing: int = 0
    missing: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the result of a job: the counts, and the first titles that were missing."""
        return asdict(self)


@dataclass(frozen=True)
class _SearchedQuestion:
    """A question with the text that paragraphs are searched for."""

    pk: int
    inputs: Inputs
    titles: tuple[str, ...]
    fingerprint: str


def search_contexts(
    *,
    project: Project,
    now: Callable[[], dt.datetime],
    again_before: dt.datetime | None = None,
    tally: ParagraphCounts | None = None,
    on_save: Callable[[int, ParagraphCounts], None] = lambda done, tally: None,
    on_step: Callable[[], None] = lambda: None,
) -> ParagraphCounts:
    """Look for the paragraphs of every question that waits for them, one transaction each.

    A run after an interrupted one continues with the remaining questions. `on_save` is called
    in the transaction of each question, `on_step` before each page. A page that the wiki cannot
    give does not stop the run: ProviderUnavailable is raised at the end, or once three questions
    in a row have failed. Raises Conflict where the project has no long answers.
    """
    check_has_contexts(project)
    tally = tally or ParagraphCounts()
    # It loads the parser of HTML, which no import of questions needs.
    from wikipedia.articles.page_texts import PageTexts

    texts = PageTexts(project.snapshot)
    unread: ProviderUnavailable | None = None
    in_a_row = 0
    for asked in _asked(project, again_before):
        try:
            found, missing = _search(asked, texts, on_step)
        except ProviderUnavailable as problem:
            unread, in_a_row = problem, in_a_row + 1
            if in_a_row == _SILENT:
                break
            continue
        in_a_row = 0
        with transaction.atomic():
            _store(project, asked, found, missing, tally, now())
            on_save(tally.questions + tally.opened, tally)
    if unread is not None:
        raise unread
    return tally


def _asked(project: Project, again_before: dt.datetime | None) -> Iterator[_SearchedQuestion]:
    after = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                NEXT_UNSEARCHED.format(batch=_BATCH), search_values(project, again_before, after)
            )
            rows = dict(cursor.fetchall())
        if not rows:
            return
        after = max(rows)
        for question in Question.objects.filter(pk__in=rows).order_by("pk"):
            inputs = inputs_of(question.prompt, question.context, {})
            yield _SearchedQuestion(
                question.pk, inputs, _titles(inputs, question.context), rows[question.pk]
            )


def _titles(inputs: Inputs, context: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the titles of the pages that the question names, each once."""
    pairs = context.get("qa_pairs")
    named = [each.get("wikipage") for each in pairs or () if isinstance(each, dict)]
    titles = [page.title for page in inputs.pages] + [each for each in named if each]
    words = [each.split() for each in titles if isinstance(each, str)]
    return tuple(dict.fromkeys(" ".join(each) for each in words if each))


def _search(
    asked: _SearchedQuestion, texts: "PageTexts", on_step: Callable[[], None]
) -> tuple[list[BestParagraph], list[str]]:
    """Return the best paragraphs, and the titles that have no page."""
    wanted = [each for each in asked.inputs.disambiguations if each.context is None]
    candidates: list[CandidateParagraph] = []
    missing = []
    for title in asked.titles if wanted else ():
        on_step()
        page = texts.find_page(title)
        if page is None:
            missing.append(title)
        elif all(page.path != each.path for each in candidates):
            candidates += [
                CandidateParagraph(text, page.title, page.path, page.rev_id, page.url)
                for text in page.paragraphs
            ]
    return best_paragraphs(wanted, candidates), missing


def _store(
    project: Project,
    asked: _SearchedQuestion,
    found: list[BestParagraph],
    missing: list[str],
    tally: ParagraphCounts,
    now: dt.datetime,
) -> None:
    """Write the paragraphs, unless someone has opened the question or an import has changed it."""
    threshold = _threshold(project)
    lock_questions([asked.pk])
    lock_tasks([asked.pk])
    if not _is_still(asked):
        tally.opened += 1
        return
    ContextParagraph.objects.filter(question=asked.pk).delete()
    ContextParagraph.objects.bulk_create(
        ContextParagraph(
            question_id=asked.pk,
            position=each.position,
            text=each.paragraph.text,
            title=each.paragraph.title,
            path=each.paragraph.path,
            url=each.paragraph.url,
            rev_id=each.paragraph.rev_id,
            score=each.score,
            shown=each.score >= threshold,
            created_at=now,
        )
        for each in found
    )
    ContextSearch.objects.update_or_create(
        question_id=asked.pk,
        defaults={
            "fingerprint": asked.fingerprint,
            "pages": len(asked.titles),
            "missing": missing,
            "created_at": now,
        },
    )
    _count(tally, asked, found, missing, threshold)


def _count(
    tally: ParagraphCounts,
    asked: _SearchedQuestion,
    found: list[BestParagraph],
    missing: list[str],
    threshold: float,
) -> None:
    every = asked.inputs.disambiguations
    given = sum(each.context is not None for each in every)
    tally.questions += 1
    tally.disambiguations += len(every)
    tally.given += given
    tally.found += len(found)
    tally.shown += sum(each.score >= threshold for each in found)
    tally.without += len(every) - given - len(found)
    tally.pages += len(asked.titles)
    tally.pages_missing += len(missing)
    new = [title for title in missing if title not in tally.missing]
    tally.missing += new[: max(0, _MISSING_NAMED - len(tally.missing))]


def _threshold(project: Project) -> float:
    """Return the threshold, locked until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_THRESHOLD, [project.pk])
        return float(cursor.fetchone()[0])


def _is_still(asked: _SearchedQuestion) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(STILL_UNOPENED, [asked.pk, asked.fingerprint])
        return cursor.fetchone() is not None


def forget_changed(questions: Iterable[Question]) -> None:
    """Delete the paragraphs of disambiguations that these questions, not saved yet, replace.

    A paragraph refers to its disambiguation by position, and must not be shown with another one.
    The caller holds the questions' locks.
    """
    new = {question.pk: question.context.get("qa_pairs") for question in questions}
    stored = Question.objects.filter(pk__in=new, context_search__isnull=False)
    known = stored.values_list("pk", "context__qa_pairs")
    gone = [pk for pk, pairs in known if pairs != new[pk]]
    if gone:
        ContextParagraph.objects.filter(question__in=gone).delete()
        ContextSearch.objects.filter(question__in=gone).delete()


def record_search(*, project: Project, tally: ParagraphCounts, now: dt.datetime) -> None:
    """Write the audit row of a search that had no job (the command)."""
    counts = {key: value for key, value in tally.as_json().items() if key != "missing"}
    audit.record_action("contexts_searched", project, by=None, now=now, project=project, **counts)


# --- as a job ------------------------------------------------------------------------------


@transaction.atomic
def start_search_job(*, project: Project, again: bool = False, by: User, now: dt.datetime) -> Job:
    """Make the job that looks for paragraphs, or return the one that is under way.

    With `again`, also search questions searched before, as long as no one has opened them.
    """
    check_can_choose_contexts(by, project)
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two clicks, one job
    job = find_unfinished_job(project)
    if job is not None:
        if again and not job.options.get("again"):
            raise Conflict(
                "A search for paragraphs is running. Wait until it ends, or stop it first."
            )
        return job
    if not count_unsearched(project, again_before=now if again else None):
        raise Conflict("No question needs a search: all of them were searched or opened before.")
    return _create(project, again=again, by=by, now=now)


@transaction.atomic
def start_after_import(*, project: Project, by: User, now: dt.datetime) -> Job | None:
    """Make the job where an import left questions without paragraphs, unless one waits already.

    The import has checked the permission. A running job may have passed the new questions, so it
    does not count.
    """
    if not protocols.protocol_of(project).has_feature(Feature.CONTEXTS) or not count_unsearched(
        project
    ):
        return None
    if Job.objects.filter(project=project, kind=JOB_KIND, state=Job.State.QUEUED).exists():
        return None
    return _create(project, again=False, by=by, now=now)


def find_unfinished_job(project: Project) -> Job | None:
    """Return the newest unfinished job of this kind."""
    open_ones = Job.objects.filter(
        project=project, kind=JOB_KIND, state__in=jobs_services.UNFINISHED
    )
    return open_ones.order_by("-pk").first()


def _create(project: Project, *, again: bool, by: User, now: dt.datetime) -> Job:
    return jobs_services.create_job(
        project=project, kind=JOB_KIND, options={"again": again}, unit="questions", by=by, now=now
    )


def run_job(work: jobs_services.RunningJob) -> None:
    """Run a job from where it stopped. Progress is saved with each question."""
    job = work.job
    again_before = job.started_at if job.options.get("again") else None
    tally = ParagraphCounts(**job.result) if job.result else ParagraphCounts()
    if job.total is None:
        work.save(total=count_unsearched(job.project, again_before=again_before))
    with ExitStack() as stack:
        if job.project.snapshot.kind == Snapshot.Kind.LIVE:
            # Readers have priority, so one page of a live wiki may take minutes.
            stack.enter_context(jobs_services.keep_heartbeat(work))
        try:
            search_contexts(
                project=job.project,
                now=work.clock,
                again_before=again_before,
                tally=tally,
                on_save=partial(_save, work),
                on_step=work.write_heartbeat,
            )
        except ProviderUnavailable as problem:
            raise jobs_services.JobProblem(
                f"{problem} What was found is kept; search again to continue from there."
            ) from None


def _save(work: jobs_services.RunningJob, done: int, tally: ParagraphCounts) -> None:
    # Questions may have been added while the job ran.
    work.save(done=done, total=max(work.job.total or 0, done), result=tally.as_json())


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    return start_search_job(project=job.project, again=job.options["again"], by=by, now=now)
