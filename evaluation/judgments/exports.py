"""Exports of judgments: with everything known about each, and in the columns of ASQA's kit.

People appear under their pseudonym within the project; times are UTC.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from annotation.contexts.inputs import Disambiguation, inputs_of
from annotation.core.models.questions import display_form
from annotation.core.refusals import Conflict
from annotation.exports.format import JSON, JSON_LINES, Format
from annotation.exports.rows import Names
from annotation.exports.selection import Selection
from annotation.models import Project
from evaluation.consensus.models import Consensus
from evaluation.judgments import kit
from evaluation.studies import design
from evaluation.studies.models import Study
from evaluation.studies.queries import CountedJudgment, count_judgments, read_full_judgments

SCHEMA_VERSION = 1


def _begun(project: Project, selection: Selection = Selection()) -> list[Study]:  # noqa: B008
    studies = Study.objects.filter(project=project).exclude(state=Study.State.DRAFT)
    if selection.study is not None:
        studies = studies.filter(pk=selection.study)
    return list(studies.order_by("pk").select_related("project", "reference"))


def studies_of(project: Project) -> Sequence[tuple[str, str]]:
    """Return number and title of every study that has begun. One query."""
    return [(str(study.pk), f"{study.title} ({study.pk})") for study in _begun(project)]


# --- ours ------------------------------------------------------------------------------------


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield each study, its judgments in the order of items, and what experts agreed on.

    Only within a snapshot.
    """
    names = Names(project)
    for study in _begun(project, selection):
        yield orjson.dumps(_study(study))
        for judgment in read_full_judgments(study, selection, names):
            yield orjson.dumps(_judgment(study, judgment))
        rows = Consensus.objects.filter(item__study=study).select_related(
            "item__question", "made_by"
        )
        for row in rows.order_by("item__position"):
            yield orjson.dumps(_consensus(row, names))


def count_records(project: Project) -> int:
    """Return how many studies and judgments there are."""
    return len(_begun(project)) + count_judgments(project)


def _study(study: Study) -> dict[str, Any]:
    systems = study.systems.order_by("name", "version", "pk")
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "study",
        "study": study.pk,
        "title": study.title,
        "stage": study.stage,
        "state": study.state,
        "split": study.split,
        "systems": [
            {"label": str(row), "name": row.name, "version": row.version, "kind": row.kind}
            for row in systems
        ],
        "pairing": study.pairing,
        "reference": str(study.reference) if study.reference else None,
        "size": study.size,
        "seed": study.seed,
        "stratified": study.stratified,
        "raters": study.raters,
        "repeats": study.repeats,
        "accuracy": study.accuracy,
        "criteria": study.criteria,
        "steps": study.steps,
        "shown": study.shown,
        "times": {
            "created": study.created_at,
            "started": study.started_at,
            "closed": study.closed_at,
        },
    }


def _judgment(study: Study, row: CountedJudgment) -> dict[str, Any]:
    inputs = inputs_of("", orjson.loads(row.context), {})
    choices = row.response.get("choices", [])
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "judgment",
        "study": row.study,
        "item": row.position,
        "repeats": row.repeats,
        "id": row.question,
        "question": row.text,
        "prompt": display_form(row.text),
        "split": row.split,
        "left": row.left,
        "right": row.right or None,
        "found": {
            side: _found(row.response.get(side, []), inputs.disambiguations)
            for side in ("left", "right")
        },
        "choices": {
            criterion["key"]: choice["better"]
            for criterion, choice in zip(study.criteria, choices, strict=False)
        },
        "verdict": row.response.get("verdict", ""),
        "reason": row.response.get("why", ""),
        "judge": row.judge,
        "assignment": row.assignment,
        "submission": row.submission,
        "times": {
            "started": row.started,
            "submitted": row.submitted,
            "active_seconds": row.seconds,
        },
        "guideline_version": row.guideline,
    }


def _found(
    answers: Sequence[dict[str, str]], disambiguations: Sequence[Disambiguation]
) -> list[dict[str, Any]]:
    questions = [each.question for each in disambiguations]
    return [
        {
            "question": questions[place] if place < len(questions) else "",
            "found": answer["found"],
            "words": answer["words"],
        }
        for place, answer in enumerate(answers)
    ]


def _consensus(row: Consensus, names: Names) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "consensus",
        "study": row.item.study_id,
        "item": row.item.position,
        "id": row.item.question.external_id,
        "verdict": row.verdict,
        "justification": row.justification,
        "person": names[row.made_by.key],
        "times": {"made": row.created_at},
    }


JUDGMENTS = Format(
    key="judgments",
    label="Judgments",
    hint="Every study, and each judgment with its sides, choices, reason and times",
    content_type=JSON_LINES,
    records=export_records,
    count=count_records,
    studies=studies_of,
)

# --- the kit's -------------------------------------------------------------------------------


def _fits(study: Study) -> bool:
    keys = [criterion["key"] for criterion in study.criteria]
    compares = study.pairing not in design.SINGLE
    return compares and study.accuracy and sorted(keys) == sorted(kit.CRITERIA.values())


def _of_kit(project: Project, selection: Selection) -> Study | None:
    """Return the one study to export, None before the first has begun.

    Raises Conflict where none fits the kit's columns, or several do.
    """
    studies = _begun(project, selection)
    fitting = [study for study in studies if _fits(study)]
    if len(fitting) == 1 or not studies:
        return fitting[0] if fitting else None
    if fitting:
        names = ", ".join(f"{study.pk} (“{study.title}”)" for study in fitting)
        raise Conflict(f"This layout holds one study. Choose one of {names}.")
    which = f"“{studies[0].title}” does not fit" if selection.study else "No study fits"
    raise Conflict(
        f"{which} this layout, which holds comparisons of two answers with accuracy and the "
        f"criteria {', '.join(kit.CRITERIA.values())}. Choose “{JUDGMENTS.label}” instead."
    )


def kit_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield each judgment in the kit's columns; repeats are left out. Only within a snapshot."""
    study = _of_kit(project, selection)
    if study is None:
        return
    for row in read_full_judgments(study, selection, Names(project)):
        if row.repeats is None:
            yield orjson.dumps(kit.row_of(row.as_judgment(study)))


def count_of_kit(project: Project) -> int:
    """Return how many judgments there are in the layout."""
    fitting = [study.pk for study in _begun(project) if _fits(study)]
    return count_judgments(project, fitting) if fitting else 0


def _check(project: Project, selection: Selection) -> None:
    _of_kit(project, selection)


KIT = Format(
    key="judgments-asqa",
    label="Judgments, ASQA’s columns",
    hint="One comparison of two answers in each record, as ASQA’s kit for human evaluation has it",
    content_type=JSON,
    records=kit_records,
    count=count_of_kit,
    studies=studies_of,
    check=_check,
)
