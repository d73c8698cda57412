"""The registry of rules, and what running them all says about one response."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from annotation.checks import answers, pairs, questions
from annotation.checks.values import Check, Context, Finding, Setting
from annotation.responses import Response

ItemState = Literal["done", "todo", "ask"]

# The order of the checklist, and of the problems at one field.
CHECKS: tuple[Check, ...] = (*answers.EFFORT, *pairs.CHECKS, *questions.CHECKS, *answers.CHECKS)
REGISTRY: Mapping[str, Check] = {check.key: check for check in CHECKS}

# Not one of a pair's own fields: their place in the list of problems.
_PLACES = {"pages": 0, "time": 1, "kind": 2, "none-reason": 3, "single-answer": 4}


class SettingsError(ValueError):
    """A rule setting that cannot be used; the text is the sentence for the researcher."""


@dataclass(frozen=True)
class ChecklistItem:
    """One line of "Before you submit"; ``links`` are (what to call it, field id)."""

    key: str
    title: str
    state: ItemState
    links: tuple[tuple[str, str], ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """What the rules say.

    ``findings`` are to be shown now, kept warnings among them (``kept_because`` set).
    ``blocking`` are all errors and all warnings without an answer, shown or not.
    """

    findings: tuple[Finding, ...]
    blocking: tuple[Finding, ...]
    checklist: tuple[ChecklistItem, ...]

    @property
    def can_submit(self) -> bool:
        return not self.blocking

    def at(self, field: str) -> tuple[Finding, ...]:
        """Return the findings to show at one field."""
        return tuple(finding for finding in self.findings if finding.field == field)


def run_checks(
    response: Response, context: Context, *, touched: Collection[str] | None = None
) -> Report:
    """Run every rule.

    With ``touched``, the field ids that the person has been in, errors at other fields are not
    shown yet; the checklist and ``blocking`` count them all the same. A warning is answered by a
    Keep of its rule at its field with a reason, whatever the text was then.
    """
    reasons = {(keep.rule, keep.field): keep.reason for keep in response.keeps if keep.reason}
    everything = []
    for check in CHECKS:
        for finding in check(response, context):
            reason = reasons.get((finding.rule, finding.field), "")
            kept = reason if finding.level == "warning" else ""
            everything.append(replace(finding, kept_because=kept))
    everything.sort(key=_place)
    return Report(
        findings=tuple(
            finding
            for finding in everything
            if touched is None or finding.level == "warning" or finding.field in touched
        ),
        blocking=tuple(finding for finding in everything if not finding.kept_because),
        checklist=_checklist(response, context, everything),
    )


def _place(finding: Finding) -> tuple[int, int, int, int]:
    """Errors and warnings in the order of the page: by pair, the question before the answer."""
    pair = -1 if finding.pair is None else finding.pair
    answer = finding.field.startswith("answer")
    return (pair, _PLACES.get(finding.field, 9), answer, finding.level == "warning")


def _checklist(
    response: Response, context: Context, findings: list[Finding]
) -> tuple[ChecklistItem, ...]:
    items = []
    for check in CHECKS:
        title = check.titled(context) if check.titled else check.title
        if check.level == "warning" or response.kind not in check.kinds or not title:
            continue
        seen = [finding for finding in findings if finding.rule == check.key]
        items.append(
            ChecklistItem(
                key=check.key,
                title=title,
                state="todo" if seen else "done",
                links=_links(seen),
                detail=check.detail(response, context),
            )
        )
    asked = [finding for finding in findings if finding.level == "warning"]
    open_ = [finding for finding in asked if not finding.kept_because]
    items.append(
        ChecklistItem(
            key="warnings",
            title="Every warning is answered",
            state="ask" if open_ else "done",
            links=_links(open_),
            detail=f"{len(asked)} kept" if asked and not open_ else "",
        )
    )
    return tuple(items)


def _links(findings: list[Finding]) -> tuple[tuple[str, str], ...]:
    """Return one link for each pair or field, to the first of its fields."""
    names = {
        "pages": "Search",
        "time": "Time",
        "kind": "Kind of answer",
        "none-reason": "Reason",
        "single-answer": "Answer",
    }
    links: dict[str, str] = {}
    for finding in findings:
        name = names.get(finding.field, f"Pair {(finding.pair or 0) + 1}")
        links.setdefault(name, finding.field)
    return tuple(links.items())


def settings_schema() -> list[Setting]:
    """Return every setting of every rule, switches of warnings included, in registry order."""
    found = []
    for check in CHECKS:
        found += [check.switch] if check.switch else []
        found += check.settings
    return found


def read_settings(values: Mapping[str, object]) -> dict[str, int | bool]:
    """Return the settings that differ from their defaults, typed and within bounds.

    Raises SettingsError for a value that is neither, and for a name that no rule has.
    """
    known = {each.key: each for each in settings_schema()}
    if unknown := sorted(set(values) - set(known)):
        raise SettingsError(
            f"There is no rule setting “{unknown[0]}”. The settings are: {', '.join(known)}."
        )
    read: dict[str, int | bool] = {}
    for key, value in values.items():
        wanted = known[key]
        number = _number(wanted, value)
        if number != wanted.default:
            read[key] = bool(number) if wanted.type == "bool" else number
    return read


def _number(wanted: Setting, value: object) -> int:
    if wanted.type == "bool":
        if isinstance(value, bool) or value in (0, 1):
            return int(bool(value))
        raise SettingsError(f"“{wanted.label}” is on or off (true or false).")
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 10:
        value = int(value)
    inside = isinstance(value, int) and wanted.minimum <= value <= wanted.maximum
    if isinstance(value, bool) or not isinstance(value, int) or not inside:
        raise SettingsError(
            f"“{wanted.label}” is a whole number from {wanted.minimum} to {wanted.maximum}."
        )
    return value
