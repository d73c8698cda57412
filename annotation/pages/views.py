"""The frame of every page of a project: its header and its tabs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.urls import reverse

from annotation.access.loaders import UserRequest
from annotation.access.projects import STAFF
from annotation.core.models.projects import Project
from annotation.core.refusals import roles_in
from annotation.faq.models import FaqEntry
from annotation.long_answers.concerns import queries as concerns
from annotation.pages import tabs
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.qualifications.models import Qualification
from annotation.threads import queries as threads


@dataclass(frozen=True)
class Shown:
    """A tab, or a group of tabs, as a link, with the number of things waiting in it."""

    key: str
    label: str
    address: str
    count: int
    current: bool


def project_page(request: UserRequest, project: Project, tab: str) -> dict[str, Any]:
    """Return the context that every page of a project needs. Two queries, three for staff of
    projects of long answers.

    Keys: project, section, tab, tab_groups (for staff), tabs (of the open group; all for others),
    roles, manages (researcher or admin), administers (admin).
    """
    roles = roles_in(request.user, project)
    manages = bool(STAFF & roles)
    counts = _waiting(project) if manages else {}
    shown = _tabs_of(project, roles)
    group = next((entry.group for entry in shown if entry.key == tab), "")
    inside = [entry for entry in shown if entry.group == group or not manages]
    return {
        "project": project,
        "section": "projects",
        "tab": tab,
        "tab_groups": _groups(project, shown, group, counts) if manages else [],
        "tabs": [
            Shown(
                entry.key,
                entry.label,
                reverse(entry.url, args=[project.slug]),
                counts.get(entry.key, 0),
                entry.key == tab,
            )
            for entry in inside
            if len(inside) > 1
        ],
        "group_label": dict(tabs.GROUPS).get(group, "Project") if manages else "Project",
        "roles": roles,
        "manages": manages,
        "administers": "admin" in roles,
    }


def _waiting(project: Project) -> dict[str, int]:
    counts = {"claims": threads.waiting(project.pk)}
    if protocols.of(project).has(Feature.CONCERNS):
        counts["concerns"] = concerns.waiting(project.pk)
    return counts


def _tabs_of(project: Project, roles: Collection[str]) -> list[tabs.Tab]:
    protocol = protocols.of(project)
    entries = [entry for entry in tabs.TABS if entry.needs is None or protocol.has(entry.needs)]
    if STAFF & set(roles):
        return [entry for entry in entries if not entry.role]
    # An empty list is no use to people who cannot add to it.
    filled = Project.objects.filter(pk=project.pk).values_list(
        Exists(FaqEntry.objects.filter(project=OuterRef("pk"))),
        Exists(Qualification.objects.filter(project=OuterRef("pk"))),
    )[0]
    has = dict(zip(("faq", "qualifications"), filled, strict=True))
    return [
        entry
        for entry in entries
        if (entry.role in roles if entry.role else not entry.staff_only)
        and (not entry.content or has[entry.content])
    ]


def _groups(
    project: Project, found: list[tabs.Tab], open_group: str, counts: Mapping[str, int]
) -> list[Shown]:
    shown = []
    for key, label in tabs.GROUPS:
        inside = [entry for entry in found if entry.group == key]
        if inside:
            address = reverse(inside[0].url, args=[project.slug])
            waiting = sum(counts.get(entry.key, 0) for entry in inside)
            shown.append(Shown(key, label, address, waiting, key == open_group))
    return shown
