"""Pictures of panels as SVG, by altair and vl-convert, which only the worker needs.

A picture is drawn once, in the light colours of the theme. On a page a style sheet replaces each
of them by the token it is (static/css/annotation/figures/reports.css), so that one picture fits
both themes; as a file it is good as it is. People appear as marks that `named` replaces by names or
pseudonyms.
"""

import importlib.util
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

# Nothing else stays of what the library draws: no style, no script, no address outside.
_TAGS = {"svg", "g", "path", "line", "rect", "text", "tspan", "circle", "defs", "clipPath"}
_ATTRIBUTES = {
    *("viewBox", "width", "height", "d", "x", "y", "x1", "x2", "y1", "y2", "dx", "dy", "cx", "cy"),
    *("r", "transform", "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap"),
    *("stroke-miterlimit", "stroke-linejoin", "opacity", "fill-opacity", "stroke-opacity"),
    *("text-anchor", "font-size", "font-weight", "font-family", "id", "clip-path", "display"),
}
_SVG = "{http://www.w3.org/2000/svg}"
_LONGEST = 17  # what the marks leave room for
_PERSON = re.compile(r"person #(\d{9})")


def can_draw() -> bool:
    """Whether altair and vl-convert are installed."""
    return all(importlib.util.find_spec(name) for name in ("altair", "vl_convert"))


def draw_svg(panel: Mapping[str, Any], *, narrow: bool = False) -> str:
    """Return the picture of a stored panel; "" without one, without rows or without libraries.

    narrow: as phones show it, which is drawn for them rather than made smaller; "" of squares,
    which are as many as there are people.
    """
    if not panel["chart"] or not panel["rows"] or not can_draw():
        return ""
    if narrow and panel["chart"]["kind"] == "heatmap":
        return ""
    import vl_convert  # a large library, only where something is drawn

    from annotation.figures.charts import NARROW, WIDE, build_chart

    drawn = build_chart(panel, NARROW if narrow else WIDE)
    key = f"{panel['key']}-narrow" if narrow else panel["key"]
    return "" if drawn is None else sanitise_svg(vl_convert.vegalite_to_svg(drawn), key)


def convert_to_pdf(svg: str) -> bytes:
    """Return a picture as PDF. Raises ImportError without vl-convert."""
    import vl_convert

    return bytes(vl_convert.svg_to_pdf(svg))


def convert_to_png(svg: str) -> bytes:
    """Return a picture as PNG for slides. Raises ImportError without vl-convert."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=2))


def insert_names(svg: str, people: Mapping[int, str]) -> str:
    """Return a picture with the people in it named."""
    return _PERSON.sub(lambda match: escape(_short(people.get(int(match[1]), "?"))), svg)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"


def sanitise_svg(svg: str, key: str) -> str:
    """Return a picture with only what draws it, and ids that no other picture of a page has."""
    from lxml import etree  # only where something is drawn

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(svg.encode(), parser)
    for node in list(root.iter()):
        tag = node.tag if isinstance(node.tag, str) else ""
        if tag.removeprefix(_SVG) not in _TAGS:
            parent = node.getparent()
            if parent is not None:
                parent.remove(node)
            continue
        for name in set(node.attrib) - _ATTRIBUTES:
            del node.attrib[name]
        if "id" in node.attrib:
            node.set("id", f"{key}-{node.get('id')}")
        if (clip := node.get("clip-path", "")) and not clip.startswith("url(#"):
            del node.attrib["clip-path"]
        elif clip:
            node.set("clip-path", f"url(#{key}-{clip.removeprefix('url(#')}")
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode")
