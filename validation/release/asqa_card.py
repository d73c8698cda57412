"""The dataset card of a release of long answers, in Markdown."""

from collections.abc import Iterator

from annotation.long_answers.stage import LONG_ANSWERS
from annotation.sheets.rules import format_count
from validation.release.card import (
    Card,
    by_number,
    escape_markdown,
    format_date,
    render_markdown_table,
)


class AsqaCard(Card):
    """The card of ambiguous questions with their long answers."""

    decided = "written_by"
    answers = "long answers"
    checked = (
        "Long answers were checked by rules as they were written: a short answer that is not in "
        "the text was pointed out, and could be marked as said in other words. A warning could be "
        "kept with a reason."
    )
    shape = "One object with a part for each split; in it a record for each question, under its id."
    of_fields = (
        "Every text of `short_answers` is accepted as that answer. The order is the "
        "order of import within each split."
    )
    left_out = (
        ("unfinished", "not yet answered by everyone who is asked"),
        ("excluded", "excluded, most after a concern about their disambiguations"),
        ("concern_open", "with a concern that is not yet decided"),
        ("skipped", "skipped by everyone who was asked"),
    )
    derived = (
        "context paragraphs and knowledge are taken from it, "
        "and long answers written from it are released under the same terms."
    )
    limits = (
        "- A short answer counts as present where one of its forms appears in the text as "
        "characters. A correct form may be missing from the list.\n"
        "- The disambiguations are those of the imported files: what they do not cover is in no "
        "long answer either."
    )

    def describe_data(self, of_split: str) -> str:
        return (
            f"{format_count(self.counts['questions'], 'ambiguous question')}, and "
            f"{format_count(self.counts['annotations'], 'long answer')}, each written to cover "
            f"every disambiguation of its question: {of_split}"
        )

    def describe_making(self) -> str:
        snapshot = self.project.snapshot
        return (
            "Writers were given an ambiguous question with its disambiguations, their short "
            "answers, paragraphs of context and pages. They wrote one coherent answer that covers "
            "every disambiguation and says where the ambiguity comes from, and gave evidence from "
            f"{escape_markdown(snapshot.title)} (as of {format_date(snapshot.as_of)}) for what "
            "they brought in beyond that."
        )

    def describe_people(self) -> Iterator[str]:
        """Say how many writers the project asks for in each split, and what they are given."""
        asked = [policy for policy in self.policies if policy.stage == LONG_ANSWERS]
        if not asked:
            return
        yield render_markdown_table(
            ("split", "writers for each question"),
            ((policy.split, str(policy.people)) for policy in asked),
        )
        if alone := self.counts["writers_were_given"]["question"]:
            yield (
                f"The writers of {format_count(alone, 'long answer')} were given the question "
                "alone, and found the disambiguations without help."
            )

    def in_numbers(self) -> Iterator[str]:
        counts = self.counts
        yield render_markdown_table(
            ("split", "questions", "long answers"),
            (
                (split, f"{numbers['questions']:,}", f"{numbers['annotations']:,}")
                for split, numbers in counts["by_split"].items()
                if numbers["questions"]
            ),
        )
        if not counts["questions"]:
            return
        sizes = ", ".join(
            f"{format_count(n, 'question')} with {number}"
            for number, n in counts["disambiguations_per_question"].items()
        )
        yield (
            f"{format_count(counts['disambiguations'], 'disambiguation')}, "
            f"{counts['contexts']:,} with a context paragraph: {sizes}. "
            f"{format_count(counts['short_answers'], 'short answer')}. "
            f"{format_count(counts['wikipages'], 'page')}."
        )
        in_other_words = (
            f" At {format_count(counts['overrides'], 'place')} a long answer says a short answer "
            "in other words than its list has, as its writer marked."
            if counts["overrides"]
            else ""
        )
        yield (
            f"Long answers per question: {by_number(counts['annotations_per_question'])}. They "
            f"have {counts['words'] / counts['annotations']:.1f} words on average, and "
            f"{counts['knowledge'] / counts['annotations']:.1f} pieces of knowledge."
            f"{in_other_words}"
        )

    def also_left_out(self) -> Iterator[str]:
        if self.manifest["left_out"]["excluded"]:
            yield "\nThe manifest lists what was decided on each excluded question."
