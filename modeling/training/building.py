"""From a split of a project to the examples of one recipe, one question after the other."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final

from annotation.models import Project, Split
from modeling import registry
from modeling.base import ArticlePassage, BadOption, Corpus
from modeling.baselines.t5 import LIST_TOKENS_OUT
from modeling.for_models import get_for_models
from modeling.inputs import T5_OPEN_TOKENS
from modeling.options import check_names, parse_whole_number
from modeling.registry import BaselineEntry
from modeling.retrieval import RETRIEVAL_OPTIONS, build_searcher
from modeling.training.examples import Example, TextExample
from modeling.training.labelled import Barriers, LabelledCounts
from modeling.training.page_examples import build_page_example
from modeling.training.passage_examples import build_passage_example, locate_evidence
from modeling.training.reasons import TOO_LONG
from modeling.training.recipes import (
    EMBED,
    FIND_SPANS,
    ON_PAGES,
    RANK,
    RECIPES,
    SEARCHING_ROLES,
    Recipe,
    find_recipe,
)
from modeling.training.text_examples import build_text_examples
from modeling.training.values import Labelled

# Passages for a question where the baseline itself reads none: to tell apart.
_TOLD_APART: Final = 50
_MOST_PASSAGES: Final = 200
# Roles whose text is a list in some projects, which is longer than a long answer.
_LISTED: Final = ("t5-closed", "t5-open", "oracle")
_WITHOUT_PASSAGES: Final = ("disambig-first", "ambiguity", "t5-closed", "oracle")


@dataclass(frozen=True, kw_only=True)
class ExampleChoice:
    """Which examples are made: for a role of a baseline, "" for its first, from a split.

    options: how passages are searched, and how many are read (`modeling.retrieval`);
    keep_suggested: whether questions whose people saw suggestions of the weights are used; without:
    what question disambiguation does not read (`modeling.inputs.ABLATIONS`).
    """

    system: str
    role: str = ""
    split: str = Split.TRAIN.value
    options: Mapping[str, str] = field(default_factory=dict)
    keep_suggested: bool = False
    without: str = ""


class ExampleBuilder:
    """What makes the examples of a choice. counts: what it has read until now.

    Raises MissingModel where passages cannot be searched here, BadOption for what cannot be chosen,
    and Conflict for a split that is not trained on.
    """

    def __init__(self, project: Project, choice: ExampleChoice) -> None:
        self.choice = choice
        self.entry = registry.get_baseline(choice.system)
        self.recipe = find_part(choice.system, choice.role)
        if self.recipe.role in _LISTED and get_for_models(project).asks_lists:
            self.recipe = replace(self.recipe, tokens_out=LIST_TOKENS_OUT)
        self.barriers = Barriers(
            project=project,
            split=choice.split,
            systems=list_systems(self.recipe.role),
            keep_suggested=choice.keep_suggested,
        )
        self.passages, self.searcher = 0, None
        on_pages = self.recipe.learns in ON_PAGES
        if on_pages and not get_for_models(project).own_pages:
            raise BadOption(
                f"“{self.recipe.role}” answers questions on pages of their own, and the questions "
                "of this project have none."
            )
        if not on_pages and self.recipe.role not in _WITHOUT_PASSAGES:
            self.passages, self.searcher = self._prepare_search(project)
        elif choice.options:
            name = next(iter(choice.options))[:40]
            raise BadOption(
                f"“{self.recipe.role}” searches no passages, so “{name}” has no effect. Leave it "
                "out."
            )
        self.counts = LabelledCounts()

    def _prepare_search(self, project: Project) -> tuple[int, Corpus]:
        from modeling.corpus import corpus_for  # loads the search engine

        check_names(self.choice.options, "passages", *RETRIEVAL_OPTIONS)
        options = self.entry.with_options(self.choice.options)
        read = getattr(_class_of(self.entry), "top", _TOLD_APART)
        default = _TOLD_APART if self.recipe.learns in (EMBED, RANK) else read
        passages = parse_whole_number(options, "passages", default, most=_MOST_PASSAGES)
        searching = {name: value for name, value in options.items() if name in RETRIEVAL_OPTIONS}
        if self.recipe.learns in (EMBED, RANK):  # by what is here before they are trained
            searching = {"retriever": "bm25"}
        corpus = corpus_for(project.snapshot, self.entry.label)
        return passages, build_searcher(corpus, searching, self.entry.label)

    def describe_retrieval(self) -> dict[str, Any] | None:
        """Return what passages were searched in and how many were read; None where none were."""
        if self.searcher is None:
            return None
        return {
            "corpus": self.searcher.name,
            "version": self.searcher.version,
            "options": dict(self.choice.options),
            "passages": self.passages,
        }

    def iterate_examples(self) -> Generator[tuple[Labelled, list[Example]]]:
        """Give each question of which something can be learnt with its examples, and count all.

        Only within `snapshot`; the database is asked as `Barriers.read_labelled` says, and passages
        are searched once for each question that is not left out, and once for each short quote.
        """
        for labelled in self.barriers.read_labelled():
            built = labelled.left_out or self._build(labelled)
            if isinstance(built, str):
                self.counts.leave_out(built)
            else:
                self.counts.use(labelled)
                yield labelled, built

    def search_passages(self, question: str) -> Sequence[ArticlePassage]:
        """Return the passages that are read for a question, none where none are searched."""
        return self.searcher.search(question, self.passages) if self.searcher else ()

    def _build(self, labelled: Labelled) -> list[Example] | str:
        if self.recipe.learns in ON_PAGES:
            page = build_page_example(labelled)
            return page if isinstance(page, str) else [page]
        if self.searcher is not None:
            labelled = locate_evidence(labelled, self.searcher.search)
        passages = self.search_passages(labelled.asked.question)
        if self.recipe.learns in (FIND_SPANS, EMBED, RANK):
            example = build_passage_example(self.recipe, labelled, passages)
            return example if isinstance(example, str) else [example]
        texts = build_text_examples(
            self.recipe.role, labelled, passages, without=self.choice.without
        )
        if isinstance(texts, str):
            return texts
        kept: list[Example] = [example for example in texts if _fits(self.recipe, example)]
        return kept or TOO_LONG


def find_part(system: str, role: str = "") -> Recipe:
    """Return the recipe of a baseline's part, its first where none is named.

    T5 with passages reads as much as the baseline does with its number of them (S55). Raises
    MissingModel where there is no such baseline, BadOption where it has no such part.
    """
    entry = registry.get_baseline(system)
    recipe = find_recipe(entry.key, _roles_of(entry), role)
    if recipe.role != "t5-open":
        return recipe
    return replace(recipe, tokens_in=T5_OPEN_TOKENS[_class_of(entry).top])


def list_parts() -> list[tuple[str, str, str]]:
    """Return the key and the label of each baseline with a role of it that can be trained."""
    return [
        (entry.key, entry.label, role)
        for entry in registry.list_baselines()
        for role in (*_roles_of(entry), *SEARCHING_ROLES.get(entry.key, ()))
        if role in RECIPES
    ]


def list_systems(role: str) -> list[str]:
    """Return the names, in suggestions, of the baselines that run on weights of a role."""
    return [label for _, label, part in list_parts() if part == role]


def _fits(recipe: Recipe, example: TextExample) -> bool:
    """Return whether targets can be written whole: words are at most as many as tokens."""
    return not recipe.tokens_out or all(
        len(target.split()) < recipe.tokens_out for target in example.targets
    )


def _class_of(entry: BaselineEntry) -> Any:
    module, _, name = entry.path.partition(":")
    return getattr(import_module(module), name)


def _roles_of(entry: BaselineEntry) -> tuple[str, ...]:
    return tuple(getattr(_class_of(entry), "roles", ()))
