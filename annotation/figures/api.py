"""Reports for programs: which there are, and every panel of each."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.models.projects import Project
from annotation.figures import files, people, services
from annotation.figures.computed_api import (
    BROKEN,
    COMPUTING,
    RETRY_AFTER,
    build_computed_response,
    headers_described,
    not_yet,
)
from annotation.figures.filters import Filters
from annotation.figures.forms import FilterForm
from annotation.figures.queries import (
    ROWS,
    StoredReport,
    find_stored_panel,
    find_stored_report,
    place_report,
)
from annotation.figures.readers import MANAGERS
from annotation.figures.registry import Report, find_readers, find_report, list_reports
from annotation.figures.row_pages import cut_page
from annotation.rest.answers import ABSENT, REFUSED, SPLIT
from annotation.rest.base import ProjectView, refuse_empty

MOST_ROWS = 1000  # of a panel in one answer
MOST_AFTER = 10_000_000
_TEXT, _WHOLE = {"type": "string"}, {"type": "integer"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


_LISTED = _object(key=_TEXT, label=_TEXT, panels=_list(_object(key=_TEXT, title=_TEXT)))
_COLUMN = _object(key=_TEXT, label=_TEXT, unit=_TEXT)
_COLUMN["properties"]["part"] = {
    **_TEXT,
    "description": "The table of its own in which pages show it; left out of columns in sight.",
}
_PANEL = _object(
    key=_TEXT,
    title=_TEXT,
    definition=_TEXT,
    n=_WHOLE,
    counted=_TEXT,
    needs=_TEXT,
    problem={**_TEXT, "description": "Why it could not be computed; otherwise empty."},
    summary=_TEXT,
    columns=_list(_COLUMN),
    ignored=_list(_TEXT),
    whole={**_WHOLE, "description": "Number of rows, of the kind that is asked for."},
    next={
        "type": "string",
        "format": "uri",
        "nullable": True,
        "description": "Address of the rows after these; null after the last.",
    },
    rows=_list(
        {
            "type": "object",
            "description": "By the keys of the columns: a text, a number, null, a figure "
            "`{value, n, low, high}`, with a `note` where it has no interval, or a link "
            "`{text, href}`. Shares and scores are from 0 to 1.",
            "additionalProperties": {},
        }
    ),
)
_DAY = {"type": "string", "format": "date"}
_PERSON = "Pseudonym of a person, as exports have it."
PARAMETERS = [
    SPLIT,
    OpenApiParameter("since", _DAY, description="First day that counts, in UTC."),
    OpenApiParameter("until", _DAY, description="Last day that counts, in UTC."),
    OpenApiParameter("person", str, description=_PERSON),
    OpenApiParameter("other", str, description=f"{_PERSON} Compared with `person`."),
]
STATE = "Report-State"
_HEADERS = headers_described(STATE)
_ANSWERS = {
    202: COMPUTING,
    400: OpenApiResponse(dict, "A filter is not known to the report, or has no such value."),
    403: REFUSED,
    404: ABSENT,
    503: BROKEN,
}


class _Rows(serializers.Serializer[Any]):
    """Which rows of a panel are asked for."""

    kind = serializers.CharField(required=False, help_text="Only rows of this kind.")
    after = serializers.IntegerField(
        min_value=0, max_value=MOST_AFTER, default=0, help_text="How many rows to pass over."
    )
    page_size = serializers.IntegerField(min_value=1, max_value=MOST_ROWS, default=MOST_ROWS)


class ReportList(ProjectView):
    """The reports of a project, as far as one may read them."""

    check = None

    @extend_schema(
        operation_id="reports_list", responses={200: _list(_LISTED), 403: REFUSED, 404: ABSENT}
    )
    def get(self, request: Request, slug: str) -> Response:
        """Every report of the project with its panels."""
        project = self.get_project()
        listed = list_reports(project, self.person)
        if not listed:
            MANAGERS.check(self.person, project)
        return Response([_listed(project, report) for report in listed])


def _listed(project: Project, report: Report) -> dict[str, Any]:
    panels = [{"key": entry.key, "title": entry.title} for entry in report.entries(project)]
    return {"key": report.key, "label": report.label, "panels": panels}


class _ReportView(ProjectView):
    """What the views of one report share: filters, age, and the answers without figures."""

    def load_report(self) -> tuple[Project, Report]:
        """Return the project and the report of the address, if the person may read it."""
        key = self.kwargs["report"]
        self.check = find_readers(key).check
        project = self.get_project()
        if (report := find_report(project, key)) is None:
            raise Http404
        return project, report

    def stored(self) -> tuple[Project, Report, StoredReport]:
        """Return what is stored of a report, and start a job where that is out of date."""
        project, report = self.load_report()
        stored = find_stored_report(project, report, self.filters(project, report))
        opened = services.open_figures(stored, by=self.person, now=timezone.now())
        return project, report, opened

    def filters(self, project: Project, report: Report) -> Filters:
        """Read the filters; refuse those that the report does not know."""
        params = self.request.GET
        form = FilterForm(params, project=project, names=report.filters)
        refuse_empty(Request(self.request._request), form.fields)
        if unknown := sorted({*FilterForm.base_fields} & {*params} - {*form.fields}):
            raise ValidationError(dict.fromkeys(unknown, "This report has no such filter."))
        if not form.is_valid():
            raise ValidationError({name: [*sentences] for name, sentences in form.errors.items()})
        return form.filters()

    def rows_after(
        self, project: Project, report: Report, panel: Mapping[str, Any], place: int
    ) -> str | None:
        """Return the address of a panel's rows from a place on; None where there are none.

        place: 0 where the last rows were given already.
        """
        if not 0 < place < panel["whole"]:
            return None
        query = self.request.GET.copy()
        query["after"] = str(place)
        address = reverse("api-report-panel", args=[project.slug, report.key, panel["key"]])
        return self.request.build_absolute_uri(f"{address}?{query.urlencode()}")


class ReportPanels(_ReportView):
    """A report: all of its panels."""

    @extend_schema(
        operation_id="report_retrieve",
        parameters=[*PARAMETERS, *_HEADERS],
        responses={200: _object(key=_TEXT, label=_TEXT, panels=_list(_PANEL)), **_ANSWERS},
    )
    def get(self, request: Request, slug: str, report: str) -> Response:
        """Every panel with its first 50 rows; new figures are started where they are due.

        People appear under their pseudonyms within the project.
        """
        project, shown, stored = self.stored()
        called = people.pseudonymise_people(stored.panels, project)
        panels = [
            files.panel_to_records(
                panel, called, following=self.rows_after(project, shown, panel, ROWS)
            )
            for panel in stored.panels
        ]
        content = {"key": shown.key, "label": shown.label, "panels": panels}
        return build_computed_response(stored, content, name=STATE)

    @extend_schema(
        operation_id="report_create",
        request=None,
        parameters=[*PARAMETERS, RETRY_AFTER],
        responses={code: answer for code, answer in _ANSWERS.items() if code != 503},
    )
    def post(self, request: Request, slug: str, report: str) -> Response:
        """Compute the figures again, for example after that failed."""
        project, shown = self.load_report()
        filters = self.filters(project, shown)
        place = place_report(project, shown, filters)
        services.start_figures_job(place, by=self.person, now=timezone.now())
        return not_yet()


class ReportPanel(_ReportView):
    """One panel of a report."""

    @extend_schema(
        operation_id="report_panel_retrieve",
        parameters=[*PARAMETERS, _Rows, *_HEADERS],
        responses={200: _PANEL, **_ANSWERS},
    )
    def get(self, request: Request, slug: str, report: str, panel: str) -> Response:
        """The panel as it was computed last; new figures are started where they are due."""
        project, shown = self.load_report()
        if not any(entry.key == panel for entry in shown.entries(project)):
            raise Http404
        asked = _Rows(data=request.query_params)
        refuse_empty(request, asked.fields)
        asked.is_valid(raise_exception=True)
        kind = asked.validated_data.get("kind", "")
        after, size = asked.validated_data["after"], asked.validated_data["page_size"]
        _, _, stored = self.stored()
        if stored.panel(panel) is None:
            return build_computed_response(stored, None, name=STATE)
        whole = find_stored_panel(project, shown, stored.place.filters, panel)
        if whole is None:  # forgotten just now
            return not_yet()
        if kind and kind not in (kinds := [name for name, _ in whole["kinds"]]):
            known = f"one of: {', '.join(kinds)}" if kinds else "none"
            raise ValidationError({"kind": f"The kinds of rows of this panel are {known}."})
        page = cut_page(whole, kind=kind, after=after, size=size)
        called = people.pseudonymise_people([whole], project)
        following = self.rows_after(project, shown, page.panel, page.following)
        content = files.panel_to_records(page.panel, called, following=following)
        return build_computed_response(stored, content, name=STATE)
