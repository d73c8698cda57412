"""Small graphs in memory, with what queries read of a graph."""

from collections import defaultdict

from qampari.making.relations import AskedRelation
from wikipedia.wikidata.graph import StatementOf


def relation(prop, *, type_id=None, noun="bridges", cues=(), time="any"):
    return AskedRelation(
        property=prop,
        type=type_id,
        noun=noun,
        question=f"Which {noun} have relation {prop} to {{subject}}?",
        phrase=f"have relation {prop} to {{subject}}",
        statement=f"{{answer}} has relation {prop} to {{subject}}.",
        values=f"values of {prop}",
        cues=cues,
        time=time,
    )


def statement(prop, value, item, *, rank=0, start=None, end=None):
    return StatementOf(prop, value, item, f"Q{item}${prop}-{value}", rank, start, end)


class MemoryGraph:
    """A graph of triples (item, property, value), or of statements."""

    def __init__(self, said):
        self.said = [one if isinstance(one, StatementOf) else statement(*one) for one in said]

    def scan_relation(self, prop, *, least=1, type_id=None):
        having = defaultdict(set)
        for one in self.said:
            if one.property == prop and (type_id is None or self._is_of(one.item, type_id)):
                having[one.value].add(one.item)
        for value, items in sorted(having.items()):
            if len(items) >= least:
                yield value, sorted(items)

    def find_statements(self, item):
        return [one for one in self.said if one.item == item]

    def _is_of(self, item, type_id):
        return any(
            (each.property, each.value) == (31, type_id) for each in self.find_statements(item)
        )
