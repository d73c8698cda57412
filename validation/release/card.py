"""The dataset card of a release, in Markdown: what the data is, how it was made, its limits.

`Card` has the parts common to all layouts; those of AmbigNQ follow it, those of ASQA are in
`asqa_card`.
"""

import abc
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from annotation.exports.layouts import Layout
from annotation.models import Project, StagePolicy
from annotation.sheets.rules import format_count
from annotation.stages import registry as stages
from validation.verdicts.values import VALIDATION

KINDS = (("single", "one answer"), ("multiple", "several answers"), ("mixed", "one and several"))
_SOURCES = (
    ("generators", "the people who answered: one was asked, or all answers match"),
    ("validation", "a validator"),
    ("staff", "staff of the project"),
    ("import", "the file they came from, imported as finished work"),
)


class Card(abc.ABC):
    """The card of one release, put together from its manifest.

    decided: the key of the counts by who decided, including imports. answers: what people write in
    the protocol. checked: how rules checked that. shape: text before the table of fields;
    of_fields: text after it. left_out: reasons in words. derived: what was written from Wikipedia.
    limits: what every reader has to know.
    """

    decided: ClassVar[str]
    answers: ClassVar[str]
    checked: ClassVar[str]
    shape: ClassVar[str] = ""
    of_fields: ClassVar[str]
    left_out: ClassVar[Sequence[tuple[str, str]]]
    derived: ClassVar[str]
    limits: ClassVar[str]

    def __init__(
        self,
        manifest: Mapping[str, Any],
        format: Layout,
        project: Project,
        policies: Sequence[StagePolicy],
    ) -> None:
        self.manifest = manifest
        self.counts: Mapping[str, Any] = manifest["counts"]
        self.format = format
        self.project = project
        self.policies = policies

    @classmethod
    def render_card(
        cls,
        manifest: Mapping[str, Any],
        format: Layout,
        project: Project,
        policies: Sequence[StagePolicy],
    ) -> str:
        """Return the text of a card."""
        return cls(manifest, format, project, policies).render_sections()

    # --- what a layout says ----------------------------------------------------------------------

    @abc.abstractmethod
    def describe_data(self, of_split: str) -> str:
        """Say what the data is, in one sentence without its layout."""

    @abc.abstractmethod
    def describe_making(self) -> str:
        """Say how people made it."""

    @abc.abstractmethod
    def describe_people(self) -> Iterator[str]:
        """Say how many people the project asks for, and what they do or are given."""

    @abc.abstractmethod
    def in_numbers(self) -> Iterator[str]:
        """Say what was counted."""

    @abc.abstractmethod
    def also_left_out(self) -> Iterator[str]:
        """Give further lines on what is left out, after the questions."""

    # --- what all say ----------------------------------------------------------------------------

    def render_sections(self) -> str:
        """Return the card: its parts under the headings that all have."""
        fields = ((f"`{name}`", words) for name, words in self.format.fields)
        parts = [
            f"# {escape_markdown(self.project.title)}",
            self._what(),
            "## How it was made",
            *self._how(),
            "## Counts",
            *self.in_numbers(),
            "## Fields",
            *([self.shape] if self.shape else []),
            render_markdown_table(("field", "holds"), fields),
            self.of_fields,
            "## Left out",
            self._left_out(),
            "## Licence and people",
            self._licence(),
            "## Limits",
            self._limits(),
        ]
        return "\n\n".join(parts) + "\n"

    @property
    def imported(self) -> int:
        """Number of questions imported as finished work."""
        number: int = self.counts[self.decided]["import"]
        return number

    @property
    def only_imported(self) -> bool:
        """Whether all questions were imported, so that the card does not say how they were made."""
        return bool(self.counts["questions"]) and self.imported == self.counts["questions"]

    def _what(self) -> str:
        split, manifest = self.manifest["split"], self.manifest
        subject = self.describe_data(f"split {split}" if split else "all splits")
        return (
            f"{subject}, in the layout “{self.format.label}”.\n\n"
            f"File `{manifest['file']}`: {manifest['bytes']:,} bytes, SHA-256 "
            f"`{manifest['sha256']}`."
        )

    def _how(self) -> Iterator[str]:
        questions = format_count(self.counts["questions"], "question")
        came_in = (
            f"Imported as finished work: {self.imported:,} of {questions}. The description of "
            f"their file says how their {self.answers} were made."
        )
        if self.only_imported:
            yield came_in
            return
        versions = self.manifest["project"]["guideline_versions"]
        read = f" Guideline versions read: {', '.join(map(str, versions))}." if versions else ""
        yield f"{self.describe_making()}{read}"
        if self.imported:
            yield came_in
        yield from self.describe_people()
        settings = ""
        if self.project.rule_settings:
            values = json.dumps(self.project.rule_settings, ensure_ascii=False, sort_keys=True)
            settings = f" Settings of this project that differ from the defaults: `{values}`."
        yield f"{self.checked}{settings}"

    def _left_out(self) -> str:
        questions = self.manifest["left_out"]["questions"]
        lines = [
            f"- {format_count(questions[reason], 'question')} {words}"
            for reason, words in self.left_out
            if questions[reason]
        ]
        return "\n".join([*lines, *self.also_left_out()]) or "Nothing."

    def _licence(self) -> str:
        own = ""
        if not self.only_imported:
            own = (
                f"Text of Wikipedia ({escape_markdown(self.manifest['snapshot']['title'])}) is "
                f"under {escape_markdown(self.manifest['licence'])}; {self.derived} "
            )
        return (
            f"{own}Imported questions and finished work keep the terms of the file they came from."
            "\n\n"
            "Nothing in this file tells who wrote what: there are no names, pseudonyms or times."
        )

    def _limits(self) -> str:
        if self.only_imported:
            return self.limits
        return (
            "- Wikipedia is the only source, as it was on "
            f"{format_date(self.project.snapshot.as_of)}; what it lacks or has wrong, the "
            f"{self.answers} lack or have wrong.\n{self.limits}"
        )


