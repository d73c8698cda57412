"""The rooms of an app know only rooms below them: also where no import shows it.

import-linter holds the imports. Here are the tables that SQL names, the rows that keys point to,
the relations that a query follows backwards, and the scripts and styles that a page loads; and that
Django finds every model.
"""

import ast
import importlib
import pkgutil
import re
import tomllib
from functools import cache
from pathlib import Path
from posixpath import dirname, normpath

import pytest
from django.apps import apps
from django.db import models

from annotation.stages import registry as stages
from annotation.work import next_page

ROOT = Path(__file__).parent.parent
# Statements are in the `statements.py` of their room.
# They put statements together: from the columns of any model, and from the places to look.
PUT_TOGETHER = {"accounts/prepared_statements.py", "annotation/work/picking.py"}
STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s")
MANAGER = {
    *("aggregate", "all", "annotate", "count", "create", "exclude", "exists", "filter", "first"),
    *("get", "last", "order_by", "select_related", "through", "update", "values", "values_list"),
}
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
CONTRACTS = {contract["name"]: contract for contract in LINTER["contracts"]}
APPS = [
    contract["containers"][0]
    for name, contract in CONTRACTS.items()
    if name.startswith("Rooms of ")
]
HAVE_STATEMENTS = [*APPS, "accounts", "crowds", "modeling", "natural_questions", "qampari"]
HAVE_ROWS = [app for app in APPS if app in {config.label for config in apps.get_app_configs()}]


@cache
def floors(app=""):
    """Return the number of each room's floor, 0 at the top, from the contract; without `app` of
    each app's."""
    name = f"Rooms of {app} only know rooms below them" if app else "Imports only point down"
    return {
        room.strip(" ()"): number
        for number, layer in enumerate(CONTRACTS[name]["layers"])
        for room in re.split(r"[|:]", layer)
    }


def room_of(model):
    """Return the room of a model, None for what lies in another app."""
    app, _, rest = model.__module__.partition(".")
    return rest.split(".")[0] if app in APPS else None


def files(app):
    """Yield room, path and tree of every file in a room."""
    for room in floors(app):
        for path in sorted((ROOT / app / room).rglob("*.py")):
            if "migrations" not in path.parts:
                yield room, path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


def own_models(app):
    return [
        model for model in apps.get_app_config(app).get_models() if not model._meta.auto_created
    ]


@pytest.mark.parametrize("app", HAVE_ROWS)
def test_the_collector_of_models_misses_none(app):
    for found in pkgutil.walk_packages([str(ROOT / app)], f"{app}."):
        if found.name.rpartition(".")[2] in ("models", "audit") or ".models." in found.name:
            importlib.import_module(found.name)

    def below(cls):
        return {cls, *(each for sub in cls.__subclasses__() for each in below(sub))}

    written = {
        model
        for model in below(models.Model)
        if model.__module__.startswith(f"{app}.")
        if not (model._meta.abstract or model._meta.auto_created)
    }
    collector = importlib.import_module(f"{app}.models")
    assert {m.__name__ for m in written if not hasattr(collector, m.__name__)} == set()


@pytest.mark.parametrize("app", [app for app in HAVE_ROWS if not floors(app)["models"]])
def test_no_room_imports_the_collector(app):
    found = [
        f"{path}:{node.lineno}"
        for _, path, tree in files(app)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == f"{app}.models"
        if floors(app)[path.parts[1]]
    ]
    assert found == []


@pytest.mark.parametrize("app", HAVE_ROWS)
def test_statements_name_tables_of_rooms_below(app):
    tables = {model._meta.db_table: room_of(model) for model in own_models(app)}
    for model in own_models(app):
        for field in model._meta.many_to_many:
            tables[field.m2m_db_table()] = room_of(model)
    floor = floors(app)
    up = {
        f"{path} reads {table} of {tables[table]}"
        for room, path, tree in files(app)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for table in re.findall(rf"\b{app}_\w+", node.value)
        if table in tables and floor[tables[table]] < floor[room]
    }
    assert up == set()


