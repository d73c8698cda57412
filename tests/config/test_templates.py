"""What every template may use, and how templates are read."""

import datetime as dt
from graphlib import TopologicalSorter

import pytest
from django.template import TemplateSyntaxError, defaultfilters, engines
from django.urls import NoReverseMatch, reverse, set_script_prefix
from django.utils.timezone import localtime
from jinja2 import FileSystemLoader, nodes

from config.filters import opening, phrasings, spaced
from config.templates import build_environment, strip_indents


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
    assert strip_indents(source) == read


def test_what_somebody_typed_stays_as_it_is():
    typed = "one\n   two\n\n\tthree"
    form = drawn("annotation/work/_form_feedback.html", feedback=typed)
    assert f">\n{typed}</textarea>" in form


# --- parts ---------------------------------------------------------------------------------------

PARTS = {
    "page.html": """<ol>
{% for x in rows %}{% with name=x %}{% include "part.html" %}{% endwith %}{% endfor %}
</ol>
{% set mine = "outer" %}{% include which %}[{{ mine }}]{% include "part.html" %}[{{ name }}]""",
    "part.html": '{% set mine = name|default("-") %}<li>{{ mine|upper }}{% include "end.html" %}\n',
    "end.html": "\n\n</li>{{ 1 // left }}",
}


@pytest.fixture
def pages(tmp_path):
    for name, text in PARTS.items():
        (tmp_path / name).write_text(text)
    loader = FileSystemLoader([tmp_path])
    return {
        reload: build_environment(loader=loader, autoescape=True, auto_reload=reload)
        for reload in (True, False)
    }


def test_a_part_in_place_is_what_it_is_alone(pages):
    given = {"rows": ["<a>", "b"], "which": "part.html", "left": 1}
    alone, in_place = (pages[reload].get_template("page.html").render(given) for reload in pages)
    assert in_place == alone
    assert "<li>&lt;A&gt;\n\n</li>1" in alone
    assert alone.endswith("[outer]<li>-\n\n</li>1[]")


def test_parts_are_read_once_except_by_developers(pages, tmp_path):
    given = {"rows": [], "which": "end.html", "left": 1}
    for reload in pages:
        pages[reload].get_template("page.html").render(given)
    (tmp_path / "part.html").write_text("changed")
    assert "changed" not in pages[False].get_template("page.html").render(given)
    assert "changed" in pages[True].get_template("page.html").render(given)


def test_an_error_in_a_part_names_the_page_and_where_it_has_it(pages):
    with pytest.raises(ZeroDivisionError) as error:
        pages[False].get_template("page.html").render(rows=["a"], left=0)
    last = error.traceback[-1]
    assert (last.path.name, last.lineno + 1) == ("page.html", 2)


def test_parts_have_no_blocks_and_none_has_itself():
    """A block would be one of the page, and a part that has itself would have no end."""
    environment = engine().env
    parts, with_blocks = {}, set()
    for name in names_of_templates("html"):
        tree = environment.parse(environment.loader.get_source(environment, name)[0])
        included = [node.template for node in tree.find_all(nodes.Include)]
        parts[name] = {each.value for each in included if isinstance(each, nodes.Const)}
        if tree.find((nodes.Block, nodes.Extends)):
            with_blocks.add(name)
    in_place = set().union(*parts.values())
    assert len(in_place) > 50
    assert not in_place & with_blocks
    TopologicalSorter(parts).prepare()  # raises CycleError


# --- functions and filters -----------------------------------------------------------------------


def engine():
    return engines["jinja2"]


def names_of_templates(*extensions):
    """Return the names of all but those of the administration, which Django's own engine draws."""
    names = engine().env.list_templates(extensions=extensions)
    return [name for name in names if not name.startswith("admin/")]


def drawn(file, **values):
    return engine().get_template(file).render(values)


def shown(source, **values):
    return engine().from_string(source).render(values)


def test_every_template_can_be_read():
    names = names_of_templates("html", "txt")
    wrong = []
    for name in names:
        try:
            engine().get_template(name)
        except TemplateSyntaxError as error:
            wrong.append(f"{name}: {error}")
    assert len(names) > 300
    assert not wrong, "\n".join(wrong)


def test_an_icon_refers_to_the_drawing():
    assert shown('{{ "check"|icon }}') == shown("{{ name|icon }}", name="check")
    assert 'href="/static/icons.svg#i-check"' in shown('{{ "check"|icon }}')


def test_what_is_not_there_is_empty():
    assert shown("[{{ nobody.at.all }}{% if nobody.here %}x{% endif %}]") == "[]"


def test_what_a_page_is_filled_with_is_text():
    assert shown("{{ a }}{{ a|default('') }}", a="<b>") == "&lt;b&gt;&lt;b&gt;"
    assert shown("{{ a|linebreaksbr }}", a="<b>\nc") == "&lt;b&gt;<br>c"
    assert shown("{{ a|join(', ') }}", a=["<", ">"]) == "&lt;, &gt;"
    assert shown("{{ a|truncatechars(3) }}", a="<b></b>") == "&lt;b…"


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
    for prefix in ("/", "/ambit%20/"):
        set_script_prefix(prefix)
        try:
            assert shown("{{ url(name, *args) }}", name=name, args=args) == reverse(name, args=args)
        finally:
            set_script_prefix("/")


def test_an_address_that_is_not_there_is_an_error():
    with pytest.raises(NoReverseMatch):
        shown("{{ url('work-page', 'x') }}")


@pytest.mark.parametrize("style", ["c", "H:i", "j F Y", "Y"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_dates_are_written_as_django_does(style, zone, settings):
    settings.TIME_ZONE = zone
    moment = dt.datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=dt.UTC)
    page = f"{{{{ at|date('{style}') }}}}"
    assert shown(page, at=moment) == defaultfilters.date(localtime(moment), style)
    assert shown(page, at=None) == ""
    day = moment.date()
    if style != "H:i":
        assert shown(page, at=day) == defaultfilters.date(day, style)


def test_a_page_has_one_token_in_all_its_forms(rf):
    page = engine().from_string("{{ csrf_input }}{{ csrf_input }}")
    fields = [page.render({}, rf.get("/")) for _ in range(2)]
    for field in fields:
        assert field == field[: len(field) // 2] * 2
        assert 'name="csrfmiddlewaretoken"' in field
    assert fields[0] != fields[1]


def test_several_phrasings_are_read_as_one_sentence():
    assert (
        phrasings("When did A open?|When was A opened?") == "When did A open? or When was A opened?"
    )
    assert phrasings("A?| B? ||C?") == "A? or B? or C?"
    assert phrasings("When?") == "When?"
    assert phrasings("|") == "|"
