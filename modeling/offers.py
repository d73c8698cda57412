"""Which baselines can run here on a project, and what the others lack."""

from dataclasses import dataclass

from annotation.models import Project
from modeling import registry
from modeling.base import BadOption, MissingModel
from modeling.corpus import corpus_of
from modeling.registry import Entry
from modeling.services.running import STORES


@dataclass(frozen=True)
class Offer:
    """A baseline; `problem` says what it lacks, "" if it can run."""

    entry: Entry
    problem: str = ""


def offers(project: Project, kind: str) -> list[Offer]:
    """Return the baselines that give something a run of this kind stores, without options set."""
    corpus = corpus_of(project.snapshot)
    rows = []
    for entry in registry.every():
        try:
            baseline = registry.build(entry.key, corpus if entry.searches else None)
        except BadOption as problem:
            rows.append(Offer(entry, f"{problem} Only manage.py {kind} can."))
        except MissingModel as problem:
            rows.append(Offer(entry, str(problem)))
        else:
            if STORES[kind].takes & baseline.gives:
                rows.append(Offer(entry))
    return rows
