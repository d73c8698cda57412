"""The frame every page of a project shares: its head's facts and its tabs."""

from typing import Any

from django.urls import reverse

from annotation.models import Project
from annotation.policies import roles_in
from annotation.policies.projects import STAFF
from annotation.queries import concerns, threads
from annotation.views.loaders import UserRequest

# Key, label, name of the URL, and whether only researchers and admins see it.
TABS = (
    ("overview", "Overview", "project-overview", False),
    ("questions", "Questions", "project-questions", True),
    ("claims", "Claims", "claim-list", True),
    ("concerns", "Concerns", "concern-list", True),
    ("contexts", "Contexts", "project-contexts", True),
    ("agreement", "Agreement", "project-agreement", True),
    ("people", "People", "project-people", True),
    ("monitoring", "Monitoring", "project-monitoring", True),
    ("qualifications", "Qualifications", "qualification-list", False),
    ("pay", "Pay", "project-pay", True),
    ("guidelines", "Guidelines", "project-guidelines", False),
    ("faq", "FAQ", "project-faq", False),
    ("rules", "Rules", "project-rules", True),
    ("log", "Log", "project-log", True),
    ("settings", "Settings", "project-settings", True),
)
# Only projects of long answers have these.
ASQA_ONLY = frozenset({"concerns", "contexts"})


def project_page(request: UserRequest, project: Project, tab: str) -> dict[str, Any]:
    """Return what a page of a project needs around its own context. One query, two for staff, three
    in projects of long answers.

    Keys: project, section, tab, tabs (key, label, address, how many wait there), roles, manages
    (researcher or admin), administers (admin).
    """
    roles = roles_in(request.user, project)
    manages = bool(STAFF & roles)
    asqa = project.protocol == Project.Protocol.ASQA
    counts = {"claims": threads.waiting(project.pk)} if manages else {}
    if manages and asqa:
        counts["concerns"] = concerns.waiting(project.pk)
    return {
        "project": project,
        "section": "projects",
        "tab": tab,
        "tabs": [
            (key, label, reverse(name, args=[project.slug]), counts.get(key, 0))
            for key, label, name, staff_only in TABS
            if (manages or not staff_only) and (asqa or key not in ASQA_ONLY)
        ],
        "roles": roles,
        "manages": manages,
        "administers": "admin" in roles,
    }
