"""The design of a study as programs post it: parts of it, the others as they are proposed."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from annotation.models import Project
from evaluation.studies import overview
from evaluation.studies.form import PARTS, StudyForm
from evaluation.studies.proposal import propose_study


def complete_design(project: Project, given: Mapping[str, Any]) -> StudyForm:
    """Return the form of a study with what was given in place of what would be proposed.

    It is bound and not checked yet. criteria: a list of objects with key, label and wording.
    """
    proposal = propose_study(project, overview.read_answers_there_are(project))
    proposed = StudyForm(project=project, study=proposal.study, systems=proposal.systems).initial
    values: dict[str, Any] = {**proposed, **given}
    if (criteria := given.get("criteria")) is not None:
        of_criteria = tuple(f"{part}_" for part in PARTS)
        values = {name: v for name, v in values.items() if not name.startswith(of_criteria)}
        values["criteria"] = len(criteria)
        values |= {
            f"{part}_{place}": text
            for place, row in enumerate(criteria)
            for part, text in row.items()
        }
    data = QueryDict(mutable=True)
    for name, value in values.items():
        rows = value if isinstance(value, list | tuple) else [value]
        texts = [
            str(getattr(row, "pk", row)) for row in rows if row is not None and row is not False
        ]
        data.setlist(name, texts)
    return StudyForm(data, project=project)
