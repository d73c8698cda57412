"""Guidelines: Markdown in, safe HTML out."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# No raw HTML, no images: guidelines are text, and no page asks another host for anything.
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_TAGS = {
    *("p", "br", "hr", "strong", "em", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}


def render_markdown(markdown: str) -> SafeString:
    """Return the Markdown as safe HTML, headings one level down (a page has one h1)."""
    tokens = _markdown.parse(markdown)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(clean)  # noqa: S308 - nh3 made it safe


def render_sections(markdown: str) -> list[tuple[str, SafeString]]:
    """Return the guidelines cut at their `##` headings: (title, HTML), in order.

    Text before the first heading becomes a section called "Overview". A heading with nothing under
    it is left out.
    """
    cut: list[tuple[str, list[str]]] = []
    fence = False
    for line in markdown.splitlines():
        fence ^= line.lstrip().startswith("```")
        if line.startswith("## ") and not fence:
            cut.append((line[3:].strip(), []))
        elif cut or line.strip():
            if not cut:
                cut.append(("Overview", []))
            cut[-1][1].append(line)
    written = [(title, "\n".join(lines)) for title, lines in cut]
    return [(title, render_markdown(text)) for title, text in written if text.strip()]
