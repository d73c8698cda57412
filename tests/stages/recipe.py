"""The stage that docs/new_stage.md builds, written to a folder and registered while a test runs."""

import atexit
import functools
import importlib
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.test import override_settings

from annotation import registration
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages

STAGE = "ambiguity"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "new_stage.md"
_BLOCK = re.compile(r"^`(ambiguity/[\w./]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)


def files():
    """Return the files of the recipe: path and text."""
    return dict(_BLOCK.findall(PAGE.read_text()))


@functools.cache
def written():
    """Write the package to a folder of its own that Python imports from; return the folder."""
    folder = Path(tempfile.mkdtemp(prefix="recipe-"))
    atexit.register(shutil.rmtree, folder)
    for name, text in {**files(), "ambiguity/__init__.py": ""}.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    sys.path.insert(0, str(folder))
    return folder


def example():
    """Return the example that the recipe adds to the tests."""
    written()
    return importlib.import_module("ambiguity.example").EXAMPLE


@contextmanager
def registered():
    """Have the stage and its protocol, as an installation that has the app."""
    engine, *others = settings.TEMPLATES
    folders = [*engine["DIRS"], written() / "ambiguity" / "jinja2"]
    before = dict(stages._stages), dict(protocols._protocols)
    with override_settings(TEMPLATES=[{**engine, "DIRS": folders}, *others]):
        AppConfig.create("ambiguity").ready()
        registration.make_all()
        try:
            yield
        finally:
            for table, rows in zip((stages._stages, protocols._protocols), before, strict=True):
                table.clear()
                table.update(rows)
