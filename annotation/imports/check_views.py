"""The way of a file into a project: what it is, what becomes of it, and then its import."""

from collections.abc import Mapping
from typing import Any, BinaryIO
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access.data import check_can_import
from annotation.access.loaders import UserRequest, get_project
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Split
from annotation.core.refusals import Conflict
from annotation.imports import downloads, queries, uploads
from annotation.imports.adapters import (
    adapter_of,
    annotated_formats,
    formats_of,
    list_left_out,
)
from annotation.imports.check_forms import DRAWN, ImportChoices, UploadForm, read_choices
from annotation.imports.checks import CHECKED_BYTES, UploadCheck, check_upload
from annotation.imports.columns import SPLIT, USES
from annotation.imports.detection import MAPPED
from annotation.imports.formats import WrongFormat
from annotation.imports.forms import ImportForm
from annotation.imports.import_rules import NO_RULES, ImportRules, parse_rules
from annotation.imports.not_taken import list_not_taken
from annotation.imports.query_filters import FILTERS
from annotation.imports.recognition import RecognisedFile, recognise_file, remember_columns
from annotation.imports.refused_lines import find_layout
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.uploads.requests import upload_refusal

SHOWN_PROBLEMS = 20
_LOOKED_FOR = ("jsonl", "table")  # formats that the columns of a file stand for


def show_import(
    request: UserRequest,
    project: Project,
    form: UploadForm | None = None,
    format_form: ImportForm | None = None,
) -> HttpResponse:
    """The page where a file is chosen, with what is wrong with one that was sent."""
    bound = [each for each in (form, format_form) if each is not None]
    earlier = queries.imports_of(project)
    context = project_page(request, project, "overview") | {
        "upload_form": form or UploadForm(),
        "import_form": format_form or import_form(project, earlier[0] if earlier else None),
        "imports": earlier,
        "formats": formats_of(project),
        "choosing": format_form is not None,
        "most_mb": settings.IMPORT_MAX_BYTES // 1024**2,
    }
    status = 422 if bound else 200
    return render(request, "annotation/imports/import_create.html", context, status=status)


def import_form(project: Project, last: Job | None) -> ImportForm:
    """Return the empty form, with the format and the split of the last import."""
    options = last.options if last else {}
    initial = {key: options[key] for key in ("format", "split") if options.get(key)}
    return ImportForm(project=project, initial=initial)


