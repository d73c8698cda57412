"""Make a project with the set-up of an existing one, without its questions, people and work."""

import datetime as dt

from django.db import transaction
from django.forms.models import model_to_dict

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.consent.queries import newest_text
from annotation.consent.services import words_of
from annotation.core import audit
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.qualifications import Qualification
from annotation.extensions.registry import all_extensions
from annotation.faq.models import FaqEntry
from annotation.golds import services as golds_services
from annotation.projects import services as projects
from annotation.qualifications.models import QualificationItem

# The fields that identify a project, and those that only refer to its own questions and people.
_OWN = {"id", "slug", "title", "protocol", "state", "snapshot", "created_by", "reference_date"}


@transaction.atomic
def duplicate_project(
    *, source: Project, slug: str, title: str, by: User, now: dt.datetime
) -> Project:
    """Create a project with the settings, policies, rules, gold items, guidelines, consent text,
    qualifications and FAQ of another, and what extensions add to it; `by`, who must be staff there,
    becomes its admin and researcher.

    Qualifications begin as drafts, and no one has passed them. Raises Conflict where the slug is
    taken, Denied where the snapshot can no longer be used.
    """
    check_can_manage(by, source)
    newest = source.guidelines.order_by("-version").first()
    text = newest_text(source)
    made = projects.create_project(
        slug=slug,
        title=title,
        protocol=source.protocol,
        snapshot=source.snapshot,
        reference_date=source.reference_date,
        guidelines=newest.body if newest else "",
        consent=words_of(text) if text else None,
        by=by,
        now=now,
    )
    settings = model_to_dict(source, exclude=_OWN)
    Project.objects.filter(pk=made.pk).update(**settings)
    exams = _qualifications(source, made, by, now)
    _policies(source, made, exams)
    golds_services.copy_plans(source, made)
    FaqEntry.objects.bulk_create(
        FaqEntry(
            project=made,
            question=entry.question,
            answer=entry.answer,
            position=entry.position,
            changed_by=by,
            created_at=now,
            changed_at=now,
        )
        for entry in source.faq.all()
    )
    for copy_set_up in all_extensions().set_up_copies:
        copy_set_up(source, made, by=by, now=now)
    audit.record_action(
        "project_duplicated", made, by=by, now=now, project=made, source=source.slug
    )
    made.refresh_from_db()
    return made


def _qualifications(
    source: Project, made: Project, by: User, now: dt.datetime
) -> dict[int, Qualification]:
    """Copy the qualifications with their items; return the copies by the id of the original."""
    version = 1 if made.guidelines.exists() else 0
    copies: dict[int, Qualification] = {}
    for original in source.qualifications.prefetch_related("items"):
        items = list(original.items.all())
        copy = Qualification.objects.get(pk=original.pk)
        copy.pk, copy.project, copy.state = None, made, Qualification.State.DRAFT
        copy.guideline_version, copy.created_by, copy.created_at = version, by, now
        copy.save(force_insert=True)
        for item in items:
            item.pk, item.qualification = None, copy
        QualificationItem.objects.bulk_create(items)
        copies[original.pk] = copy
    return copies


def _policies(source: Project, made: Project, exams: dict[int, Qualification]) -> None:
    """Copy the policies. One that requires a qualification requires the copy of it."""
    StagePolicy.objects.filter(project=made).delete()
    policies = list(source.policies.all())
    for policy in policies:
        policy.pk, policy.project = None, made
        policy.suggestions = ""  # the copy has no questions that could have any
        if policy.qualification_id is not None:
            policy.qualification = exams[policy.qualification_id]
    StagePolicy.objects.bulk_create(policies)
