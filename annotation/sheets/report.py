"""The report of all rules of a stage on one response."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, Literal

from annotation.sheets.keeps import Keep
from annotation.sheets.rules import C, Check, Finding, R, Setting

# "open": there is nothing yet that the rule could be about.
ItemState = Literal["done", "todo", "ask", "open"]


class SettingsError(ValueError):
    """A rule setting that cannot be used; the text tells the researcher why."""


@dataclass(frozen=True)
class ChecklistItem:
    """One line of "Before you submit"; ``links`` are (what to call it, field id)."""

    key: str
    title: str
    state: ItemState
    links: tuple[tuple[str, str], ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class FindingsReport:
    """The findings of the rules on one response.

    ``findings`` are to be shown now, including kept warnings (``kept_because`` set).
    ``blocking`` are all errors and all warnings without an answer, shown or not.
    """

    findings: tuple[Finding, ...]
    blocking: tuple[Finding, ...]
    checklist: tuple[ChecklistItem, ...]

    @property
    def can_submit(self) -> bool:
        return not self.blocking

    def findings_at(self, field: str) -> tuple[Finding, ...]:
        """Return the findings to show at one field."""
        return tuple(finding for finding in self.findings if finding.field == field)

    def is_blocked_by(self, rule: str) -> bool:
        """Whether a rule still stops the submission."""
        return any(finding.rule == rule for finding in self.blocking)


@dataclass(frozen=True)
class Rules(Generic[R, C]):
    """The rules of one stage, in the order of the checklist and of the problems at one field.

    ``place`` orders findings by the fields of the page; ``name`` is the checklist's label for the
    place of a finding.
    """

    checks: tuple[Check[R, C], ...]
    place: Callable[[Finding], tuple[int, ...]]
    name: Callable[[Finding], str]

    def run(
        self,
        response: R,
        context: C,
        *,
        touched: Collection[str] | None = None,
        untouched: bool = False,
    ) -> FindingsReport:
        """Run every rule.

        With ``touched``, the ids of the fields that the person has been in, errors at other fields
        are not shown yet; the checklist and ``blocking`` count them all the same. A warning is
        answered by a Keep with a reason for its rule and field, even if the text has changed since.
        With `untouched`, the form is empty, and rules that only look at it are kept by nothing.
        """
        found = [finding for check in self.checks for finding in check(response, context)]
        everything = mark_kept_warnings(found, response.keeps)
        everything.sort(key=self.place)
        return FindingsReport(
            findings=tuple(
                finding
                for finding in everything
                if touched is None or finding.level == "warning" or finding.field in touched
            ),
            blocking=tuple(finding for finding in everything if not finding.kept_because),
            checklist=self._checklist(response, context, everything, untouched),
        )

    def _checklist(
        self, response: R, context: C, findings: list[Finding], untouched: bool
    ) -> tuple[ChecklistItem, ...]:
        items = []
        for check in self.checks:
            title = check.titled(context) if check.titled else check.title
            if not check.has_line or not check.applies_to(response) or not title:
                continue
            seen = [finding for finding in findings if finding.rule == check.key]
            open_ = [finding for finding in seen if not finding.kept_because]
            # What needs no form (time, pages read) can be done before anything is filled in.
            empty = untouched and check.in_exams
            items.append(
                ChecklistItem(
                    key=check.key,
                    title=title,
                    state="todo" if open_ else "open" if empty and not seen else "done",
                    links=self._links(open_),
                    detail=check.detail(response, context),
                )
            )
        lines = {item.key for item in items}
        asked = [each for each in findings if each.level == "warning" and each.rule not in lines]
        open_ = [finding for finding in asked if not finding.kept_because]
        if asked:
            items.append(
                ChecklistItem(
                    key="warnings",
                    title="Every warning is answered",
                    state="ask" if open_ else "done",
                    links=self._links(open_),
                    detail="" if open_ else f"{len(asked)} kept",
                )
            )
        return tuple(items)

    def _links(self, findings: list[Finding]) -> tuple[tuple[str, str], ...]:
        """Return one link for each place, to the first of its fields."""
        links: dict[str, str] = {}
        for finding in findings:
            links.setdefault(self.name(finding), finding.field)
        return tuple(links.items())

    @property
    def registry(self) -> Mapping[str, Check[R, C]]:
        """The rules by their keys."""
        return {check.key: check for check in self.checks}

    def list_settings(self) -> list[Setting]:
        """Return every setting of every rule, switches of warnings included, in their order."""
        settings = []
        for check in self.checks:
            settings += [check.switch] if check.switch else []
            settings += check.settings
        return settings

    def read_settings(self, values: Mapping[str, object]) -> dict[str, int | bool]:
        """Return the settings that differ from their defaults, typed and within bounds.

        Raises SettingsError for any other value, and for a name that no rule has.
        """
        settings = {setting.key: setting for setting in self.list_settings()}
        if unknown := sorted(set(values) - set(settings)):
            raise SettingsError(
                f"There is no rule setting “{unknown[0]}”. The settings are: {', '.join(settings)}."
            )
        read: dict[str, int | bool] = {}
        for key, value in values.items():
            wanted = settings[key]
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


def mark_kept_warnings(findings: Iterable[Finding], keeps: Iterable[Keep]) -> list[Finding]:
    """Return the findings, each warning with the reason for which it was kept."""
    reasons = {(keep.rule, keep.field): keep.reason for keep in keeps if keep.reason}
    return [
        replace(finding, kept_because=reasons.get((finding.rule, finding.field), ""))
        if finding.level == "warning"
        else finding
        for finding in findings
    ]


def rules_on(fields: Mapping[str, str], *checks: Check[R, C]) -> Rules[R, C]:
    """Return rules for a form with these fields (id to label), ordered as the fields are."""
    order = list(fields)
    return Rules(
        checks,
        place=lambda finding: (order.index(finding.field),),
        name=lambda finding: fields[finding.field],
    )
