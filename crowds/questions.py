"""Questions with options, as the team types them: of the form about participants, of checks.

    How old are you?
    - Under 18 (screen out)
    - 18 to 34
    - 35 or older

    Which country do you live in?

A blank line ends a question. One without options is answered in a line of text. What an option in
brackets means is said by whoever reads it: it ends the participation, or is the right one.
"""

from dataclasses import dataclass

MOST_QUESTIONS = 30
MOST_OPTIONS = 60
LONGEST = 300
LONGEST_TEXT = 20_000
SCREEN_OUT, RIGHT = "(screen out)", "(right)"
RATHER_NOT = "I’d rather not say"


class BadQuestions(ValueError):
    """The text cannot be read. The message says where and what to do."""


@dataclass(frozen=True)
class OptionQuestion:
    """A question, its options (none: a line of text) and those that are marked."""

    label: str
    options: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()

    def dump(self) -> dict[str, object]:
        """Return the question as it is stored."""
        return {"label": self.label, "options": [*self.options], "marked": [*self.marked]}


def read_questions(text: str, *, mark: str) -> list[OptionQuestion]:
    """Return the questions of a text, with the options that end in `mark`. Raises BadQuestions."""
    lines = text.replace("\x00", "").splitlines()
    blocks: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(lines, 1):
        if line.strip():
            blocks[-1].append((number, " ".join(line.split())))
        elif blocks[-1]:
            blocks.append([])
    asked = [_question(block, mark) for block in blocks if block]
    if len(asked) > MOST_QUESTIONS:
        raise BadQuestions(f"There are {len(asked)} questions. The maximum is {MOST_QUESTIONS}.")
    labels = [question.label.casefold() for question in asked]
    for question in asked:
        if labels.count(question.label.casefold()) > 1:
            raise BadQuestions(f"“{question.label}” is there twice. Word each question once.")
    return asked


def _question(block: list[tuple[int, str]], mark: str) -> OptionQuestion:
    (start, label), *rest = block
    if label.startswith("- "):
        raise BadQuestions(f"Line {start}: this option has no question above it.")
    options: list[str] = []
    marked: list[str] = []
    for number, line in [(start, label), *rest]:
        if len(line) > LONGEST:
            raise BadQuestions(
                f"Line {number} has {len(line)} characters. The maximum is {LONGEST}."
            )
    for number, line in rest:
        if not line.startswith("- "):
            raise BadQuestions(
                f"Line {number}: begin options with “- ”, and leave a line empty before a question."
            )
        option = line[2:].strip()
        if option.casefold().endswith(mark):
            option = option[: -len(mark)].strip()
            marked.append(option)
        if not option or option in options or option == RATHER_NOT:
            raise BadQuestions(f"Line {number}: this option is empty, or there already.")
        options.append(option)
    if len(options) == 1 or len(options) > MOST_OPTIONS:
        raise BadQuestions(
            f"“{label}” (line {start}) needs no options, or 2 to {MOST_OPTIONS} of them."
        )
    return OptionQuestion(label, tuple(options), tuple(marked))


def read_checks(text: str) -> list[OptionQuestion]:
    """Return attention checks: each has options, of which one is right. Raises BadQuestions."""
    asked = read_questions(text, mark=RIGHT)
    for question in asked:
        if len(question.marked) != 1:
            raise BadQuestions(
                f"“{question.label}” needs options, and one of them must end with “{RIGHT}”."
            )
    return asked


def questions_before_check(number: int, *, checks: int, questions: int) -> int:
    """Return after how many questions check `number` (from 0) comes: they are spread evenly."""
    return max(1, round(questions * (number + 1) / (checks + 1)))
