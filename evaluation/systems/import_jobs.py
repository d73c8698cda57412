"""Imports of answers as jobs."""

import datetime as dt
from collections.abc import Mapping
from functools import partial
from typing import Any, BinaryIO, cast

from django.core.files.base import File
from django.db import transaction

from accounts.models import User
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.imports import files
from evaluation.systems import formats, output_files
from evaluation.systems import services as systems
from evaluation.systems.matching import SystemImportReport
from evaluation.systems.models import System
from evaluation.systems.policies import check_can_import_outputs

OUTPUTS = "outputs"


@transaction.atomic
def start_outputs(
    *,
    project: Project,
    file: "File[bytes]",
    file_name: str,
    name: str,
    version: str = "",
    kind: str = System.Kind.MODEL,
    options: Mapping[str, Any] | None = None,
    annotation: int = 0,
    by: User,
    now: dt.datetime,
) -> Job:
    """Store a file of answers and make the job that imports it (`systems.import_outputs`).

    Staff only. Raises WrongFormat where the file is too large, not UTF-8 or plainly something else,
    Conflict where the system cannot be called so.
    """
    check_can_import_outputs(by, project)
    name, version = systems.clean_name_and_version(name, version)
    content = cast(BinaryIO, file.file)
    systems.check_size(content)
    own = output_files.find_file(project)
    formats.check_format(files.beginning_of(content)[0], annotation, own)
    files.check_utf8(content)
    asked = {"name": name, "version": version, "system_kind": kind, "annotation": annotation}
    return jobs_services.create_job(
        project=project,
        kind=OUTPUTS,
        options=asked | {"settings": None if options is None else dict(options)},
        file=file,
        file_name=file_name,
        unit="records",
        by=by,
        now=now,
    )


def run_outputs(work: jobs_services.RunningJob) -> None:
    """Read the file, then store what matches."""
    job, options = work.job, work.job.options
    if "system_id" in job.result:
        return  # its worker was lost after everything was stored
    with files.open_uploaded_file(work) as file:
        own = output_files.find_file(job.project)
        work.save(done=0, total=formats.count_records(file, options["annotation"], own))
        systems.import_outputs(
            project=job.project,
            file=file,
            name=options["name"],
            version=options["version"],
            kind=options["system_kind"],
            options=options["settings"],
            annotation=options["annotation"],
            by=job.created_by,
            now=work.clock(),
            on_read=partial(files.save_place, work),
            on_store=lambda system, report: work.save(result=_stored(job.project, system, report)),
        )


def _stored(project: Project, system: System, report: SystemImportReport) -> dict[str, Any]:
    scored = protocols.protocol_of(project).has_feature(Feature.SCORES)
    return {
        "system_id": system.pk,
        "splits": systems.splits_of(system) if scored else [],
        "created": report.created,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "rejected": report.refused,
        "errors": report.lines,
    }
