"""The frame of every page of a project: its header and its tabs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from annotation.access.loaders import UserRequest
from annotation.access.projects import STAFF
from annotation.core.models.projects import Project
from annotation.core.refusals import roles_in
from annotation.extensions.parts import Tab
from annotation.extensions.registry import all_extensions
from annotation.protocols import registry as protocols

# Groups of tabs: key and label, in the order they are shown.
GROUPS = (
    ("work", "Work"),
    ("quality", "Quality"),
    ("people", "People"),
    ("setup", "Set-up"),
    ("log", "Log"),
)


@dataclass(frozen=True)
class TabLink:
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
    shown = _tabs_of(project, roles)
    counts = _waiting(shown, project) if manages else {}
    group = next((entry.group for entry in shown if entry.key == tab), "")
    inside = [entry for entry in shown if entry.group == group or not manages]
    return {
        "project": project,
        "section": "projects",
        "tab": tab,
        "tab_groups": _groups(project, shown, group, counts) if manages else [],
        "tabs": [
            TabLink(
                entry.key,
                entry.label,
                reverse(entry.url, args=[project.slug]),
                counts.get(entry.key, 0),
                entry.key == tab,
            )
            for entry in inside
            if len(inside) > 1
        ],
        "group_label": dict(GROUPS).get(group, "Project") if manages else "Project",
        "roles": roles,
        "manages": manages,
        "administers": "admin" in roles,
    }


def _waiting(shown: Collection[Tab], project: Project) -> dict[str, int]:
    return {tab.key: tab.waiting(project.pk) for tab in shown if tab.waiting is not None}


def _tabs_of(project: Project, roles: Collection[str]) -> list[Tab]:
    protocol = protocols.protocol_of(project)
    tabs = all_extensions().tabs
    entries = [entry for entry in tabs if entry.needs is None or protocol.has_feature(entry.needs)]
    if STAFF & set(roles):
        return [entry for entry in entries if not entry.role]
    # An empty list is no use to people who cannot add to it.
    lists = {entry.key: entry.filled for entry in entries if entry.filled is not None}
    row = Project.objects.filter(pk=project.pk).values_list(*lists.values())[0] if lists else ()
    filled = dict(zip(lists, row, strict=True))
    return [
        entry
        for entry in entries
        if (entry.role in roles if entry.role else not entry.staff_only)
        and filled.get(entry.key, True)
    ]


def _groups(
    project: Project, found: list[Tab], open_group: str, counts: Mapping[str, int]
) -> list[TabLink]:
    shown = []
    for key, label in GROUPS:
        inside = [entry for entry in found if entry.group == key]
        if inside:
            address = reverse(inside[0].url, args=[project.slug])
            waiting = sum(counts.get(entry.key, 0) for entry in inside)
            shown.append(TabLink(key, label, address, waiting, key == open_group))
    return shown
