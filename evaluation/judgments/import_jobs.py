"""Imports of judgments as jobs."""

import datetime as dt
from functools import partial
from typing import Any, BinaryIO, cast

from django.core.files.base import File
from django.db import transaction

from accounts.models import User
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from evaluation.imports import files
from evaluation.judgments import judgment_files, setup_files, setups
from evaluation.judgments import services as judgments
from evaluation.judgments.imported_judgments import BadRows
from evaluation.systems.policies import check_can_import_outputs

JUDGMENTS = "judgments"


@transaction.atomic
def start_judgments(
    *,
    project: Project,
    file: "File[bytes]",
    file_name: str,
    title: str = "",
    raters: int | None = None,
    by: User,
    now: dt.datetime,
) -> Job:
    """Store a file of judgments and make the job that imports it (`judgments.import_judgments`).

    A set-up file has pairs that are yet to be judged, each by `raters` people (`setups`).
    Staff only. Raises WrongFormat where the file is too large, not UTF-8 or plainly something else,
    Conflict where the study has no title or one that is too long.
    """
    check_can_import_outputs(by, project)
    content = cast(BinaryIO, file.file)
    judgment_files.check_size(content)
    beginning, whole = files.beginning_of(content)
    options: dict[str, Any] = {}
    if setup_files.is_setup(beginning):
        options = {"raters": raters or 1}
        title = setups.check_setup(title, raters or 1)
    else:
        title = judgments.title_of(judgment_files.design_in(beginning, whole=whole), title)
    files.check_utf8(content)
    return jobs_services.create_job(
        project=project,
        kind=JUDGMENTS,
        options={"title": title, **options},
        file=file,
        file_name=file_name,
        unit="rows",
        by=by,
        now=now,
    )


def run_judgments(work: jobs_services.RunningJob) -> None:
    """Read the file, then make the study, unless it is there."""
    if "study_id" in work.job.result:
        return  # its worker was lost after everything was stored
    options = work.job.options
    is_setup = "raters" in options
    count = setup_files.count_pairs if is_setup else judgment_files.count_records
    with files.open_uploaded_file(work) as file:
        work.save(done=0, total=count(file))
        chosen: dict[str, Any] = {
            "project": work.job.project,
            "file": file,
            "title": options["title"],
            "by": work.job.created_by,
            "now": work.clock(),
            "on_read": partial(files.save_place, work),
        }
        try:
            if is_setup:
                setups.import_setup(
                    **chosen,
                    raters=options["raters"],
                    on_store=lambda imported: work.save(result=_begun(imported)),
                )
            else:
                judgments.import_judgments(
                    **chosen, on_store=lambda imported: work.save(result=_made(imported))
                )
        except BadRows as bad:
            rows = [
                {"line": number, "name": f"Row {number:,}", "reason": row.sentence}
                for number, row in bad.rows
            ]
            work.save(result={"rejected": bad.count, "errors": rows})
            raise jobs_services.JobProblem(bad.summary) from None


def _begun(imported: setups.SetupImport) -> dict[str, Any]:
    note = (
        f"The study “{imported.title}” asks for judgments of {imported.pairs:,} pairs from now on."
    )
    counts = {"judgments": 0, "questions": imported.questions, "judges": 0}
    return {**counts, "study_id": imported.study, "pairs": imported.pairs, "note": note}


def _made(imported: judgments.JudgmentImport) -> dict[str, Any]:
    counts = ("judgments", "questions", "judges")
    made: dict[str, Any] = {
        name: 0 if imported.again else getattr(imported, name) for name in counts
    }
    note = f"The study “{imported.title}” has these judgments already. Nothing was imported."
    made |= {"study_id": imported.study, "again": imported.again}
    return made | ({"note": note} if imported.again else {})
