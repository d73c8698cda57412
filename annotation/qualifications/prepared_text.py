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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.generation.known_answers import (
    PreparedAnswer,
    answers_to_json,
    read_answer,
    read_answers,
)
from annotation.long_answers.response import MAX_TEXT
from annotation.qualifications.items import read_disambiguations
from annotation.text.cleaning import ResponseError, passage_of

NONE = "none"
_VERDICTS = {"correct": True, "incorrect": False}


def read_text(name: str, text: str) -> object:
    """Return what is typed in a field of what is expected of an item, as its JSON.

    Raises ResponseError, naming the line.
    """
    if name == "accepted":
        return answers_to_json([_answer(lines) for lines in _blocks(text)])
    if name == "seeded":
        return answers_to_json([_seeded(lines) for lines in _blocks(text)])
    if name == "qa_pairs":
        return read_disambiguations(_disambiguations(text))
    if name == "model_answer":
        return passage_of(text, MAX_TEXT, "The model answer")
    return text


def write_text(name: str, expected: Mapping[str, Any]) -> str:
    """Return a field of what is expected of an item as text that `read_text` reads."""
    if name in ("model_answer", "shown", "verdict"):
        return str(expected.get(name, ""))
    if name == "qa_pairs":
        return "\n".join(_disambiguation_lines(expected.get(name, [])))
    answers = read_answers(expected.get(name, []), name, judged=name == "seeded")
    return "\n\n".join("\n".join(_lines(answer)) for answer in answers)


def _seeded(lines: list[tuple[int, str]]) -> PreparedAnswer:
    (number, first), *rest = lines
    verdict = _VERDICTS.get(first.lower().rstrip(":"))
    if verdict is None:
        raise ResponseError(f"Line {number}: begin each annotation with “correct” or “incorrect”.")
    if not rest:
        raise ResponseError(f"Line {number}: say below it what was annotated.")
    return replace(_answer(rest), correct=verdict)


def _disambiguations(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if not words:
            continue
        if words.startswith(">"):
            if not rows:
                raise ResponseError(f"Line {number}: put a context below its disambiguation.")
            _add_context(rows[-1], words[1:].strip())
            continue
        question, sign, answers = words.partition(" = ")
        if not sign:
            raise ResponseError(
                f"Line {number}: write the question, “ = ”, and the forms of its answer with “|” "
                "between them."
            )
        forms = [form.strip() for form in answers.split("|")]
        rows.append({"question": question.strip(), "short_answers": forms})
    return rows


def _add_context(row: dict[str, Any], words: str) -> None:
    if "context" in row:
        row["context"] += f"\n{words}"
        return
    if words.startswith("[") and "]" in words:
        title, _, words = words[1:].partition("]")
        row["wikipage"] = title.strip()
    row["context"] = words.strip()


def _disambiguation_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"{row['question']} = {' | '.join(row['short_answers'])}"
        if row["context"]:
            # Empty brackets are written, too: otherwise a context in brackets would be read as a
            # title.
            text = f"[{row['wikipage'] or ''}] {row['context']}"
            yield from (f"> {line}" for line in text.splitlines())


def _lines(answer: PreparedAnswer) -> Iterator[str]:
    if answer.correct is not None:
        yield "correct" if answer.correct else "incorrect"
    if answer.none:
        yield NONE
    if answer.answers:
        yield f"= {' | '.join(answer.answers)}"
    for pair in answer.pairs:
        yield f"{pair.question} = {' | '.join(pair.answers)}"


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
            raise ResponseError(
                f"Line {number}: write the question, “ = ”, and the forms of its answer with “|” "
                "between them. One clear answer begins with “=”."
            )
        forms = [form.strip() for form in answers.split("|")]
        if not question.strip() and len(lines) > 1:
            raise ResponseError(
                f"Line {number}: it has no question. With several answers each has its own; "
                "an empty line begins another prepared answer."
            )
        pairs.append({"question": question.strip(), "answers": forms})
    if len(pairs) == 1 and not pairs[0]["question"]:
        return read_answer({"answers": pairs[0]["answers"]}, where)
    return read_answer({"pairs": pairs}, where)
