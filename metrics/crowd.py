"""One label from many: majority vote, and Dawid-Skene for labellers of unequal care.

Labels are triples (item, worker, label); a worker labels an item once. The source of the model is
Dawid and Skene 1979.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.score import BadInput

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Label = tuple[str, str, Hashable]
"""(item, worker, label)."""

_FLOOR = 1e-10
"""Least chance of anything, so that one surprise cannot outweigh all other evidence."""


@dataclass(frozen=True, slots=True)
class Vote:
    """How the labels of one item fell: ``label`` is None where several are equally frequent."""

    label: Hashable | None
    share: float
    n: int
    tied: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class DawidSkene:
    """The most likely labels, and how far each worker is to be trusted.

    - ``labels``: by item, the most likely label (the first of ``classes`` where several are);
    - ``probabilities``: by item and label, summing to 1 over the labels;
    - ``priors``: by label, how frequent it is;
    - ``confusion``: by worker, true label and given label, the chance that this worker gives the
      one where the other is true, summing to 1 over the given ones. A label that never was likely
      for any item of a worker says nothing about that worker: all given labels are equally likely;
    - ``accuracy``: by worker, the chance of a correct label on an item like these;
    - ``log_likelihood`` of the labels under the model, after ``iterations`` steps; ``converged``
      says whether it had stopped growing.
    """

    classes: tuple[Hashable, ...]
    labels: dict[str, Hashable]
    probabilities: dict[str, dict[Hashable, float]]
    priors: dict[Hashable, float]
    confusion: dict[str, dict[Hashable, dict[Hashable, float]]]
    accuracy: dict[str, float]
    log_likelihood: float
    iterations: int
    converged: bool
    n: int


def majority_vote(labels: Sequence[Label]) -> dict[str, Vote]:
    """Return by item the most frequent label, its share, and how many labels there are.

    A tie has no label and names the labels that tie, in the order in which they were given. Raises
    ``BadInput`` where there is no label, or where a worker labelled an item twice.
    """
    _check(labels)
    given: dict[str, Counter[Hashable]] = {}
    for item, _, label in labels:
        given.setdefault(item, Counter())[label] += 1
    votes = {}
    for item, counts in given.items():
        most = max(counts.values())
        first = tuple(label for label, count in counts.items() if count == most)
        votes[item] = Vote(
            label=first[0] if len(first) == 1 else None,
            share=most / counts.total(),
            n=counts.total(),
            tied=first if len(first) > 1 else (),
        )
    return votes


def dawid_skene(
    labels: Sequence[Label], *, steps: int = 1000, tolerance: float = 1e-9
) -> DawidSkene:
    """Return labels that weigh each worker by how often, and how, they differ from the rest.

    Expectation-maximisation. It starts from the share of votes that each label has in each item,
    so the result does not depend on chance. Then by turns: priors and confusion matrices from the
    probabilities of the labels, and those from ``prior · Π_workers confusion``. It stops where the
    log-likelihood per label grows by less than ``tolerance``, or after ``steps``.

    The maximum found is the one nearest to the majority: where most workers are worse than chance,
    that is the wrong one.

    Raises ``BadInput`` as ``majority_vote`` does.
    """
    _check(labels)
    items = list(dict.fromkeys(item for item, _, _ in labels))
    workers = list(dict.fromkeys(worker for _, worker, _ in labels))
    classes = _sorted_classes([label for _, _, label in labels])
    item = _places([item for item, _, _ in labels], items)
    worker = _places([worker for _, worker, _ in labels], workers)
    label = _places([label for _, _, label in labels], classes)

    chances = np.zeros((len(items), len(classes)))
    np.add.at(chances, (item, label), 1)
    chances /= chances.sum(axis=1, keepdims=True)
    likelihood, converged, step = -np.inf, False, 0
    while not converged and step < steps:
        step += 1
        priors = np.maximum(chances.mean(axis=0), _FLOOR)
        confusion = _confusion(chances, item, worker, label, len(workers))
        chances, reached = _chances(priors, confusion, item, worker, label)
        converged = reached - likelihood <= tolerance * len(labels)
        likelihood = reached
    priors = chances.mean(axis=0)
    confusion = _confusion(chances, item, worker, label, len(workers))
    correct = np.einsum("wcc,c->w", confusion, priors)
    return DawidSkene(
        classes=tuple(classes),
        labels={name: classes[int(row.argmax())] for name, row in zip(items, chances, strict=True)},
        probabilities={
            name: _named(row, classes) for name, row in zip(items, chances, strict=True)
        },
        priors=_named(priors, classes),
        confusion={
            name: {true: _named(row, classes) for true, row in zip(classes, rows, strict=True)}
            for name, rows in zip(workers, confusion, strict=True)
        },
        accuracy={name: float(share) for name, share in zip(workers, correct, strict=True)},
        log_likelihood=float(likelihood),
        iterations=step,
        converged=bool(converged),
        n=len(labels),
    )


def _confusion(chances: Array, item: Codes, worker: Codes, label: Codes, workers: int) -> Array:
    """Return the confusion matrices, of shape (workers, true labels, given labels)."""
    classes = chances.shape[1]
    counted = np.zeros((workers, classes, classes))
    np.add.at(counted.transpose(0, 2, 1), (worker, label), chances[item])
    counted = np.maximum(counted, _FLOOR)
    matrices: Array = counted / counted.sum(axis=2, keepdims=True)
    return matrices


def _chances(
    priors: Array, confusion: Array, item: Codes, worker: Codes, label: Codes
) -> tuple[Array, float]:
    """Return the labels' probabilities, of shape (items, labels), and the log-likelihood."""
    logs = np.tile(np.log(priors), (int(item.max()) + 1, 1))
    np.add.at(logs, item, np.log(confusion)[worker, :, label])
    highest = logs.max(axis=1, keepdims=True)  # products of many chances would come out as 0
    chances = np.exp(logs - highest)
    total = chances.sum(axis=1, keepdims=True)
    return chances / total, float((highest + np.log(total)).sum())


def _check(labels: Sequence[Label]) -> None:
    if not labels:
        raise BadInput("There is no label to count.")
    seen: set[tuple[str, str]] = set()
    for item, worker, _ in labels:
        if (item, worker) in seen:
            raise BadInput(f"{worker} labelled {item} twice: keep one of the two labels.")
        seen.add((item, worker))


def _sorted_classes(labels: Sequence[Hashable]) -> list[Hashable]:
    """Return the labels in an order that does not depend on who was asked first."""
    return sorted(set(labels), key=lambda label: (str(type(label)), str(label)))


def _places(names: Sequence[Hashable], known: Sequence[Hashable]) -> Codes:
    places = {name: place for place, name in enumerate(known)}
    return np.array([places[name] for name in names], dtype=np.int64)


def _named(row: Array, classes: Sequence[Hashable]) -> dict[Hashable, float]:
    return {name: float(value) for name, value in zip(classes, row, strict=True)}
