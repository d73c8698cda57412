"""The dataset card of a release of accepted answers with the articles that hold them."""

from collections.abc import Iterator

from annotation.sheets.rules import format_count
from validation.release.card import KINDS, AmbigNQCard, by_number, escape_markdown


class EvidenceCard(AmbigNQCard):
    """The card of questions with their accepted answers and articles."""

    kinds = (*KINDS, ("without_answers", "without answers"))
    of_fields = (
        f"{AmbigNQCard.of_fields} Articles are in the order in which people opened them, which "
        "says nothing about the answers in them."
    )
    limits = (
        f"{AmbigNQCard.limits}\n"
        "- Articles were chosen knowing the answers: an article that was opened and holds an "
        "accepted answer is always there. A system that reads them did not have to find them.\n"
        "- An article holds an answer where one of its forms appears as words. That need not be "
        "the place that answers the question."
    )

    def describe_data(self, of_split: str) -> str:
        return (
            f"{super().describe_data(of_split)}, with "
            f"{format_count(self.counts['articles'], 'article')} that people opened to answer them"
        )

    def in_numbers(self) -> Iterator[str]:
        yield from super().in_numbers()
        if self.counts["questions"]:
            yield f"Articles per question: {by_number(self.counts['articles_per_question'])}."

    def _licence(self) -> str:
        snapshot = self.manifest["snapshot"]
        return (
            f"The articles are text of {escape_markdown(snapshot['title'])} under "
            f"{escape_markdown(snapshot['licence'])}. `articles` names the source of each: keep it "
            "with the text. They were changed: pictures and menus are left out, and links to other "
            f"articles lead nowhere.\n\n{super()._licence()}"
        )
