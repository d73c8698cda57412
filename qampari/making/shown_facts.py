"""Facts with their sentences as a person judges them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from qampari.making.choices import MakingChoice
from qampari.making.queries import Triple
from qampari.making.relations import preview_question
from qampari.making.stored_verdicts import hash_wording
from qampari.making.wording import write_statement
from qampari.models import EvidenceVerdict
from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.folders import open_graph


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact, and the sentence that shows it best, which stands after its context.

    statement: what the sentence has to show; own: what the person said, None where they did not.
    """

    pk: int
    statement: str
    question: str
    context: str
    sentence: str
    title: str
    url: str
    score: float
    own: bool | None


def show_facts(
    verdicts: Collection[EvidenceVerdict],
    choice: MakingChoice,
    graph: str,
    opinions: Mapping[int, bool],
) -> list[ShownFact]:
    """Return verdicts with their words. Names are the graph's, where it is here."""
    relations = {hash_wording(each): each for each in choice.relations}
    names = _read_names(verdicts, graph)
    shown = []
    for verdict in verdicts:
        relation = relations[verdict.wording]
        # Without the graph the sentence itself says how both are called.
        titled, found = verdict.title, verdict.found
        item, value = (titled, found) if verdict.of_item else (found, titled)
        own = {
            verdict.item: names.get(verdict.item) or item,
            verdict.value: names.get(verdict.value) or value,
        }
        place = verdict.sentence - verdict.start
        shown.append(
            ShownFact(
                pk=verdict.pk,
                statement=write_statement(Triple(relation, verdict.item, verdict.value), own),
                question=preview_question(relation, own[verdict.value]),
                context=verdict.text[:place].strip(),
                sentence=verdict.text[place:].strip(),
                title=titled,
                url=verdict.url if verdict.url.startswith(("https://", "http://")) else "",
                score=verdict.score,
                own=opinions.get(verdict.pk),
            )
        )
    return shown


def _read_names(verdicts: Collection[EvidenceVerdict], graph: str) -> dict[int, str]:
    numbers = {number for each in verdicts for number in (each.item, each.value)}
    try:
        with open_graph(graph) as opened:
            return {
                number: entity.label or ""
                for number, entity in opened.find_entities(numbers).items()
            }
    except GraphProblem:
        return {}
