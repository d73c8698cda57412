"""Small archives for tests, written with libzim itself."""

from libzim.writer import Creator, Hint, Item, StringProvider

LEAD = "The Ferry of Lund is a small passenger ferry. It crosses the Sound every hour."


def page(title, body):
    return (
        f"<html><head><title>{title}</title><style>p {{ color: red }}</style></head>"
        f'<body><h1 id="firstHeading">{title}</h1><div id="mw-content-text">{body}</div></body>'
        "</html>"
    )


class _Entry(Item):
    def __init__(self, path, title, content, mimetype):
        super().__init__()
        self._path, self._title, self._content, self._type = path, title, content, mimetype

    def get_path(self):
        return self._path

    def get_title(self):
        return self._title

    def get_mimetype(self):
        return self._type

    def get_contentprovider(self):
        return StringProvider(self._content)

    def get_hints(self):
        return {Hint.FRONT_ARTICLE: self._type == "text/html"}


ARTICLES = {
    "Ferry_of_Lund": (
        "Ferry of Lund",
        f"<p>{LEAD} See <a href='Harbour_of_Lund#History'>the harbour</a>.</p>"
        "<h2>Timetable</h2><p>Boats leave at noon.</p>"
        "<img src='./_assets_/boat.png' width='20' height='10' alt='A boat'>",
    ),
    "Harbour_of_Lund": (
        "Harbour of Lund",
        "<p>The harbour was dug in 1765 by hand.</p><h2>History</h2><p>It froze in 1799.</p>",
    ),
    "AC/DC": ("AC/DC", "<p>A band. <a href='../Ferry_of_Lund'>ferry</a></p>"),
}
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def write_zim(path, articles=None, redirects=(("Ferryboat", "Ferry boat", "Ferry_of_Lund"),)):
    """A new-style archive (no namespaces) with two pictures and a stylesheet."""
    articles = ARTICLES if articles is None else articles
    with Creator(str(path)).config_indexing(False, "eng") as creator:
        for key, (title, body) in articles.items():
            creator.add_item(_Entry(key, title, page(title, body), "text/html"))
        creator.add_item(_Entry("_assets_/boat.png", "", PNG, "image/png"))
        creator.add_item(_Entry("_assets_/boat.svg", "", SVG, "image/svg+xml"))
        creator.add_item(_Entry("_assets_/style.css", "", "p{}", "text/css"))
        for key, title, target in redirects:
            creator.add_redirection(key, title, target, {Hint.FRONT_ARTICLE: True})
        for name, value in (("Title", "Lund"), ("Language", "eng"), ("Date", "2024-01-02")):
            creator.add_metadata(name, value)
    return path
