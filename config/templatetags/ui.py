"""Template tags every page uses; built in, so that no template loads them."""

import datetime as dt
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django import template
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import Engine, defaultfilters, defaulttags, loader_tags
from django.template.base import FilterExpression, Node, NodeList, Parser, Token, token_kwargs
from django.template.context import Context
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from annotation.addresses import address_of

register = template.Library()

# Up to the first full stop before a space that is not within quotation marks.
OPENING = re.compile(r"(?:[^“.]|“[^”]*”|\.(?! ))+\.(?= )")


# --- tags that pages have by the dozen: each does as little as it can ----------------------------


class Icon(Node):
    """A drawing next to words."""

    def __init__(self, name: FilterExpression) -> None:
        self.name = name

    def render(self, context: Context) -> SafeString:
        return _drawing(staticfiles_storage.url("icons.svg"), self.name.resolve(context))


@register.tag
def icon(parser: Parser, token: Token) -> Icon:
    """Show the named drawing of static/icons.svg. It is decoration next to words."""
    _, name = token.split_contents()
    return Icon(parser.compile_filter(name))


@lru_cache(maxsize=256)
def _drawing(file: str, name: str) -> SafeString:
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#i-{}"/></svg>', file, name
    )


class Included(loader_tags.IncludeNode):
    """An included template, looked up once and drawn as if it stood in the page itself."""

    parts: NodeList | None = None

    def render(self, context: Context) -> SafeString:
        if self.parts is None:
            name, engine = self.template.resolve(context), _engine(context)
            if self.isolated_context or not isinstance(self.template.var, str) or engine.debug:
                return super().render(context)
            nodes = engine.get_template(name).nodelist
            if any(isinstance(node, loader_tags.ExtendsNode) for node in nodes):
                return super().render(context)
            self.parts = nodes
        if not self.extra_context:
            return self.parts.render(context)
        values = {name: value.resolve(context) for name, value in self.extra_context.items()}
        with context.push(**values):
            return self.parts.render(context)


@register.tag
def include(parser: Parser, token: Token) -> Included:
    """Django's tag with a faster node."""
    node = loader_tags.do_include(parser, token)
    return Included(
        node.template, extra_context=node.extra_context, isolated_context=node.isolated_context
    )


class Address(defaulttags.URLNode):
    """An address whose pattern is looked up once."""

    def render(self, context: Context) -> str:
        if self.kwargs or self.asvar or not isinstance(self.view_name.var, str):
            return super().render(context)
        args = [value.resolve(context) for value in self.args]
        return conditional_escape(address_of(self.view_name.var, *args))


@register.tag
def url(parser: Parser, token: Token) -> Address:
    """Django's tag with a faster node."""
    node = defaulttags.url(parser, token)
    return Address(node.view_name, node.args, node.kwargs, node.asvar)


def _engine(context: Context) -> Engine:
    assert context.template is not None  # it is being drawn
    return context.template.engine


class Remembered(Node):
    """A part of a page that depends on a few values only, drawn once for the same values."""

    def __init__(self, file: str, values: Mapping[str, FilterExpression]) -> None:
        self.file, self.values = file, values
        self.drawn = lru_cache(maxsize=256, typed=True)(self.draw)

    def render(self, context: Context) -> SafeString:
        values = [value.resolve(context) for value in self.values.values()]
        return self.drawn(_engine(context), *values)

    def draw(self, engine: Engine, *values: Any) -> SafeString:
        named = dict(zip(self.values, values, strict=True))
        return engine.get_template(self.file).render(Context(named))


@register.tag
def remembered(parser: Parser, token: Token) -> Remembered:
    """Include a template that is given these values and nothing else: no request, no token.

    Values must be hashable; equal ones give the same text. {% remembered "a.html" value=… %}
    """
    _, name, *values = token.split_contents()
    file = parser.compile_filter(name).resolve(Context())
    return Remembered(file, token_kwargs(values, parser))


class TokenField(defaulttags.CsrfTokenNode):
    """The field with the token that forms send, made once for a page."""

    def render(self, context: Context) -> str:
        page: dict[Any, str] = context.render_context.dicts[0]
        if TokenField not in page:
            page[TokenField] = super().render(context)
        return page[TokenField]


@register.tag
def csrf_token(parser: Parser, token: Token) -> TokenField:
    """Django's tag with a faster node."""
    return TokenField()


@register.filter("date", expects_localtime=True)
def date(value: Any, style: str = "") -> str:
    """Django's filter, with a short way for the two formats that pages of work are full of."""
    if isinstance(value, dt.datetime):
        if style == "c":
            return value.isoformat()
        if style == "H:i":
            return f"{value.hour:02}:{value.minute:02}"
    return defaultfilters.date(value, style or None)


@register.filter
def phrasings(question: str) -> str:
    """Return a question that holds several phrasings, joined by "|" as in AmbigNQ, for reading."""
    return " or ".join(filter(None, map(str.strip, question.split("|")))) or question


@register.filter
def spaced(name: str) -> str:
    """Return a stored name as words: assignment_taken is "assignment taken"."""
    return re.sub("[_:]+", " ", name)


@register.filter
def opening(text: str) -> SafeString:
    """Return the text with its first sentence, the finding, set apart from the reasons."""
    first = OPENING.match(text)
    if not first:
        return format_html("{}", text)
    return format_html("<strong>{}</strong>{}", first.group(), text[first.end() :])


@register.filter
def duration(seconds: float | None) -> str:
    """Return seconds as people say them: 40 s, 12 min, 1 h 32 min."""
    total = int(seconds or 0)
    if total < 60:
        return f"{total} s"
    hours, minutes = divmod(total // 60, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes:02d} min" if minutes else f"{hours} h"


@register.filter
def cut_time(since: str) -> str:
    """Return the larger part of a `timesince` text: "2 days" of "2 days, 3 hours"."""
    return "now" if since.startswith("0") else since.split(",")[0]
