"""What a project’s own pages adds to the rooms below."""

from collections.abc import Mapping
from typing import Any

from annotation.core.models.projects import StagePolicy
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
    Tab,
)
from annotation.stages import registry as stages


def _name(row: Mapping[str, Any]) -> str:
    return f"{stages.label_of(row['stage'])}, {row['split']}"


EXTENSION = Extension(
    key="annotation.projects",
    tabs=(
        Tab("overview", "Overview", "project-overview", "work", 10, staff_only=False),
        Tab("guidelines", "Guidelines", "project-guidelines", "setup", 150, staff_only=False),
        Tab("rules", "Rules", "project-rules", "setup", 170),
        Tab("policies", "Policies", "project-policies", "setup", 180),
        Tab("settings", "Settings", "project-settings", "setup", 200),
        Tab("log", "Log", "project-log", "log", 210),
    ),
    log=(
        LogEntries(
            {
                "guidelines_published": "{who} published version {version} of [the guidelines].",
                "people_changed": (
                    "{who} changed how many people [{what}] asks for: {before} → {after}."
                ),
                "policy_changed": "{who} changed the policy of [{what}]: {changes}.",
                "project_changed": "{who} changed [the settings]: {changes}.",
                "project_created": "{who} created [the project].",
                "project_duplicated": "{who} made [the project] as a copy of {source}.",
                "project_state": "{who} changed [the project] to: {state}.",
            },
            targets={
                "stagepolicy": LogTarget(
                    StagePolicy, ("stage", "split"), "policy-change", "pk", name=_name
                )
            },
            pages={
                "project": "project-overview",
                "guidelines_published": "project-guidelines",
                "project_changed": "project-settings",
            },
        ),
    ),
)
