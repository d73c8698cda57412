"""Which answers of several annotations are the same answer, on plain strings.

Two answers of different annotations belong together when they share a form, as
``metrics.text.same_answer`` compares them. Two answers of one annotation never do: their author
said that they differ. Validation begins with these clusters (A41), and when every cluster holds
exactly one answer of each annotation, all answers match and nobody needs to validate (A46).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.text import answer_key

Annotation = Sequence[Sequence[str]]
"""The answers of one annotation, each the list of its accepted forms."""


@dataclass(frozen=True, slots=True)
class Member:
    """An answer, by the place of its annotation and its own place there, both from 0."""

    annotation: int
    pair: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """Answers that are one: its members in reading order, and the forms that joined them."""

    members: tuple[Member, ...]
    shared: tuple[str, ...] = ()


def clusters(annotations: Sequence[Annotation]) -> list[Cluster]:
    """Put the answers of all annotations into clusters, in the order of first appearance.

    An answer joins the first cluster that shares a form with it and has no answer of its own
    annotation yet. `shared` of a cluster are the forms, as first written, that brought members in.
    """
    members: list[list[Member]] = []
    forms: list[dict[str, str]] = []
    shared: list[dict[str, str]] = []
    for number, annotation in enumerate(annotations):
        for place, answer in enumerate(annotation):
            keys = {key: form for form in answer if (key := answer_key(form))}
            home = _home(keys, members, forms, number)
            if home is None:
                home = len(members)
                members.append([])
                forms.append({})
                shared.append({})
            for key in keys:
                if key in forms[home]:
                    shared[home].setdefault(key, forms[home][key])
            forms[home] = {**keys, **forms[home]}
            members[home].append(Member(number, place))
    return [
        Cluster(tuple(found), tuple(why.values()))
        for found, why in zip(members, shared, strict=True)
    ]


def _home(
    keys: dict[str, str], members: list[list[Member]], forms: list[dict[str, str]], number: int
) -> int | None:
    for place, known in enumerate(forms):
        if keys.keys() & known.keys() and all(m.annotation != number for m in members[place]):
            return place
    return None


def all_match(annotations: Sequence[Annotation]) -> bool:
    """Whether all annotations give the same answers, in any order (A46).

    True when there are at least two and every cluster holds one answer of each of them. So two
    annotations that both found no answer match, and one that found none never matches another
    that found some.
    """
    if len(annotations) < 2:
        return False
    return all(len(cluster.members) == len(annotations) for cluster in clusters(annotations))
