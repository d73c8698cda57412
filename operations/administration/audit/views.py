"""The page of the audit, and its file."""

import csv
import io
from collections.abc import Iterator

from django.http import HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from annotation.access.loaders import UserRequest, parse_number
from annotation.exports.downloads import send_blocks
from annotation.text.spreadsheets import defuse_formula
from operations.administration.audit import queries
from operations.administration.audit.forms import AuditFilterForm
from operations.administration.audit.queries import AuditFilter
from operations.administration.frame import for_administrators, render_section

COLUMNS = ("at", "who", "what", "project", "reason")


@for_administrators
@require_safe
def audit_page(request: UserRequest) -> HttpResponse:
    """Show what staff did, newest first, narrowed down by the address."""
    form = AuditFilterForm(request.GET)
    chosen = form.read_filter()
    entries = queries.find_entries(chosen)
    if before := parse_number(request.GET.get("before", "")):
        entries = entries.filter(pk__lt=before)
    page = list(entries[: queries.PAGE + 1])
    kept = request.GET.copy()
    kept.pop("before", None)
    context = {
        "form": form,
        "chosen": chosen,
        "entries": queries.describe_page(page[: queries.PAGE]),
        "older": page[queries.PAGE - 1].pk if len(page) > queries.PAGE else None,
        "before": before,
        "kept": kept.urlencode(),
    }
    return render_section(request, "log", "audit.html", context)


@for_administrators
@require_safe
def audit_file(request: UserRequest) -> StreamingHttpResponse:
    """Send what the page shows, all of it, as CSV."""
    chosen = AuditFilterForm(request.GET).read_filter()
    return send_blocks(_write_lines(chosen), "audit.csv", "text/csv; charset=utf-8")


def _write_lines(chosen: AuditFilter) -> Iterator[bytes]:
    yield _write_line(COLUMNS)
    for each in queries.stream_entries(chosen):
        title = each.project.title if each.project else ""
        yield _write_line((each.at.isoformat(), each.who, each.deed, title, each.reason))


def _write_line(cells: tuple[str, ...]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow([defuse_formula(cell) for cell in cells])
    return line.getvalue().encode()
