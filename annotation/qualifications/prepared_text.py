"""Prepared answers as text that staff type: a block for each, a line for each pair.

    When did it open to walkers? | When did walkers get in? = 25 March 1843 | March 25, 1843
    When did it open to trains? = 7 December 1869

A line without a question (`= 1843`) is one clear answer; the word `none` says that there is no
answer. An empty line ends one. In seeded annotations each block begins with a line
`correct` or `incorrect`.

The disambiguations of a long answer are such lines, one for each, without empty lines between;
the lines below one that begin with `>` are its context, with the title of its page first:

    When did it open to walkers? = 25 March 1843
    > [Thames Tunnel] Walkers first used the tunnel on 25 March 1843.
"""

from collections.abc import Iterator
from typing import Any

from annotation.contexts.inputs import Disambiguation
from annotation.qualifications.items import (
    ItemError,
    PreparedAnswer,
    Seeded,
    disambiguations_from,
    prepared_from,
)

NONE = "none"
_VERDICTS = {"correct": True, "incorrect": False}


def read_accepted(text: str) -> tuple[PreparedAnswer, ...]:
    """Read prepared answers. Raises ItemError, naming the line."""
    return tuple(_answer(lines) for lines in _blocks(text))


def read_seeded(text: str) -> tuple[Seeded, ...]:
    """Read seeded annotations. Raises ItemError, naming the line."""
    annotations = []
    for (number, first), *rest in _blocks(text):
        verdict = _VERDICTS.get(first.lower().rstrip(":"))
        if verdict is None:
            raise ItemError(f"Line {number}: begin each annotation with “correct” or “incorrect”.")
        if not rest:
            raise ItemError(f"Line {number}: say below it what was annotated.")
        annotations.append(Seeded(_answer(rest), verdict))
    return tuple(annotations)


def read_disambiguations(text: str) -> tuple[Disambiguation, ...]:
    """Read disambiguations with their contexts. Raises ItemError, naming the line."""
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if not words:
            continue
        if words.startswith(">"):
            if not rows:
                raise ItemError(f"Line {number}: put a context below its disambiguation.")
            _add_context(rows[-1], words[1:].strip())
            continue
        question, sign, answers = words.partition(" = ")
        if not sign:
            raise ItemError(
                f"Line {number}: write the question, “ = ”, and the forms of its answer with “|” "
                "between them."
            )
        forms = [form.strip() for form in answers.split("|")]
        rows.append({"question": question.strip(), "short_answers": forms})
    return disambiguations_from(rows)


def _add_context(row: dict[str, Any], words: str) -> None:
    if "context" in row:
        row["context"] += f"\n{words}"
        return
    if words.startswith("[") and "]" in words:
        title, _, words = words[1:].partition("]")
        row["wikipage"] = title.strip()
    row["context"] = words.strip()


def disambiguations_text(found: tuple[Disambiguation, ...]) -> str:
    """Return disambiguations as text that `read_disambiguations` reads."""
    lines = []
    for disambiguation in found:
        lines.append(f"{disambiguation.question} = {' | '.join(disambiguation.answers)}")
        if disambiguation.context:
            # Empty brackets are written, too: otherwise a context in brackets would be read as a
            # title.
            text = f"[{disambiguation.context.title}] {disambiguation.context.text}"
            lines += [f"> {line}" for line in text.splitlines()]
    return "\n".join(lines)


def accepted_text(prepared: tuple[PreparedAnswer, ...]) -> str:
    """Return prepared answers as text that `read_accepted` reads."""
    return "\n\n".join("\n".join(_lines(answer)) for answer in prepared)


def seeded_text(seeded: tuple[Seeded, ...]) -> str:
    """Return seeded annotations as text that `read_seeded` reads."""
    return "\n\n".join(
        "\n".join(["correct" if annotation.correct else "incorrect", *_lines(annotation.answer)])
        for annotation in seeded
    )


def _lines(answer: PreparedAnswer) -> list[str]:
    if answer.none:
        return [NONE]
    if answer.answers:
        return [f"= {' | '.join(answer.answers)}"]
    return [f"{pair.question} = {' | '.join(pair.answers)}" for pair in answer.pairs]


def _blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if words := line.strip():
            block.append((number, words))
        elif block:
            yield block
            block = []


def _answer(lines: list[tuple[int, str]]) -> PreparedAnswer:
    where = f"Line {lines[0][0]}"
    if [words.lower() for _, words in lines] == [NONE]:
        return PreparedAnswer()
    pairs = []
    for number, words in lines:
        question, sign, answers = (
            ("", "=", words[1:]) if words[0] == "=" else words.partition(" = ")
        )
        if not sign:
            raise ItemError(
                f"Line {number}: write the question, “ = ”, and the forms of its answer with “|” "
                "between them. One clear answer begins with “=”."
            )
        forms = [form.strip() for form in answers.split("|")]
        if not question.strip() and len(lines) > 1:
            raise ItemError(
                f"Line {number}: it has no question. With several answers each has its own; "
                "an empty line begins another prepared answer."
            )
        pairs.append({"question": question.strip(), "answers": forms})
    if len(pairs) == 1 and not pairs[0]["question"]:
        return prepared_from({"answers": pairs[0]["answers"]}, where)
    return prepared_from({"pairs": pairs}, where)
