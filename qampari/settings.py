"""What the team of a project sets: in its rules, as numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.models import Project
from annotation.sheets.rules import Setting, get_setting

LEAST = Setting(
    key="least_answers",
    label="Answers a question needs",
    type="int",
    default=5,
    minimum=1,
    maximum=200,
    help="A question with fewer distinct accepted answers drops out, and one from the reserve "
    "replaces it.",
)
SHARE = Setting(
    key="checked_percent",
    label="Correct answers that staff check (%)",
    type="int",
    default=5,
    minimum=0,
    maximum=100,
    help="Drawn at random. Every other answer is checked by staff in any case.",
)
TARGETS: Mapping[str, Setting] = {
    split: Setting(
        key=f"target_{split}",
        label=f"Questions wanted in {split}",
        type="int",
        default=0,
        minimum=0,
        maximum=1_000_000,
        help="Questions beyond this number wait in the reserve. With 0, all of them are used.",
    )
    for split in ("train", "dev", "test")
}
ALL = (LEAST, SHARE, *TARGETS.values())


@dataclass(frozen=True)
class _SettingsHolder:
    settings: Mapping[str, object]


def get_least_answers(settings: Mapping[str, object]) -> int:
    """Return how many distinct answers a question needs."""
    return get_setting(_SettingsHolder(settings), LEAST)


def get_checked_share(settings: Mapping[str, object]) -> float:
    """Return the share of correct answers that staff check, from 0 to 1."""
    return get_setting(_SettingsHolder(settings), SHARE) / 100


def get_split_target(project: Project, split: str) -> int:
    """Return how many questions a split should have; 0 for all there are."""
    return get_setting(_SettingsHolder(project.rule_settings), TARGETS[split])
