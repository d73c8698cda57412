"""A run: from a graph and the pages of a snapshot to questions with evidence. Pure over both.

Steps of QAMPARI's sections 2.1, 2.2 and 2.4: simple queries, evidence, which are kept;
intersections and compositions of those; wording; splits; what is drawn. Each step counts what it
leaves out and why.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from heapq import nsmallest
from typing import Any, Final, Protocol

from metrics.text import answer_key
from qampari.making import wording
from qampari.making.choices import MakingChoice
from qampari.making.evidence import ReadsPages
from qampari.making.judging import EvidenceJudge
from qampari.making.left_out import LeftOutQueries, describe_composition, describe_simple
from qampari.making.queries import (
    CompositionQuery,
    GraphReads,
    KeptQuery,
    SimpleQuery,
    Triple,
    find_compositions,
    find_intersections,
    find_simple_queries,
    keep_composition,
    keep_simple,
)
from qampari.making.relations import AskedRelation
from qampari.making.reviewed import NOTHING_REVIEWED, REFUSED, ReviewedQuestions
from qampari.making.sharing import count_shared
from qampari.making.splitting import (
    GraphQuery,
    draw_key,
    draw_queries,
    halve_relations,
    key_of_query,
    kind_of_query,
    list_subjects,
    pool_queries,
)
from qampari.making.table_queries import TableQuestion
from qampari.making.table_run import MadeTables, TableReader
from qampari.making.verdicts import KeepsVerdicts, TripleJudge
from qampari.making.worded import WordedQuery, list_steps, name_subjects, write_question
from qampari.records import COMPOSITION, SIMPLE
from wikipedia.wikidata.graph import NamedEntity, StatementOf

UNNAMED, NAMED_IN_QUESTION, SAME_QUESTION = "unnamed", "answer_in_question", "same_question"
_INSTANCE_OF: Final = 31
# Lists, pages that tell names apart, categories: pages about other pages.
_NO_THINGS: Final = frozenset({13406463, 4167410, 4167836})


class ReadsGraph(GraphReads, Protocol):
    """What a run reads of a graph."""

    def find_entities(self, numbers: Collection[int]) -> dict[int, NamedEntity]: ...

    def find_proofs(self, prop: int, value: int, item: int) -> list[StatementOf]: ...

    def list_inverses(self) -> set[tuple[int, int]]: ...


@dataclass(frozen=True, slots=True)
class MadeQuestions:
    """What a run has made. counts: what each step gave and left out, for people and programs.

    tables: questions from lists of the snapshot, where the choice wants them.
    """

    questions: list[WordedQuery]
    judge: TripleJudge
    counts: dict[str, Any]
    tables: list[TableQuestion] = field(default_factory=list)


class MakingRun:
    """One run; `report` is called with how many simple queries were judged so far."""

    def __init__(
        self,
        graph: ReadsGraph,
        pages: ReadsPages,
        judge: EvidenceJudge,
        choice: MakingChoice,
        *,
        known: Collection[str] = (),
        reviewed: ReviewedQuestions = NOTHING_REVIEWED,
        kept: KeepsVerdicts | None = None,
        report: Callable[[int], None] | None = None,
    ) -> None:
        self._graph, self._choice, self._report = graph, choice, report
        self._pages = pages
        self._judge = TripleJudge(pages, judge, choice.threshold, kept)
        # Questions that there are already, as `answer_key` has them.
        self._known = set(known)
        self._reviewed = reviewed
        self._most_judged = choice.judged_of_relation
        self._left_out = LeftOutQueries()
        self._found: Counter[str] = Counter()

    def make(self, *, most_judged: int | None = None) -> MadeQuestions:
        """Make the questions. Raises Conflict where relations cannot be halved.

        most_judged: queries of each relation to look for evidence of, in place of the choice's.
        """
        choice, self._most_judged = self._choice, most_judged or self._choice.judged_of_relation
        reader = TableReader(self._pages, choice, self._reviewed) if choice.tables else None
        inverses = self._graph.list_inverses()
        properties = {relation.property for relation in choice.relations}
        halves = halve_relations(properties, inverses, choice.seed)
        kept = list(self._keep_simple())
        queries: list[GraphQuery] = [each.query for each in kept]
        queries += find_intersections(kept, choice.rule, self._left_out.counts)
        queries += self._keep_compositions(kept, inverses)
        self._found.update(f"{kind_of_query(query)}_kept" for query in queries)
        worded = {key_of_query(each.query): each for each in self._word(queries)}
        pools, apart = pool_queries(
            (each.query for each in worded.values()),
            halves,
            choice.split,
            choice.seed,
            subjects_apart=choice.subjects_apart,
        )
        drawn, short = draw_queries(pools, choice.plan, choice.seed)
        questions = [
            replace(own, split=split)
            for split, queries in drawn.items()
            for own in (worded[key_of_query(query)] for query in queries)
        ]
        tables = MadeTables()
        if reader:
            tables = reader.make_questions(
                questions, self._known, self._left_out, self._tell, most_judged
            )
        counts = {
            "found": dict(sorted((self._found + tables.found).items())),
            "left_out": dict(sorted((self._left_out.counts + apart + tables.left_out).items())),
            "examples": self._left_out.examples,
            "evidence": self._judge.count_scores(),
            "triples": len(self._judge),
            "sentences": self._judge.sentences,
            "halves": {f"P{number}": half for number, half in halves.items()},
            "drawn": {
                split: len(queries) + tables.count_in(split) for split, queries in drawn.items()
            },
            "short": list(map(asdict, [*short, *tables.short])),
            "shared": asdict(count_shared(drawn)) | tables.shared,
        }
        return MadeQuestions(questions, self._judge, counts, tables.questions)

    def _tell(self, lists: int) -> None:
        if self._report:
            self._report(self._found[SIMPLE] + lists)

    def _keep_simple(self) -> Iterator[KeptQuery]:
        seen = 0
        for relation in self._choice.relations:
            for query in self._draw_simple(relation):
                own = self._without_lists(query)
                seen += 1
                entities = self._graph.find_entities([own.subject, *own.answers])
                supported = {
                    item
                    for item in own.answers
                    if self._is_named(entities, own.subject, item)
                    and self._judge.is_supported(Triple(relation, item, own.subject), entities)
                }
                kept = keep_simple(own, supported, self._choice.rule)
                if isinstance(kept, KeptQuery):
                    yield kept
                else:
                    self._left_out.add(kept, describe_simple(own, len(supported), entities))
                if self._report:
                    self._report(seen)

    def _draw_simple(self, relation: AskedRelation) -> list[SimpleQuery]:
        """Return the queries of a relation for which evidence is looked for, by their subjects."""
        choice = self._choice

        def count(query: SimpleQuery) -> bytes:
            self._found[SIMPLE] += 1
            return draw_key(choice.seed, key_of_query(query))

        found = find_simple_queries(self._graph, relation, choice.rule, choice.day)
        drawn = nsmallest(self._most_judged, found, key=count)
        return sorted(drawn, key=lambda query: query.subject)

    def _keep_compositions(
        self, kept: Iterable[KeptQuery], inverses: Collection[tuple[int, int]]
    ) -> Iterator[CompositionQuery]:
        choice = self._choice
        found = find_compositions(
            self._graph, kept, choice.relations, inverses, choice.rule, choice.day
        )
        for query in found:
            self._found[COMPOSITION] += 1
            items = {item for _, own in query.links for item in own}
            entities = self._graph.find_entities([query.base.subject, *items, *query.answers])
            good = keep_composition(
                query, partial(self._is_supported, entities=entities), choice.rule
            )
            if isinstance(good, CompositionQuery):
                yield good
            else:
                self._left_out.add(good, describe_composition(query, entities))

    def _is_supported(self, triple: Triple, entities: dict[int, NamedEntity]) -> bool:
        named = self._is_named(entities, triple.item, triple.value)
        return named and self._judge.is_supported(triple, entities)

    def _without_lists(self, query: SimpleQuery) -> SimpleQuery:
        things = tuple(item for item in query.answers if not self._is_no_thing(item))
        return SimpleQuery(query.relation, query.subject, things)

    def _is_no_thing(self, item: int) -> bool:
        return any(
            one.property == _INSTANCE_OF and one.value in _NO_THINGS
            for one in self._graph.find_statements(item)
        )

    @staticmethod
    def _is_named(entities: dict[int, NamedEntity], *numbers: int) -> bool:
        return all(number in entities and entities[number].label for number in numbers)

    def _word(self, queries: Iterable[GraphQuery]) -> Iterator[WordedQuery]:
        """Give the queries whose words make a question that nobody has, by their keys in order."""
        for query in sorted(queries, key=key_of_query):
            subjects = list_subjects(query)
            entities = self._graph.find_entities({*subjects, *query.answers, *list_steps(query)})
            if not self._is_named(entities, *subjects):
                self._left_out.add(UNNAMED, key_of_query(query))
                continue
            written = write_question(query, name_subjects(entities, subjects))
            if key_of_query(query) in self._reviewed.left_out:
                self._left_out.add(REFUSED, written.text)
                continue
            question = self._reviewed.reword(key_of_query(query), written)
            answers = [entities[each].label or "" for each in query.answers if each in entities]
            key = answer_key(question.text)
            if wording.has_name_in_question(question.text, answers):
                self._left_out.add(NAMED_IN_QUESTION, question.text)
            elif key in self._known or len(question.text) > wording.MOST_CHARACTERS:
                self._left_out.add(SAME_QUESTION, question.text)
            else:
                self._known.add(key)
                yield WordedQuery(query, question, entities, written_as=written.text)
