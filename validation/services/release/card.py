"""The dataset card beside a release, in Markdown: what the data is, how it was made, its limits."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.models import Project, StagePolicy
from annotation.services.exports.layouts import Layout
from annotation.sheets.rules import counted
from annotation.stages import VALIDATION

_KINDS = (("single", "one answer"), ("multiple", "several answers"), ("mixed", "one and several"))
_LEFT_OUT = (
    ("unfinished", "not yet answered or not yet validated"),
    ("excluded", "excluded by a validator or by staff"),
    ("skipped", "skipped by everybody who was asked"),
    ("no_answer", "with nothing but “no answer found”"),
)
_SOURCES = (
    ("generators", "the people who answered: one was asked, or all answers match"),
    ("validation", "a validator"),
    ("staff", "staff of the project"),
    ("import", "the file they came from, imported as finished work"),
)


def write_card(
    manifest: Mapping[str, Any],
    format: Layout,
    project: Project,
    policies: Sequence[StagePolicy],
) -> str:
    """Return the card's text."""
    return framed(
        project,
        format,
        what=_what(manifest, format),
        how=(_how(manifest, project), *_people(manifest, policies), *_rules(manifest, project)),
        counts=_counts(manifest["counts"]),
        of_fields="A pair's `question` holds all accepted phrasings, joined by `|`. Every string "
        "of an `answer` list is accepted as that answer. The order is the order of import.",
        left_out=_left_out(manifest["left_out"]),
        licence=_licence(manifest),
        limits=_limits(manifest, project),
    )