def statements_in(path):
    """Return the lines of a file on which a text begins as a statement does."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    later = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values[1:]
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node not in later and STATEMENT.match(node.value)
    ]


def test_statements_stand_in_the_file_of_their_room():
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for app in HAVE_STATEMENTS
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts and path.name != "statements.py"
        if (lines := statements_in(path))
    }
    assert {path: found[path] for path in found.keys() - PUT_TOGETHER} == {}


@pytest.mark.parametrize("app", HAVE_ROWS)
def test_keys_point_to_rows_of_rooms_below(app):
    floor = floors(app)
    up = {
        f"{model.__name__}.{field.name} points to {field.related_model.__name__}"
        for model in own_models(app)
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey | models.ManyToManyField)
        if field.related_model._meta.app_label == app
        if floor[room_of(field.related_model)] < floor[room_of(model)]
    }
    assert up == set()


def words_of(node):
    """Return the names of fields and relations by which this part of a program asks for rows."""
    match node:
        case ast.keyword(arg=str(path)) if "__" in path:
            return path.split("__")
        case ast.Constant(value=str(path)) if re.fullmatch(r"-?[a-z]\w*(__\w+)+", path):
            return path.lstrip("-").split("__")
        case ast.Attribute(value=ast.Attribute(attr=relation), attr=method) if method in MANAGER:
            return [relation]
    return []


@pytest.mark.parametrize("app", HAVE_ROWS)
def test_queries_follow_no_relation_back_to_rooms_above(app):
    floor = floors(app)
    names, known = {}, set()
    for model in own_models(app):
        known |= {field.name for field in model._meta.get_fields() if not field.auto_created}
        for field in model._meta.get_fields():
            if (
                isinstance(field, models.ForeignObjectRel)
                and field.related_model._meta.app_label == app
            ):
                room = room_of(field.related_model)
                names[field.name] = max(names.get(field.name, room), room, key=floor.get)
    up = {
        f"{path} follows {word} to {names[word]}"
        for room, path, tree in files(app)
        for node in ast.walk(tree)
        for word in words_of(node)
        if word in names and word not in known and floor[names[word]] < floor[room]
    }
    assert up == set()


@pytest.mark.parametrize("app", APPS)
def test_templates_lie_in_a_folder_named_as_their_room(app):
    folder = ROOT / "templates" / app
    assert {path.name for path in folder.iterdir()} - floors(app).keys() == set()


def files_below(folder, *patterns):
    """Return our files in all folders of this name but those in what an installation writes."""
    places = (ROOT / folder, *sorted(ROOT.glob(f"[!.]*/{folder}")))
    return {
        path.relative_to(place).as_posix(): path
        for place in places
        for pattern in patterns
        for path in sorted(place.glob(pattern))
        if path.is_file()
    }


def assets():
    return files_below("static", "js/**/*", "css/**/*")


def asset_uses():
    """Yield the paths of a script, template or sheet below its folder, and what it loads."""
    for name, path in assets().items():
        for other in re.findall(r'(?:from|import)\s*\(?\s*"(\.[^"]+)"', path.read_text()):
            yield name.removeprefix("js/"), normpath(f"{dirname(name)}/{other}")
    pages = files_below("templates", "**/*.html") | files_below("jinja2", "**/*.html")
    for name, path in pages.items():
        for other in re.findall(r"""["']((?:js|css)/[^"']+)["']\|static""", path.read_text()):
            yield name, other
    for stage in stages.list_stages():
        if stage.sheet.script:
            yield type(stage.sheet).__module__.replace(".", "/"), f"js/{stage.sheet.script}"
    yield next_page.__name__.replace(".", "/"), next_page.SCRIPT


def test_scripts_and_styles_lie_in_a_folder_named_as_their_room():
    rooms = {f"{app}/{room}" for app in APPS for room in floors(app)}
    folders = {"shared", *rooms, *(floors().keys() - set(APPS))}
    wrong = {
        path.relative_to(ROOT).as_posix()
        for name, path in assets().items()
        if dirname(name).partition("/")[2] not in folders
        or path.relative_to(ROOT).parts[0] not in ("static", name.split("/")[1])
    }
    assert wrong == set()


def test_every_script_and_style_that_something_loads_is_there_and_no_other():
    assert {loaded for _, loaded in asset_uses()} == assets().keys()


def test_scripts_and_styles_are_those_of_rooms_below():
    def floor_of(name):
        app, room = name.split("/")[:2]
        if app == "shared":
            return (len(floors()), 0)  # below all
        return (floors()[app], floors(app)[room] if app in APPS else 0)

    up = {
        f"{user} loads {loaded}"
        for user, loaded in asset_uses()
        if user.partition("/")[0] in {"shared", *floors()}
        if floor_of(loaded.partition("/")[2]) < floor_of(user)
    }
    assert up == set()
