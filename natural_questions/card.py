"""The dataset card of a release, in Markdown."""

from collections.abc import Iterator

from annotation.sheets.rules import format_count
from natural_questions.answers import STAGE
from validation.release.card import Card, by_number, render_markdown_table

_PATHS = {
    "bad": "call it a bad question",
    "no-long": "find no answer on the page",
    "long-only": "have a long answer alone",
    "yes-no": "have a long answer, and yes or no",
    "short": "have a long answer and a short answer",
}


class PageCard(Card):
    """The card of questions with the places of their answers on a page."""

    decided = "annotated_by"
    answers = "annotations"
    checked = "A short answer is inside its long answer, and a long answer is one of the boxes."
    shape = "One line for each question, a JSON object."
    of_fields = (
        "An annotation without a long answer does not tell a bad question from a page without an "
        "answer; the raw submissions do. The order is the order of import within each split."
    )
    left_out = (
        ("unfinished", "not yet answered by everyone who is asked"),
        ("excluded", "excluded"),
        ("concern_open", "with a concern that is not yet decided"),
        ("skipped", "skipped by everyone who was asked"),
        ("no_page", "without a page"),
    )
    derived = "pages and their parts are released under the same terms."
    limits = (
        "- People differ in whether a page answers a question, and where. Every annotation is here "
        "so that this can be measured.\n"
        "- An answer that is spread over several boxes counts as none."
    )

    def describe_data(self, of_split: str) -> str:
        return (
            f"{format_count(self.counts['questions'], 'question')}, each with one page and "
            f"{format_count(self.counts['annotations'], 'annotation')} of where it is answered: "
            f"{of_split}"
        )

    def describe_making(self) -> str:
        return (
            "One person judged whether the question is a good one before seeing the page, then "
            "chose the smallest box of the page that holds the whole answer, or none, then the "
            "words in it that answer, or yes, no or none."
        )

    def describe_people(self) -> Iterator[str]:
        """Say how many people the project asks for in each split."""
        asked = [policy for policy in self.policies if policy.stage == STAGE]
        if asked:
            yield render_markdown_table(
                ("split", "people for each question"),
                ((policy.split, str(policy.people)) for policy in asked),
            )

    def in_numbers(self) -> Iterator[str]:
        counts = self.counts
        yield render_markdown_table(
            ("split", "questions", "annotations"),
            (
                (split, f"{numbers['questions']:,}", f"{numbers['annotations']:,}")
                for split, numbers in counts["by_split"].items()
                if numbers["questions"]
            ),
        )
        if not counts["questions"]:
            return
        ways = "\n".join(
            f"- {number:,} {_PATHS[path]}"
            for path, number in counts["annotations_by_path"].items()
            if number
        )
        sizes = by_number(counts["annotations_per_question"])
        yield f"Questions by annotations: {sizes}.\n\n{ways}"

    def also_left_out(self) -> Iterator[str]:
        yield from ()
