"""The tags and filters every page uses, and how templates are read."""

import datetime as dt
import re

import pytest
from django.template import Context, Engine, RequestContext, Template, defaultfilters
from django.template.loader import get_template
from django.urls import NoReverseMatch, reverse, set_script_prefix
from django.utils.timezone import localtime

from config.templates import unindented
from config.templatetags.ui import opening, phrasings, spaced


@pytest.mark.parametrize(
    ("first", "rest", "shown"),
    [
        ("This has 10 words.", " Shorter is better.", "This has 10 words."),
        ("“J. R. Smith” is not there.", " It may be right.", "“J. R. Smith” is not there."),
        ("It kept 1.5 words.", " Look.", "It kept 1.5 words."),
        ("<b> is odd.", " Look.", "&lt;b&gt; is odd."),
    ],
)
def test_the_first_sentence_is_set_apart(first, rest, shown):
    assert opening(first + rest) == f"<strong>{shown}</strong>{rest}"


@pytest.mark.parametrize("text", ["One sentence only.", "", "“Never closed. And so on."])
def test_one_sentence_stays_as_it_is(text):
    assert opening(text) == text


def test_markup_in_one_sentence_is_text():
    assert opening("<i>alone</i>") == "&lt;i&gt;alone&lt;/i&gt;"


def test_stored_names_are_shown_as_words():
    assert spaced("assignment_taken") == "assignment taken"
    assert spaced("assignment:12") == "assignment 12"


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("<p>\n    a <i>b</i>\n\n  </p>{{ x }}", "<p>\na <i>b</i>\n\n</p>{{ x }}"),
        (
            "<p>\n  <textarea>\n  {{ x }}</textarea>\n  </p>",
            "<p>\n<textarea>\n  {{ x }}</textarea>\n</p>",
        ),
        ("<pre>\n  one\n</pre>\n  <b>", "<pre>\n  one\n</pre>\n<b>"),
    ],
)
def test_pages_are_read_without_indentation(source, read):
    assert unindented(source) == read


def test_what_somebody_typed_stays_as_it_is():
    typed = "one\n   two\n\n\tthree"
    form = drawn("annotation/_form_feedback.html", feedback=typed)
    assert f">\n{typed}</textarea>" in form


# --- tags ----------------------------------------------------------------------------------------


def drawn(file, **values):
    return get_template(file).template.render(Context(values))


def shown(source, **values):
    return Template(source).render(Context(values))


def test_an_icon_refers_to_the_drawing():
    assert shown('{% icon "check" %}') == shown("{% icon name %}", name="check")
    assert 'href="/static/icons.svg#i-check"' in shown('{% icon "check" %}')


@pytest.mark.parametrize(
    "tag",
    [
        '{% include "annotation/_todo.html" %}',
        '{% include "annotation/_todo.html" with todo=4 %}',
        '{% include "annotation/_todo.html" only %}',
        '{% include "annotation/_todo.html" with ready=name only %}',
        "{% include file with todo=5 %}",
    ],
)
def test_a_template_is_included_as_django_does(tag):
    ours = Engine.get_default()
    djangos = Engine(dirs=ours.dirs, builtins=ours.builtins, debug=True)
    values = {"todo": 3, "name": "<b>", "file": "annotation/_todo.html"}
    page, plain = (Template(f"{tag}{{{{ todo }}}}", engine=engine) for engine in (ours, djangos))
    for _ in range(2):
        assert page.render(Context(values)) == re.sub(r"\n +", "\n", plain.render(Context(values)))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("home", ()),
        ("work-page", (12,)),
        ("attempt-item", (7, 7)),
        ("project-start", ("a-1",)),
        ("admin:index", ()),
    ],
)
def test_an_address_is_the_one_that_reverse_gives(name, args):
    names = " ".join(f"arg{at}" for at in range(len(args)))
    values = {f"arg{at}": arg for at, arg in enumerate(args)}
    for prefix in ("/", "/ambit%20/"):
        set_script_prefix(prefix)
        try:
            assert shown(f"{{% url '{name}' {names} %}}", **values) == reverse(name, args=args)
        finally:
            set_script_prefix("/")


def test_an_address_that_is_not_there_is_an_error():
    with pytest.raises(NoReverseMatch):
        shown("{% url 'work-page' 'x' %}")
    assert shown("{% url 'nowhere' as there %}[{{ there }}]") == "[]"


@pytest.mark.parametrize("style", ["c", "H:i", "j F Y", "Y"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_dates_are_written_as_django_does(style, zone, settings):
    settings.TIME_ZONE = zone
    moment = dt.datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=dt.UTC)
    local = localtime(moment)
    assert shown(f"{{{{ at|date:'{style}' }}}}", at=moment) == defaultfilters.date(local, style)
    assert shown(f"{{{{ at|date:'{style}' }}}}", at=None) == ""
    day = moment.date()
    if style != "H:i":
        assert shown(f"{{{{ at|date:'{style}' }}}}", at=day) == defaultfilters.date(day, style)


def test_a_page_has_one_token_in_all_its_forms(rf):
    page = Template("{% csrf_token %}{% csrf_token %}")
    fields = [page.render(RequestContext(rf.get("/"))) for _ in range(2)]
    for field in fields:
        assert field == field[: len(field) // 2] * 2
        assert 'name="csrfmiddlewaretoken"' in field
    assert fields[0] != fields[1]


def test_a_part_is_drawn_once_for_the_same_values(monkeypatch):
    page = Template('{% remembered "annotation/_todo.html" todo=number %}')
    first = page.render(Context({"number": 3}))
    assert "3 to do" in first
    assert "4 to do" in page.render(Context({"number": 4}))
    monkeypatch.setattr(Engine, "get_template", None)
    assert page.render(Context({"number": 3})) == first


def test_a_remembered_part_sees_only_its_values():
    page = Template('{% remembered "annotation/_todo.html" todo=number %}')
    assert "Almost" not in page.render(Context({"number": 0, "ready": "Almost"}))


def test_several_phrasings_are_read_as_one_sentence():
    assert (
        phrasings("When did A open?|When was A opened?") == "When did A open? or When was A opened?"
    )
    assert phrasings("A?| B? ||C?") == "A? or B? or C?"
    assert phrasings("When?") == "When?"
    assert phrasings("|") == "|"
