"""Where graphs are on the disk: one folder each, which hosts share as they share indexes."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings
from django.utils.text import slugify

from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.graph import FILE, Graph


def graphs_folder() -> Path:
    """Return the folder that has a folder for each graph."""
    return Path(settings.AMBIT_DATA) / "wikidata"


def graph_folder(name: str) -> Path:
    """Return the folder of a graph, there or not. Raises GraphProblem if it cannot be a name."""
    if not name or slugify(name) != name:
        raise GraphProblem(
            f"“{name[:80]}” is not a valid name for a graph. Use small letters, digits and hyphens."
        )
    return graphs_folder() / name


def list_graphs() -> list[str]:
    """Return the names of the graphs that are on this machine."""
    return sorted(path.parent.name for path in graphs_folder().glob(f"*/{FILE}"))


def open_graph(name: str) -> Graph:
    """Open a graph by its name. Raises GraphProblem where there is none."""
    folder = graph_folder(name)
    if not (folder / FILE).is_file():
        there = ", ".join(list_graphs()) or "none"
        raise GraphProblem(
            f"There is no graph “{name}” here. There are: {there}. Make one with "
            f"manage.py wikidata_graph FILE --name {name}."
        )
    return Graph(folder / FILE)


def delete_graph(name: str) -> None:
    """Delete a graph, and what is left of a build of it. Raises GraphProblem if there is none."""
    open_graph(name).close()
    shutil.rmtree(graph_folder(name))
