"""The curve of a training as a file."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse
from django.template.loader import render_to_string

from annotation.models import Job
from modeling.training import curves


def send_curve(job: Job, form: str) -> HttpResponse:
    """Return the curve that a job has now, in one of `CURVE_FORMATS`, as a file not cached."""
    name = str(job.options.get("key") or job.pk)
    content = _RENDER[form](job.result or {}, name)
    response = HttpResponse(content, content_type=curves.CURVE_FORMATS[form])
    response["Content-Disposition"] = f'attachment; filename="{name}-curve.{form}"'
    response["Cache-Control"] = "private, no-store"
    return response


def _render_svg(curve: Mapping[str, Any], name: str) -> str:
    context = {"plots": curves.list_plots(curve), "name": name}
    return render_to_string("modeling/training/curve.svg", context).strip()


_RENDER: Final = {
    "json": lambda curve, name: curves.render_json(curve),
    "csv": lambda curve, name: curves.render_csv(curve),
    "svg": _render_svg,
}
