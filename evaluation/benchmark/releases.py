"""The release that a public page shows: made once by a job, and then read from its own rows."""

import datetime as dt
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any

import orjson
from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.exports.arrangements import Entry
from annotation.exports.dataset import indent_json
from annotation.exports.layouts import Layout
from annotation.exports.rows import fetch_rows
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project, Question, Split
from annotation.protocols import registry as protocols
from evaluation.benchmark.models import HIDDEN, Benchmark, ReleasedQuestion
from evaluation.benchmark.records import find_reader
from evaluation.benchmark.statements import PAGES_READ
from validation.release.services import Release

RELEASE = "benchmark_release"
RELEASED = tuple(split for split in Split.values if split != HIDDEN)
_BATCH = 500


class FrozenRelease(Release):
    """A release without the test split, whose records are kept as they pass by."""

    def __init__(self, project: Project, layout: Layout) -> None:
        super().__init__(project, layout, None, None)
        self.kept: list[tuple[Entry, bytes]] = []

    def iterate_entries(self) -> Generator[Entry]:
        """Give the records of every split but the test split; count them."""
        self.policies = list(self.project.policies.order_by("stage", "split"))
        for split in RELEASED:
            with closing(self.format.iterate_entries(self.project, split, self.counts)) as entries:
                yield from entries

    def encode_entry(self, entry: Entry) -> bytes:
        """Return a record in its layout, and keep it."""
        line = super().encode_entry(entry)
        self.kept.append((entry, line))
        return line

    def build_manifest(self, file_name: str) -> bytes:
        """Return the manifest, which says that the test split is not in the file."""
        return indent_json({**orjson.loads(super().build_manifest(file_name)), "splits": RELEASED})


def list_layouts(project: Project) -> list[Layout]:
    """Return the layouts whose records a page can show."""
    return [row for row in protocols.protocol_of(project).layouts if find_reader(row)]


def get_layout(benchmark: Benchmark) -> Layout:
    """Return the layout of the release on a page. Raises KeyError where there is none."""
    return {row.key: row for row in list_layouts(benchmark.project)}[benchmark.layout]


@transaction.atomic
def start_release(*, benchmark: Benchmark, layout: str, by: User, now: dt.datetime) -> Job:
    """Make the job that puts a release on the page, or return the one under way. Staff only.

    Raises Conflict for a layout that cannot be shown.
    """
    project = benchmark.project
    check_can_manage(by, project)
    _find_layout(project, layout)
    Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    under_way = Job.objects.filter(
        project=project, kind=RELEASE, state__in=jobs_services.UNFINISHED
    ).first()
    return under_way or jobs_services.create_job(
        project=project,
        kind=RELEASE,
        options={"layout": layout},
        file_name=f"Release for the public page, {layout}",
        unit="questions",
        by=by,
        now=now,
    )


def _find_layout(project: Project, key: str) -> Layout:
    layouts = {row.key: row for row in list_layouts(project)}
    if key not in layouts:
        known = ", ".join(layouts) or "none of this protocol"
        raise Conflict(f"A public page cannot show “{key[:40]}”. It can show: {known}.")
    return layouts[key]


def run_release(work: jobs_services.RunningJob) -> None:
    """Put a release on the page."""
    job = work.job
    try:
        with jobs_services.keep_heartbeat(work):
            number = make_release(
                benchmark=Benchmark.objects.select_related("project").get(project=job.project),
                layout=job.options["layout"],
                by=job.created_by,
                now=work.clock(),
            )
            work.save(done=number, total=number, result={"questions": number})
    except (Conflict, Benchmark.DoesNotExist) as problem:
        raise jobs_services.JobProblem(str(problem)) from None


def make_release(*, benchmark: Benchmark, layout: str, by: User | None, now: dt.datetime) -> int:
    """Read the accepted work of every split but the test split, put it on the page in place of what
    was there, and return the number of questions (`by=None`: a command on the server).

    Call it outside a transaction: the release is of one moment. Raises Conflict where nothing is
    accepted, or the page cannot show the layout.
    """
    project = benchmark.project
    release = FrozenRelease(project, _find_layout(project, layout))
    for _ in release.blocks():
        pass
    if not release.kept:
        raise Conflict("No question of train or dev has an accepted answer yet.")
    _store_release(benchmark, release, by, now)
    return len(release.kept)


@transaction.atomic
def _store_release(
    benchmark: Benchmark, release: FrozenRelease, by: User | None, now: dt.datetime
) -> None:
    row = Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    row.released_questions.all().delete()
    ReleasedQuestion.objects.bulk_create(_list_rows(row, release), batch_size=_BATCH)
    name = release.file_name
    row.layout = release.format.key
    row.manifest = release.build_manifest(name).decode()
    row.card = release.build_card(name).decode()
    row.released_at = now
    row.save(update_fields=["layout", "manifest", "card", "released_at"])
    audit.record_action(
        "benchmark_released",
        row,
        by=by,
        now=now,
        project=row.project_id,
        format=row.layout,
        questions=len(release.kept),
    )


def _list_rows(benchmark: Benchmark, release: FrozenRelease) -> Iterator[ReleasedQuestion]:
    read = find_reader(release.format)
    assert read is not None  # _find_layout offers no other
    for start in range(0, len(release.kept), _BATCH):
        some = release.kept[start : start + _BATCH]
        pages = _read_pages(benchmark.project_id, [entry.id for entry, _ in some])
        for place, (entry, line) in enumerate(some, start=start + 1):
            shown = read(entry.record)
            yield ReleasedQuestion(
                benchmark=benchmark,
                position=place,
                external_id=entry.id,
                split=entry.split,
                question=shown.question,
                is_multiple=shown.is_multiple,
                shown=shown.answers,
                texts=shown.texts,
                pages=pages.get(entry.id, []),
                record=line.decode(),
                search=shown.words,
            )


def _read_pages(project: int, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the pages that people read for questions, by external id. Two queries."""
    rows = Question.objects.filter(project=project, external_id__in=ids)
    names = dict(rows.values_list("pk", "external_id"))
    pages: dict[str, list[dict[str, Any]]] = {}
    for question, title, revision, url in fetch_rows(PAGES_READ, [list(names)]):
        page = {"title": title, "revision": revision, "url": url}
        pages.setdefault(names[question], []).append(page)
    return pages


def stream_data(benchmark: Benchmark) -> Iterator[bytes]:
    """Give the file of the release again, byte for byte, from its rows."""
    arrangement = get_layout(benchmark).arrangement
    last: Entry | None = None
    rows = benchmark.released_questions.order_by("position")
    for record, split, name in rows.values_list("record", "split", "external_id").iterator(_BATCH):
        entry = Entry(None, split, name)
        yield arrangement.lead_in(last, entry) + record.encode()
        last = entry
    yield arrangement.lead_out(last, None)
