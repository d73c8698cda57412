"""Which baselines can run here on a project, and what the others lack."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import Project
from modeling import registry
from modeling.base import BadOption, MissingModel
from modeling.corpus import corpus_of
from modeling.examples import Example
from modeling.for_models import get_for_models
from modeling.registry import BaselineEntry
from modeling.services.running import STORES

NO_PASSAGES = (
    "These search passages, and the project's snapshot has no index of them: manage.py "
    "index_wikipedia makes one of an archive. A live wiki cannot have one."
)

# Whether a split has examples is known when a run starts: here nothing is read for it.
_ANY = (Example("", "", "", ()),)


@dataclass(frozen=True)
class BaselineOption:
    """A baseline; `problem` says what it lacks, "" if it can run."""

    entry: BaselineEntry
    problem: str = ""


def list_baseline_offers(project: Project, kind: str) -> list[BaselineOption]:
    """Return the baselines that give something a run of this kind stores, without options set."""
    corpus = corpus_of(project.snapshot)
    for_models = get_for_models(project)
    takes = STORES[kind].list_taken(for_models)
    rows = []
    for entry in registry.list_baselines():
        if for_models.lacks_pages(entry):
            continue
        searches = for_models.needs_corpus(entry)
        if searches and corpus is None:
            rows.append(BaselineOption(entry, NO_PASSAGES))
            continue
        try:
            baseline = registry.build_baseline(
                entry.key,
                corpus if searches else None,
                read_split=lambda split: _ANY,
                own_pages=for_models.own_pages,
            )
        except BadOption as problem:
            rows.append(BaselineOption(entry, f"{problem} Only manage.py {kind} can."))
        except MissingModel as problem:
            rows.append(BaselineOption(entry, str(problem)))
        else:
            if takes & baseline.gives:
                rows.append(BaselineOption(entry))
    return rows


def group_offers_by_problem(offers: Iterable[BaselineOption]) -> list[tuple[str, list[str]]]:
    """Return what is missing here, each with the labels of the baselines that lack it."""
    labels: dict[str, list[str]] = {}
    for offer in offers:
        if offer.problem:
            labels.setdefault(offer.problem, []).append(offer.entry.label)
    return list(labels.items())