class AmbigNQCard(Card):
    """The card of questions with their accepted answers."""

    kinds: ClassVar[Sequence[tuple[str, str]]] = KINDS
    decided = "decided_by"
    answers = "answers"
    checked = (
        "Answers were checked by rules as they were written; a warning could be kept with a reason."
    )
    of_fields = (
        "A pair's `question` holds all accepted phrasings, joined by `|`. Every string "
        "of an `answer` list is accepted as that answer. The order is the order of import."
    )
    left_out = (
        ("unfinished", "not yet answered or not yet validated"),
        ("excluded", "excluded by a validator or by staff"),
        ("skipped", "skipped by everyone who was asked"),
        ("no_answer", "with nothing but “no answer found”"),
    )
    derived = "answers and questions written from it are released under the same terms."
    limits = (
        "- An answer list holds the forms that people thought of. A correct form may be "
        "missing, so "
        "an exact match understates how often a system is right.\n"
        "- Whether a question is ambiguous is a judgement: readers may disagree."
        "\n- The questions are those of the imported files, with their choice of topics and "
        "language."
    )

    def describe_data(self, of_split: str) -> str:
        return (
            f"{format_count(self.counts['questions'], 'open-domain question')}, ambiguous or with "
            f"one clear answer, and the accepted answers: {of_split}"
        )

    def describe_making(self) -> str:
        snapshot = self.project.snapshot
        return (
            f"People searched and read {escape_markdown(snapshot.title)} (as of "
            f"{format_date(snapshot.as_of)}) and wrote every plausible answer to each prompt, each "
            "with a question that has that answer alone. A prompt with one clear answer has just "
            f"that. Questions were answered as of {format_date(self.project.reference_date)}."
        )

    def describe_people(self) -> Iterator[str]:
        """Say how many people the project asks for, per split, and how validation works."""
        if not self.policies:
            return
        yield render_markdown_table(
            ("stage", "split", "people for each question"),
            (
                (stages.label_of(policy.stage), policy.split, str(policy.people))
                for policy in self.policies
            ),
        )
        if any(policy.stage == VALIDATION for policy in self.policies):
            yield (
                "Where validation is asked, a validator who did not answer the question compares "
                "the answers without knowing whose they are, and combines, edits or excludes "
                "them. Answers that all match are accepted without one. Elsewhere what was "
                "submitted is accepted."
            )

    def in_numbers(self) -> Iterator[str]:
        counts = self.counts
        yield render_markdown_table(
            ("split", *(label for _, label in self.kinds)),
            (
                (split, *(f"{numbers[kind]:,}" for kind, _ in self.kinds))
                for split, numbers in counts["by_split"].items()
                if any(numbers.values())
            ),
        )
        yield (
            f"{format_count(counts['annotations']['singleAnswer'], 'annotation')} with one answer "
            f"and {counts['annotations']['multipleQAs']:,} with several, these with "
            f"{format_count(counts['pairs'], 'pair')}; "
            f"{format_count(counts['answers'], 'answer string')} in all."
        )
        if not counts["questions"]:
            return
        yield f"Accepted annotations per question: {by_number(counts['annotations_per_question'])}."
        decided = "\n".join(
            f"- {counts['decided_by'][source]:,}: {label}"
            for source, label in _SOURCES
            if counts["decided_by"][source]
        )
        yield f"Who decided:\n\n{decided}"

    def also_left_out(self) -> Iterator[str]:
        if submissions := self.manifest["left_out"]["annotations"]["no_answer"]:
            number = format_count(submissions, "submission")
            yield f"- {number} that found no answer, next to others that did"


# --- Markdown ------------------------------------------------------------------------------------


def escape_markdown(text: str) -> str:
    """Return a title escaped, so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def by_number(counts: Mapping[str, int]) -> str:
    """Return how many have each number, as in "3 with 1, 5 with 2"."""
    return ", ".join(f"{n:,} with {number}" for number, n in counts.items())


def format_date(day: Any) -> str:
    """Return a date as text for people."""
    return f"{day.day} {day:%B %Y}"


def render_markdown_table(head: Sequence[str], rows: Any) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
