"""The engine that draws the pages: Jinja2, with what a template may use (ADR 29)."""

import re
from collections.abc import Callable
from typing import Any

from django.contrib.humanize.templatetags import humanize
from django.template import defaultfilters
from django.utils.html import json_script
from django_htmx.jinja import htmx_script
from jinja2 import ChainableUndefined, Environment, FileSystemLoader, Undefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from accounts.installation import describe_installation
from accounts.shortcuts import page_keys
from annotation.text.addresses import address_of
from config import filters

# A field of several lines, or the spaces that a line begins with.
_INDENTED = re.compile(r"(<(textarea|pre)\b.*?</\2>)|\n[ \t]+", re.DOTALL)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "htmx_script": htmx_script,
    "installation": describe_installation,
    "page_keys": page_keys,
    "url": address_of,
}
OWN = (
    *(
        "cut_time",
        "date",
        "duration",
        "field_name",
        "file_size",
        "icon",
        "opening",
        "phrasings",
        "rule_title",
    ),
    *("spaced", "stage_label", "static", "texts"),
)
DJANGOS = (
    *("add", "capfirst", "default", "default_if_none", "floatformat", "length", "linebreaksbr"),
    *("pluralize", "stringformat", "timesince", "truncatechars", "urlencode"),
)
FILTERS: dict[str, Callable[..., Any]] = {
    **{name: getattr(filters, name) for name in OWN},
    **{name: getattr(defaultfilters, name) for name in DJANGOS},
    **{"intcomma": humanize.intcomma, "naturaltime": humanize.naturaltime},
    "json_script": json_script,
}


class Loader(FileSystemLoader):
    """Reads pages without the spaces at the start of lines, which readers of the source need.

    Fields of several lines and <pre> stay as they are, and so does everything a page is filled
    with. Line breaks stay, so that messages of the engine name the right line.
    """

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        """Return the source of a template, its file, and how to find out whether it changed."""
        source, file, is_current = super().get_source(environment, template)
        return strip_indents(source) if template.endswith(".html") else source, file, is_current


def strip_indents(source: str) -> str:
    """Return the source of a page without the spaces at the start of lines."""
    return _INDENTED.sub(lambda match: match[1] or "\n", source)


class PagesWithParts(CodeGenerator):
    """Compiles the parts that a page includes into the page.

    To look up and call a part takes longer than to draw most of them, and pages have dozens.
    """

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        """Compile a page."""
        _PutPartsInPlace(self.environment).visit(node)
        super().visit_Template(node, frame)


class _PutPartsInPlace(NodeTransformer):
    def __init__(self, engine: Environment) -> None:
        self.engine = engine

    def visit_Include(self, node: nodes.Include) -> nodes.Node:
        """Return a part instead of its name; where that is a value, it is looked up as ever."""
        if not self.engine.loader or not isinstance(node.template, nodes.Const):
            return node
        name = node.template.value
        source, file, _ = self.engine.loader.get_source(self.engine, name)
        part = self.engine.parse(source, name, file)
        self.visit(part)
        for each in part.find_all(nodes.Node):
            each.lineno = node.lineno  # an error names the page, and where it includes the part
        return nodes.With([], [], part.body, lineno=node.lineno)


def build_environment(*, loader: FileSystemLoader, **options: Any) -> Environment:
    """Return the environment of all templates, for Django's backend.

    What is not there is empty, at any depth, as in Django: pages share parts that are given
    different values.
    """
    options["undefined"] = ChainableUndefined
    made = Environment(loader=Loader(loader.searchpath), **options)  # noqa: S701 - always escapes
    if not made.auto_reload:  # a page would not see that its parts have changed
        made.code_generator_class = PagesWithParts
    made.globals.update(FUNCTIONS)
    made.filters.update(FILTERS)
    made.tests["none"] = lambda value: value is None or isinstance(value, Undefined)
    return made
