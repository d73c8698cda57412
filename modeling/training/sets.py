"""Training sets: the examples of a project for one role, as a file with its manifest."""

import datetime as dt
from collections.abc import Generator
from contextlib import closing
from dataclasses import asdict
from typing import Any

import orjson
from django.db import transaction

from accounts.models import User
from annotation.access.data import check_can_export
from annotation.core import audit
from annotation.exports.arrangements import LINES, Entry
from annotation.exports.dataset import Dataset, describe_project, indent_json
from annotation.exports.format import JSON_LINES
from annotation.models import Project
from modeling.training.building import ExampleBuilder, ExampleChoice
from modeling.training.layouts import FIELDS, Renderer, choose_layout

SCHEMA_VERSION = 1
"""Of the manifest."""


class TrainingSet(Dataset):
    """A training set, and once it is read what it holds and leaves out.

    Raises what `ExampleBuilder` raises, and BadOption for a layout that does not fit.
    """

    content_type = JSON_LINES

    def __init__(self, project: Project, choice: ExampleChoice, layout: str = "") -> None:
        super().__init__(project, LINES, choice.split)
        self.builder = ExampleBuilder(project, choice)
        self.layout = choose_layout(self.builder.recipe, layout)
        self.lines = 0

    @property
    def file_name(self) -> str:
        """The file's name, which tells the project, the split, the role and the layout."""
        parts = (self.project.slug, self.split, self.builder.recipe.role, self.layout)
        return f"{'-'.join(map(str, parts))}.jsonl"

    def iterate_entries(self) -> Generator[Entry]:
        """Yield the lines in the order of the questions."""
        renderer = Renderer(
            self.builder.recipe,
            self.layout,
            project=self.project.slug,
            split=self.builder.choice.split,
        )
        with closing(self.builder.iterate_examples()) as examples:
            for labelled, made in examples:
                for example in made:
                    for line in renderer.render(example, labelled.source or "people"):
                        yield Entry(line)

    def encode_entry(self, entry: Entry) -> bytes:
        """Return the line; count it."""
        self.lines += 1
        return orjson.dumps(entry.record)

    def describe(self) -> dict[str, Any]:
        """Return what the set holds: counts, reasons, recipe and retrieval."""
        builder, counts = self.builder, self.builder.counts
        choice = asdict(builder.choice)
        return {
            "system": choice["system"],
            "role": builder.recipe.role,
            "layout": self.layout,
            "fields": FIELDS[self.layout],
            "split": choice["split"],
            "keep_suggested": choice["keep_suggested"],
            "counts": {
                "questions": counts.used + counts.left_out.total(),
                "used": counts.used,
                "lines": self.lines,
            },
            "left_out": dict(sorted(counts.left_out.items())),
            "sources": dict(sorted(counts.sources.items())),
            "newest_work": counts.newest or None,
            "retrieval": builder.describe_retrieval(),
            "recipe": asdict(builder.recipe),
        }

    def build_manifest(self, file_name: str) -> bytes:
        """Return the manifest, as indented JSON. Only after `blocks` is read to its end."""
        return indent_json(
            {
                "schema_version": SCHEMA_VERSION,
                "format": "training-set",
                **self.file_entry(file_name),
                **self.describe(),
                **describe_project(self.project),
            }
        )


@transaction.atomic
def start_training_set(
    *, project: Project, choice: ExampleChoice, layout: str, by: User | None, now: dt.datetime
) -> TrainingSet:
    """Open a training set of the project, and log who took it.

    Read `blocks` outside this transaction. Staff only (`by=None`: a command on the server). Raises
    MissingModel or Conflict where the set cannot be made.
    """
    if by is not None:
        check_can_export(by, project)
    made = TrainingSet(project, choice, layout)
    audit.record_action(
        "training_set_taken", project, by=by, now=now, project=project,
        role=made.builder.recipe.role, layout=made.layout, split=choice.split,
    )  # fmt: skip
    return made
