"""Made questions as records of QAMPARI, with where each answer is from (Q18). Pure.

The record is the official one (`qampari.records`), so that an import, the check of answers, the
paraphrases and the release take it as it is. What QAMPARI has no key for stands beside it, and is
released again: `wikidata` of an answer (its statements), `evidence` of a proof (the page, the place
in its text, the verdict), `making` of a question.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from metrics.text import answer_key
from qampari.made_from import MAKING
from qampari.making.queries import CompositionQuery, IntersectionQuery, SimpleQuery, Triple
from qampari.making.relations import key_of_relation
from qampari.making.run import MadeQuestions, ReadsGraph
from qampari.making.splitting import GraphQuery, key_of_query, kind_of_query, list_subjects
from qampari.making.table_records import write_table_records
from qampari.making.verdicts import TripleVerdict
from qampari.making.worded import WordedQuery
from qampari.records import COMPOSITION
from wikipedia.wikidata.graph import NamedEntity

Record = dict[str, Any]
# As QAMPARI's ids name the kinds.
_KIND_IN_ID: Final = {COMPOSITION: "comp"}


class RecordWriter:
    """Writes records. source: what every question of the run says of it, such as graph and seed."""

    def __init__(
        self,
        graph: ReadsGraph,
        made: MadeQuestions,
        *,
        language: str,
        snapshot: str,
        judge: str,
        source: Mapping[str, Any],
    ) -> None:
        self._graph, self._made, self._language = graph, made, language
        self._verdict_of = {"snapshot": snapshot, "judge": judge}
        self._source = dict(source)

    def write_records(self) -> Iterator[Record]:
        """Give a record for each question, in the order in which they were drawn."""
        yield from map(self._write, self._made.questions)
        snapshot = self._verdict_of["snapshot"]
        yield from write_table_records(self._made.tables, snapshot=snapshot, source=self._source)

    def _write(self, own: WordedQuery) -> Record:
        query = own.query
        kind = kind_of_query(query)
        name = hashlib.sha256(key_of_query(query).encode()).hexdigest()[:12]
        proven = self._list_answers(own)
        answers = self._merge_same([self._write_answer(own, number) for number in proven])
        return {
            "qid": f"{name}__wikidata_{_KIND_IN_ID.get(kind, kind)}__{own.split}",
            "question_text": own.question.text,
            "answer_list": answers,
            "entities": [
                self._write_entity(own.entities[each])
                for each in dict.fromkeys(list_subjects(query))
            ],
            MAKING: {
                **self._source,
                "queries": [
                    [key_of_relation(each.relation), f"Q{each.subject}"]
                    for each in list_simple_parts(query)
                ],
                "templates": list_templates(query),
                "denotation": len(list_denotation(query)),
                "validated": len(answers),
                "unproven": self._name_unproven(own, proven),
                "needs_paraphrase": own.question.needs_paraphrase,
                **({"reworded_from": own.written_as} if own.is_reworded else {}),
            },
        }

    def _list_answers(self, own: WordedQuery) -> list[int]:
        """Return the answers that have evidence for all that is said of them."""
        return [number for number in own.query.answers if self._find_proven(own, number)]

    def _name_unproven(self, own: WordedQuery, proven: list[int]) -> list[str]:
        """Return the names of what answers by the graph and without evidence."""
        rest = set(list_denotation(own.query)) - set(proven)
        entities = self._graph.find_entities(rest)
        names = {name for each in entities.values() for name in (each.label, *each.aliases) if name}
        return sorted(names)

    def _find_proven(self, own: WordedQuery, answer: int) -> list[tuple[Triple, TripleVerdict]]:
        """Return what an answer rests on: the first way in which all of it has evidence."""
        judge, entities = self._made.judge, own.entities
        for way in list_ways(own.query, answer):
            if all(
                number in entities and entities[number].label
                for triple in way
                for number in (triple.item, triple.value)
            ) and all(judge.is_supported(triple, entities) for triple in way):
                return [(triple, judge.find_verdict(triple, entities)) for triple in way]
        return []

    def _write_answer(self, own: WordedQuery, number: int) -> Record:
        entity = own.entities[number]
        proven = self._find_proven(own, number)
        proofs: dict[tuple[str, int, int], Record] = {}
        for _, verdict in proven:
            proof = self._write_proof(verdict)
            place = proof["evidence"]
            proofs.setdefault((place["path"], place["start"], place["end"]), proof)
        return {
            "answer_text": entity.label,
            "aid": f"Q{number}",
            "answer_url": self._address(entity),
            "aliases": [alias for alias in entity.aliases if alias != entity.label],
            "proof": list(proofs.values()),
            "wikidata": [row for triple, _ in proven for row in self._write_statements(triple)],
        }

    def _write_proof(self, verdict: TripleVerdict) -> Record:
        window = verdict.window
        assert window is not None
        return {
            "proof_text": window.text,
            "found_in_url": window.url,
            "pid": f"{window.path}:{window.start}-{window.end}",
            "evidence": {
                **self._verdict_of,
                "path": window.path,
                "revision": window.revision,
                "start": window.start,
                "end": window.end,
                "sentence": window.sentence,
                "alias": window.found,
                "linked": window.linked,
                "score": round(verdict.score, 4),
            },
        }

    def _write_statements(self, triple: Triple) -> Iterator[Record]:
        said = self._graph.find_proofs(triple.relation.property, triple.value, triple.item)
        for one in said:
            yield {
                "item": f"Q{one.item}",
                "property": f"P{one.property}",
                "value": f"Q{one.value}",
                "statement": one.statement,
                "rank": ("normal", "preferred")[one.rank],
                "start": one.start,
                "end": one.end,
            }

    def _write_entity(self, entity: NamedEntity) -> Record:
        return {
            "entity_text": entity.label,
            "entity_id": f"Q{entity.id}",
            "entity_url": self._address(entity),
            "aliases": list(entity.aliases),
        }

    def _address(self, entity: NamedEntity) -> str:
        if not entity.title:
            return ""
        path = quote("_".join(entity.title.split()), safe="/:,()!'")
        return f"https://{self._language}.wikipedia.org/wiki/{path}"

    @staticmethod
    def _merge_same(answers: list[Record]) -> list[Record]:
        """Return the answers with those of one name as one: a reader could not tell them apart."""
        kept: dict[str, Record] = {}
        for answer in answers:
            first = kept.setdefault(answer_key(answer["answer_text"]), answer)
            if first is not answer:
                first["aliases"] = list(dict.fromkeys([*first["aliases"], *answer["aliases"]]))
                first["wikidata"] += answer["wikidata"]
                first["proof"] += answer["proof"]
        return list(kept.values())


def list_simple_parts(query: GraphQuery) -> list[SimpleQuery]:
    """Return the simple queries in a question, one or two; a composition's other relation is last.

    The last one of a composition has no answers of its own, and the base's subject.
    """
    if isinstance(query, SimpleQuery):
        return [query]
    if isinstance(query, IntersectionQuery):
        return [query.first, query.second]
    return [query.base, SimpleQuery(query.relation, query.base.subject, ())]


def list_denotation(query: GraphQuery) -> Sequence[int]:
    """Return all answers by the graph, with evidence or not."""
    if isinstance(query, IntersectionQuery):
        second = set(query.second.answers)
        return [each for each in query.first.answers if each in second]
    if isinstance(query, CompositionQuery):
        return sorted({*query.answers, *query.unproven})
    return query.answers


def list_templates(query: GraphQuery) -> list[str]:
    """Return the wordings from which a question was written."""
    if isinstance(query, SimpleQuery):
        return [query.relation.question]
    return [each.relation.phrase for each in list_simple_parts(query)]


def list_ways(query: GraphQuery, answer: int) -> list[list[Triple]]:
    """Return the ways in which an answer follows: all triples of one need evidence.

    Only a composition has several, one for each answer of its base that has the value.
    """
    if isinstance(query, SimpleQuery):
        return [[Triple(query.relation, answer, query.subject)]]
    if isinstance(query, IntersectionQuery):
        parts = (query.first, query.second)
        return [[Triple(each.relation, answer, each.subject) for each in parts]]
    return _list_steps(query, answer)


def _list_steps(query: CompositionQuery, answer: int) -> list[list[Triple]]:
    base = query.base
    items = next(own for value, own in query.links if value == answer)
    return [
        [Triple(base.relation, item, base.subject), Triple(query.relation, item, answer)]
        for item in items
    ]