def take_upload(request: UserRequest, project: Project) -> HttpResponse:
    """Store what was sent, and lead to the page that says what it is."""
    form = UploadForm(request.POST, request.FILES, refused=upload_refusal(request))
    if not form.is_valid():
        return show_import(request, project, form)
    file, name = form.make_file()
    upload = uploads.keep_upload(
        project=project, file=file, file_name=name, by=request.user, now=timezone.now()
    )
    return redirect("import-check", project.slug, upload.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def import_check(request: UserRequest, slug: str, upload_id: int) -> HttpResponse:
    """What a file is and what importing it would do; a POST imports it, or shows other choices."""
    project = get_project(request, slug, check_can_import)
    upload = uploads.get_upload(project, upload_id)
    if job := upload.options.get("job"):
        return redirect("job-detail", slug, job)
    data: Mapping[str, Any] = request.POST if request.method == "POST" else request.GET
    try:
        check, choices = _check(upload, project, data)
    except WrongFormat as problem:
        context = _page(request, project, upload) | {"problem": problem}
        return render(request, "annotation/imports/import_unreadable.html", context, status=422)
    shows = request.method != "POST" or "show" in request.POST
    if not shows and not check.problem:
        return _start(request, upload, check, choices)
    context = _page(request, project, upload) | _shown(project, check, choices)
    context["query"] = urlencode(
        [(key, value) for key, value in data.items() if key not in ("csrfmiddlewaretoken", "show")]
    )
    status = 200 if shows else 422
    return render(request, "annotation/imports/import_check.html", context, status=status)


@require_safe
def import_problems(request: UserRequest, slug: str, upload_id: int) -> HttpResponse:
    """Download the lines that cannot be taken, with the reasons, or as they are in the file."""
    project = get_project(request, slug, check_can_import)
    upload = uploads.get_upload(project, upload_id)
    try:
        check, _ = _check(upload, project, request.GET)
    except WrongFormat as problem:
        raise Conflict(str(problem)) from None
    errors = downloads.list_lines(check.check.tally.as_json()) if check.check else []
    if request.GET.get("shape") != "file":
        return downloads.problems_file(errors)
    with upload.file.open("rb") as stored:
        return downloads.refused_file(stored.file, check.found.reading, errors)


def _check(
    upload: Job, project: Project, data: Mapping[str, Any]
) -> tuple[UploadCheck, ImportChoices]:
    if not upload.file:
        raise Conflict("The uploaded file is no longer here. Choose it again.")
    with upload.file.open("rb") as stored:
        file: BinaryIO = stored.file
        choices = read_choices(data, (), bool(data))
        found = recognise_file(project, file, format=choices.format, strict=False)
        choices = read_choices(data, found.detection.names, bool(data))
        rules, problem = _read_rules(choices)
        if choices.changes and found.is_mapped:
            try:
                found = recognise_file(
                    project, file, format=choices.format, changes=choices.changes, strict=False
                )
            except ValueError as error:
                problem = str(error)
        try:
            check = check_upload(
                project, file, found, choices.split, _finished(found, choices), rules
            )
        except (Conflict, WrongFormat) as refusal:
            check = UploadCheck(found, (), None, str(refusal))
    return (check if not problem else UploadCheck(found, (), None, problem)), choices


def _read_rules(choices: ImportChoices) -> tuple[ImportRules, str]:
    """Return what was chosen of a file's questions, and what is wrong with it, "" if nothing."""
    try:
        if not (choices.seed.isascii() and choices.seed.isdigit() and len(choices.seed) < 12):
            raise ValueError("The seed should be a whole number.")
        shares = " ".join(f"{split}={share or 0}" for split, share in choices.shares.items())
        return parse_rules(choices.filters, shares * choices.drawn, int(choices.seed)), ""
    except ValueError as problem:
        return NO_RULES, str(problem)


def _finished(found: RecognisedFile, choices: ImportChoices) -> bool:
    return choices.finished and not found.is_mapped


def _start(
    request: UserRequest, upload: Job, check: UploadCheck, choices: ImportChoices
) -> HttpResponse:
    found, now = check.found, timezone.now()
    job = uploads.import_upload(
        upload=upload,
        reading=found.reading,
        split=choices.split,
        strict=choices.strict,
        finished=_finished(found, choices),
        closed=choices.closed and not _finished(found, choices),
        rules=_read_rules(choices)[0],
        by=request.user,
        now=now,
    )
    if choices.remember and found.reading.mapping is not None:
        remember_columns(upload.project, found.detection.names, found.reading.mapping, now=now)
    return redirect("job-detail", upload.project.slug, job.pk)


def _page(request: UserRequest, project: Project, upload: Job) -> dict[str, Any]:
    return project_page(request, project, "overview") | {"upload": upload}


def _shown(project: Project, check: UploadCheck, choices: ImportChoices) -> dict[str, Any]:
    """Return what the page shows of a check."""
    found, tally = check.found, check.check.tally if check.check else None
    finished = [kind.key for kind in annotated_formats(project)]
    errors = tally.errors if tally else []
    mapping = found.reading.mapping
    return {
        "check": check,
        "found": found,
        "choices": choices,
        "uses": list(USES.items()),
        "formats": [kind for kind in formats_of(project) if kind.key not in _LOOKED_FOR],
        "mappable": found.detection.mapped is not None,
        "mapped": MAPPED,
        "splits": _splits(project),
        "completion": adapter_of(project).describe_completion(found.reading.format),
        "drawn": DRAWN,
        "filters": list(FILTERS.values()),
        "left_out": list_left_out(tally.left_out) if tally else [],
        "not_taken": list_not_taken(tally.not_taken) if tally else [],
        "parts": tally.parts if tally else [],
        "values": _values_of_splits(found),
        "separator": mapping.separator if mapping else "",
        "tally": tally,
        "checked_mb": CHECKED_BYTES // 1_000_000,
        "errors": errors[:SHOWN_PROBLEMS],
        "rejected": tally.rejected if tally else 0,
        "copied": bool(errors) and find_layout(found.reading) != "",
        "taken": tally.created + tally.updated if tally else 0,
        "opens": count_openings(project, check.check.splits) if check.check else 0,
        "by_split": sorted(check.check.splits.items()) if check.check else [],
        "may_finish": found.reading.format in finished,
        "may_close": not adapter_of(project).closing_problem(project),
    }


def _splits(project: Project) -> list[tuple[str, int]]:
    """Return every split with the number of its questions. One query."""
    rows = project.questions.order_by().values_list("split").annotate(Count("pk"))
    counts = dict(rows)
    return [(split, counts.get(split, 0)) for split in ("dev", "test", "train")]


def _values_of_splits(found: RecognisedFile) -> list[tuple[str, str]]:
    """Return the values of the column of splits, each with the split that it becomes."""
    mapping = found.reading.mapping
    column = mapping.find_column(SPLIT) if mapping else None
    if mapping is None or column is None:
        return []
    values = dict.fromkeys(str(each.get(column) or "") for each in found.detection.sample)
    return [
        (value, mapping.splits.get(value, value if value in Split.values else ""))
        for value in list(values)[:20]
        if value
    ]


def count_openings(project: Project, splits: Mapping[str, int]) -> int:
    """Return how many assignments new questions open in the first stage. One query."""
    first = protocols.protocol_of(project).stages[0]
    people = StagePolicy.objects.filter(project=project, stage=first).values_list("split", "people")
    return sum(splits.get(split, 0) * number for split, number in people)
