"""The tabs of a project's pages, in groups. Floors above add their own with `register`."""

from dataclasses import dataclass

from annotation.protocols.registry import Feature


@dataclass(frozen=True)
class Tab:
    """One page of a project. `url` is the name of its address, which takes the project's slug.

    `needs`: only projects whose protocol has this feature have the page. `content`: members who are
    not staff see the tab only where the project has rows of this relation. `role`: only people with
    this role see the tab, and staff do not: they come to the page by another one.
    """

    key: str
    label: str
    url: str
    group: str
    staff_only: bool = True
    needs: Feature | None = None
    content: str = ""
    role: str = ""


# Key and label, in the order they are shown.
GROUPS = (
    ("work", "Work"),
    ("quality", "Quality"),
    ("people", "People"),
    ("setup", "Set-up"),
    ("log", "Log"),
)
TABS: list[Tab] = [
    Tab("overview", "Overview", "project-overview", "work", staff_only=False),
    Tab("questions", "Questions", "project-questions", "work"),
    Tab("concerns", "Concerns", "concern-list", "work", needs=Feature.CONCERNS),
    Tab("monitoring", "Monitoring", "project-monitoring", "quality"),
    Tab("golds", "Gold items", "project-golds", "quality"),
    Tab("people", "Members", "project-people", "people"),
    Tab(
        "qualifications",
        "Qualifications",
        "qualification-list",
        "people",
        staff_only=False,
        content="qualifications",
    ),
    Tab("pay", "Pay", "project-pay", "people"),
    Tab("guidelines", "Guidelines", "project-guidelines", "setup", staff_only=False),
    Tab("faq", "FAQ", "project-faq", "setup", staff_only=False, content="faq"),
    Tab("rules", "Rules", "project-rules", "setup"),
    Tab("policies", "Policies", "project-policies", "setup"),
    Tab("contexts", "Contexts", "project-contexts", "setup", needs=Feature.CONTEXTS),
    Tab("settings", "Settings", "project-settings", "setup"),
    Tab("log", "Log", "project-log", "log"),
]


def register(tab: Tab, *, before: str) -> None:
    """Add a tab in front of the one with the key `before`, which may be of its group or not."""
    TABS.insert([other.key for other in TABS].index(before), tab)
