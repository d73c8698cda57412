"""Names say at their call what they do: of functions, classes, and modules as imported."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = [
    *("accounts", "annotation", "config", "crowds", "demo", "evaluation", "metrics", "modeling"),
    *("natural_questions", "operations", "qampari", "validation", "wikipedia"),
]


@cache
def modules():
    """Return path and tree of every module that is no migration."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "migrations" not in path.parts
    }


def test_few_public_functions_have_a_name_of_one_word():
    names = [
        node.name
        for path, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    one_word = sorted(name for name in names if "_" not in name)
    assert len(one_word) <= 0.02 * len(names), one_word


def test_a_class_name_has_one_meaning():
    where = defaultdict(list)
    for path, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in {"Command", "Meta"}:
                where[node.name].append(path)
    assert {name: paths for name, paths in where.items() if len(paths) > 2} == {}


def test_services_and_queries_are_called_by_the_word_of_their_room():
    wrong = []
    for path, tree in modules().items():
        own = path.rpartition("/")[0].replace("/", ".")
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or f"{own}.".startswith(f"{node.module}."):
                continue
            wrong += [
                f"{path}:{node.lineno}: {node.module}.{each.name} as {each.asname}"
                for each in node.names
                if each.name in {"services", "queries", "policies"}
                and each.asname != f"{node.module.rpartition('.')[2]}_{each.name}"
            ]
    assert wrong == []
