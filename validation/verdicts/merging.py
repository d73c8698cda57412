"""Which answers of several annotations are the same answer, on plain strings.

Two answers of different annotations belong together when they share a form, as
``metrics.text.same_answer`` compares them, and so do two that each share one with a third. Answers
of one annotation never do: their author said that they differ. Validation begins with these
clusters (A41); where all answers match, validation is not needed (A46).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics.text import answer_key

Annotation = Sequence[Sequence[str]]
"""The answers of one annotation, each the list of its accepted forms."""


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """An answer: the place of its annotation, and its place in that annotation, both from 0."""

    annotation: int
    pair: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """Answers that are the same: members in reading order, and the forms they share."""

    members: tuple[Member, ...]
    shared: tuple[str, ...] = ()


def cluster_answers(annotations: Sequence[Annotation]) -> list[Cluster]:
    """Put the answers of all annotations into clusters, in the order of first appearance.

    An answer joins the first cluster that shares a form with it and has no answer of its own
    annotation yet; clusters that it brings together become one where no annotation has two
    answers in it. `shared` of a cluster are the forms, as first written, that two members have.
    """
    keys = {member: _keys(annotations, member) for member in _members(annotations)}
    groups: list[list[Member]] = []
    for member in keys:
        home = [member]
        for other in [group for group in groups if _fit(group, [member], keys)]:
            if _fit(other, home, keys):
                home += other
                groups.remove(other)
        groups.append(home)
    groups = sorted(sorted(members) for members in groups)
    return [Cluster(tuple(members), _shared(members, keys)) for members in groups]


def all_match(annotations: Sequence[Annotation]) -> bool:
    """Whether all annotations give the same answers, in any order (A46).

    True when there are at least two and each answer belongs together with exactly one of every
    other annotation. So two annotations that both found no answer match, and one that found none
    never matches another that found some.
    """
    if len(annotations) < 2:
        return False
    return all(
        sorted(member.annotation for member in group) == list(range(len(annotations)))
        for group in _groups(annotations)
    )


def _groups(annotations: Sequence[Annotation]) -> list[list[Member]]:
    """Return all answers grouped by shared forms, even where one annotation has several."""
    groups: list[tuple[set[str], list[Member]]] = []
    for member in _members(annotations):
        keys, members = set(_keys(annotations, member)), [member]
        for group in [other for other in groups if other[0] & keys]:
            groups.remove(group)
            keys |= group[0]
            members += group[1]
        groups.append((keys, members))
    return [members for _, members in groups]


def _members(annotations: Sequence[Annotation]) -> Iterable[Member]:
    for number, annotation in enumerate(annotations):
        for place in range(len(annotation)):
            yield Member(number, place)


def _keys(annotations: Sequence[Annotation], member: Member) -> dict[str, str]:
    """Return the keys by which the forms of an answer are compared, each with its first form."""
    keys: dict[str, str] = {}
    for form in annotations[member.annotation][member.pair]:
        if key := answer_key(form):
            keys.setdefault(key, form)
    return keys


Keys = Mapping[Member, Mapping[str, str]]


def _fit(one: Sequence[Member], other: Sequence[Member], keys: Keys) -> bool:
    """Whether two clusters share a form and no annotation."""
    if {m.annotation for m in one} & {m.annotation for m in other}:
        return False
    return any(keys[a].keys() & keys[b].keys() for a in one for b in other)


def _shared(members: Sequence[Member], keys: Keys) -> tuple[str, ...]:
    """Return the forms that two or more members have, as first written."""
    first: dict[str, str] = {}
    twice: dict[str, str] = {}
    for member in members:
        for key, form in keys[member].items():
            if key in first:
                twice.setdefault(key, first[key])
            first.setdefault(key, form)
    return tuple(twice.values())
