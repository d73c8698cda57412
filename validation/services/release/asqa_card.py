"""The dataset card beside a release of long answers, in Markdown."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.models import Project, StagePolicy
from annotation.services.exports.layouts import Layout
from annotation.sheets.rules import counted
from annotation.stages import LONG_ANSWERS
from validation.services.release.card import date, framed, plain, table

_LEFT_OUT = (
    ("unfinished", "not yet answered by everybody who is asked"),
    ("excluded", "excluded, most after a concern about their disambiguations"),
    ("concern_open", "with a concern that is not yet decided"),
    ("skipped", "skipped by everybody who was asked"),
)


def write_asqa_card(
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
        shape="One object with a part for each split; in it a record for each question, under its "
        "id.",
        of_fields="Every text of `short_answers` is accepted as that answer. The order is the "
        "order of import within each split.",
        left_out=_left_out(manifest["left_out"]),
        licence=_licence(manifest),
        limits=_limits(manifest, project),
    )


def _what(manifest: Mapping[str, Any], format: Layout) -> str:
    counts, split = manifest["counts"], manifest["split"]
    return (
        f"{counted(counts['questions'], 'ambiguous question')}, and "
        f"{counted(counts['annotations'], 'long answer')}, each with what every reading of its "
        f"question comes to: {f'split {split}' if split else 'all splits'}, in the layout "
        f"“{format.label}”.\n\n"
        f"File `{manifest['file']}`: {manifest['bytes']:,} bytes, SHA-256 "
        f"`{manifest['sha256']}`."
    )


def _how(manifest: Mapping[str, Any], project: Project) -> str:
    counts = manifest["counts"]
    imported = counts["written_by"]["import"]
    came_in = (
        f"Imported as finished work: {imported:,} of "
        f"{counted(counts['questions'], 'question')}. The description of their file says how "
        f"their long answers were made."
    )
    if _only_imported(manifest):
        return came_in
    versions = manifest["project"]["guideline_versions"]
    read = f" Guideline versions read: {', '.join(map(str, versions))}." if versions else ""
    return (
        "Writers were given an ambiguous question with its disambiguations, their short answers, "
        "paragraphs of context and pages. They wrote one coherent answer that covers every reading "
        "and says where the ambiguity comes from, and gave evidence from "
        f"{plain(project.snapshot.title)} (as of {date(project.snapshot.as_of)}) for what they "
        f"brought in beyond that.{read}" + (f"\n\n{came_in}" if imported else "")
    )


def _only_imported(manifest: Mapping[str, Any]) -> bool:
    counts = manifest["counts"]
    return bool(counts["questions"]) and counts["written_by"]["import"] == counts["questions"]


def _people(manifest: Mapping[str, Any], policies: Sequence[StagePolicy]) -> Iterator[str]:
    """Say how many people the project asks for in each split, and what they are given."""
    asked = [each for each in policies if each.stage == LONG_ANSWERS]
    if not asked or _only_imported(manifest):
        return
    yield table(
        ("split", "writers for each question"),
        ((each.split, str(each.people)) for each in asked),
    )
    if alone := manifest["counts"]["writers_were_given"]["question"]:
        yield (
            f"The writers of {counted(alone, 'long answer')} were given the question alone, and "
            "found its readings without help."
        )


def _rules(manifest: Mapping[str, Any], project: Project) -> Iterator[str]:
    if _only_imported(manifest):
        return
    text = (
        "Long answers were checked by rules as they were written: a short answer that is not in "
        "the text was pointed out, and could be marked as said in other words. A warning could be "
        "kept with a reason."
    )
    if project.rule_settings:
        settings = json.dumps(project.rule_settings, ensure_ascii=False, sort_keys=True)
        text += f" Settings of this project that differ from the defaults: `{settings}`."
    yield text


def _counts(counts: Mapping[str, Any]) -> str:
    splits = table(
        ("split", "questions", "long answers"),
        (
            (split, f"{found['questions']:,}", f"{found['annotations']:,}")
            for split, found in counts["by_split"].items()
            if found["questions"]
        ),
    )
    if not counts["questions"]:
        return splits
    sizes = ", ".join(
        f"{counted(n, 'question')} with {number}"
        for number, n in counts["disambiguations_per_question"].items()
    )
    several = counts["annotations_per_question"].items()
    overrides = counts["overrides"]
    said = (
        f" At {counted(overrides, 'place')} a long answer says a short answer in other words "
        "than its list has, as its writer marked."
        if overrides
        else ""
    )
    return "\n\n".join(
        [
            splits,
            f"{counted(counts['disambiguations'], 'disambiguation')}, "
            f"{counts['contexts']:,} with a context paragraph: {sizes}. "
            f"{counted(counts['short_answers'], 'short answer')}. "
            f"{counted(counts['wikipages'], 'page')}.",
            "Long answers per question: "
            f"{', '.join(f'{n:,} with {number}' for number, n in several)}. They have "
            f"{counts['words'] / counts['annotations']:.1f} words on average, and "
            f"{counts['knowledge'] / counts['annotations']:.1f} pieces of knowledge.{said}",
        ]
    )


def _left_out(left_out: Mapping[str, Any]) -> str:
    lines = [
        f"- {counted(left_out['questions'][reason], 'question')} {label}"
        for reason, label in _LEFT_OUT
        if left_out["questions"][reason]
    ]
    if left_out["excluded"]:
        lines.append("\nThe manifest lists what was decided on each excluded question.")
    return "\n".join(lines) or "Nothing."


def _licence(manifest: Mapping[str, Any]) -> str:
    own = ""
    if not _only_imported(manifest):
        own = (
            f"Text of Wikipedia ({plain(manifest['snapshot']['title'])}) is under "
            f"{plain(manifest['licence'])}; context paragraphs and knowledge are taken from it, "
            "and long answers written from it are released under the same terms. "
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
            "it lacks or has wrong, the long answers lack or have wrong.\n"
        )
    return source + (
        "- A short answer counts as present where one of its forms appears in the text as "
        "characters. A correct form may be missing from the list.\n"
        "- The disambiguations are those of the imported files: a reading that no one thought "
        "of is in no long answer either."
    )