def framed(
    project: Project,
    format: "Layout",
    *,
    what: str,
    how: Iterable[str],
    counts: str,
    shape: str = "",
    of_fields: str,
    left_out: str,
    licence: str,
    limits: str,
) -> str:
    """Return the text of a card of any layout: its parts under the headings that all have.

    `shape` is said before the table of fields, `of_fields` after it.
    """
    parts = [
        f"# {plain(project.title)}",
        what,
        "## How it was made",
        *how,
        "## Counts",
        counts,
        "## Fields",
        *([shape] if shape else []),
        table(("field", "holds"), ((f"`{name}`", text) for name, text in format.fields)),
        of_fields,
        "## Left out",
        left_out,
        "## Licence and people",
        licence,
        "## Limits",
        limits,
    ]
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """Show a title as it is, whatever Markdown would make of it."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _what(manifest: Mapping[str, Any], format: Layout) -> str:
    counts, split = manifest["counts"], manifest["split"]
    return (
        f"{counted(counts['questions'], 'open-domain question')}, ambiguous or with one clear "
        "answer, and the accepted answers: "
        f"{f'split {split}' if split else 'all splits'}, in the layout “{format.label}”.\n\n"
        f"File `{manifest['file']}`: {manifest['bytes']:,} bytes, SHA-256 "
        f"`{manifest['sha256']}`."
    )


def _how(manifest: Mapping[str, Any], project: Project) -> str:
    counts = manifest["counts"]
    imported = counts["decided_by"]["import"]
    came_in = (
        f"Imported as finished work: {imported:,} of "
        f"{counted(counts['questions'], 'question')}. The description of their file says how "
        f"their answers were made."
    )
    if _only_imported(manifest):
        return came_in
    versions = manifest["project"]["guideline_versions"]
    read = f" Guideline versions read: {', '.join(map(str, versions))}." if versions else ""
    return (
        f"People searched and read {plain(project.snapshot.title)} "
        f"(as of {date(project.snapshot.as_of)}) and wrote every plausible answer to each prompt, "
        "each with a question that has that answer alone. A prompt with one clear answer has just "
        f"that. Questions were answered as of {date(project.reference_date)}.{read}"
        + (f"\n\n{came_in}" if imported else "")
    )


def _only_imported(manifest: Mapping[str, Any]) -> bool:
    counts = manifest["counts"]
    return bool(counts["questions"]) and counts["decided_by"]["import"] == counts["questions"]


def _people(manifest: Mapping[str, Any], policies: Sequence[StagePolicy]) -> Iterator[str]:
    """Say how many people the project asks for, per split, and how validation works."""
    if not policies or _only_imported(manifest):
        return
    yield table(
        ("stage", "split", "people for each question"),
        ((each.stage, each.split, str(each.people)) for each in policies),
    )
    if any(each.stage == VALIDATION for each in policies):
        yield (
            "Where validation is asked, a validator who did not answer the question compares the "
            "answers without knowing whose they are, and combines, mends or excludes them. Answers "
            "that all match are accepted without one. Elsewhere what was submitted is accepted."
        )


def _rules(manifest: Mapping[str, Any], project: Project) -> Iterator[str]:
    if _only_imported(manifest):
        return
    text = (
        "Answers were checked by rules as they were written; a warning could be kept with a reason."
    )
    if project.rule_settings:
        settings = json.dumps(project.rule_settings, ensure_ascii=False, sort_keys=True)
        text += f" Settings of this project that differ from the defaults: `{settings}`."
    yield text


def _counts(counts: Mapping[str, Any]) -> str:
    splits = table(
        ("split", *(label for _, label in _KINDS)),
        (
            (split, *(f"{found[kind]:,}" for kind, _ in _KINDS))
            for split, found in counts["by_split"].items()
            if any(found.values())
        ),
    )
    standing = counts["annotations_per_question"].items()
    several = ", ".join(f"{n:,} with {number}" for number, n in standing)
    decided = "\n".join(
        f"- {counts['decided_by'][source]:,}: {label}"
        for source, label in _SOURCES
        if counts["decided_by"][source]
    )
    parts = [
        splits,
        f"{counted(counts['annotations']['singleAnswer'], 'annotation')} with one answer and "
        f"{counts['annotations']['multipleQAs']:,} with several, these with "
        f"{counted(counts['pairs'], 'pair')}; {counted(counts['answers'], 'answer string')} in "
        "all.",
    ]
    if counts["questions"]:
        parts += [f"Accepted annotations per question: {several}.", f"Who decided:\n\n{decided}"]
    return "\n\n".join(parts)


def _left_out(left_out: Mapping[str, Any]) -> str:
    lines = [
        f"- {counted(left_out['questions'][reason], 'question')} {label}"
        for reason, label in _LEFT_OUT
        if left_out["questions"][reason]
    ]
    if found := left_out["annotations"]["no_answer"]:
        lines.append(
            f"- {counted(found, 'submission')} that found no answer, next to others that did"
        )
    return "\n".join(lines) or "Nothing."


def _licence(manifest: Mapping[str, Any]) -> str:
    own = ""
    if not _only_imported(manifest):
        own = (
            f"Text of Wikipedia ({plain(manifest['snapshot']['title'])}) is under "
            f"{plain(manifest['licence'])}; answers and questions written from it are released "
            "under the same terms. "
        )
    return (
        f"{own}Imported questions and finished work keep the terms of the file they came from.\n\n"
        "Nothing in this file tells who wrote what: there are no names, pseudonyms or times."
    )


def _limits(manifest: Mapping[str, Any], project: Project) -> str:
    source = ""
    if not _only_imported(manifest):
        source = (
            f"- Wikipedia is the only source, as it was on {date(project.snapshot.as_of)}; what "
            "it lacks or has wrong, the answers lack or have wrong.\n"
        )
    return source + (
        "- An answer list holds the forms that people thought of. A correct form may be "
        "missing, so "
        "an exact match understates how often a system is right.\n"
        "- Whether a question is ambiguous is a judgement: readers may see fewer or more readings."
        "\n- The questions are those of the imported files, with their choice of topics and "
        "language."
    )


def date(day: Any) -> str:
    """Write a day as people read it."""
    return f"{day.day} {day:%B %Y}"


def table(head: Sequence[str], rows: Any) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
