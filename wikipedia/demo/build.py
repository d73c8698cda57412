"""Build the demo snapshot: a ZIM archive of the articles in the folder of this file.

An article is one file, `articles/<Path>.html`. It starts with a comment that holds its title and
its other names, and continues with the body of the page, from `<h2>` down:

    <!--
    title: Thames Tunnel
    redirects: Brunel's tunnel | Tunnel under the Thames
    -->
    <p>...</p>

The path is the title with underscores for spaces, as on Wikipedia, and is also the file's name.
Links are relative and percent-encoded (`href="River_Thames"`); pictures are
`src="images/name.svg"`.
"""

from __future__ import annotations

import datetime
import html
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from libzim.writer import ContentProvider, Creator, Hint, Item, StringProvider

HERE: Final = Path(__file__).resolve().parent
ARTICLES: Final = HERE / "articles"
IMAGES: Final = HERE / "images"

NAME: Final = "ambit_demo_en"
MAIN_PATH: Final = "Thames_Tunnel"
# A fixed day, so that every demo shows the same date next to its articles.
SNAPSHOT_DATE: Final = datetime.date(2024, 1, 2)

_HEADER: Final = re.compile(r"\A<!--\n(.*?)\n-->\n", re.DOTALL)
_HEADING: Final = re.compile(r"<(h[2-6])>(.*?)</\1>")
_TAG: Final = re.compile(r"<[^>]+>")
_IMAGE_TYPES: Final = {".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class DemoArticle:
    """An article as written: `body` is HTML from the first paragraph on, without the title."""

    title: str
    redirects: tuple[str, ...]
    body: str

    @property
    def path(self) -> str:
        """The article's path in the archive."""
        return path_of(self.title)


class _DemoItem(Item):  # type: ignore[misc]  # libzim comes without types
    """A text or picture to be written into the archive."""

    def __init__(self, path: str, title: str, mimetype: str, content: str | bytes) -> None:
        super().__init__()
        self._path = path
        self._title = title
        self._mimetype = mimetype
        self._content = content

    def get_path(self) -> str:
        return self._path

    def get_title(self) -> str:
        return self._title

    def get_mimetype(self) -> str:
        return self._mimetype

    def get_contentprovider(self) -> ContentProvider:
        return StringProvider(self._content)

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: int(self._mimetype == "text/html")}


def path_of(title: str) -> str:
    """Return the path for a title: spaces become underscores."""
    return title.replace(" ", "_")


def load_articles(folder: Path = ARTICLES) -> list[DemoArticle]:
    """Return every article of `folder`, ordered by path.

    Raises `ValueError`, naming the file, if one has no header, an unknown header line, a title
    that does not match its file name, or a name that another one has.
    """
    articles = [_read_article(file) for file in sorted(folder.glob("*.html"))]
    if not articles:
        raise ValueError(f"{folder} holds no articles. Reinstall Ambit: its demo is incomplete.")
    owners: dict[str, str] = {}
    for article in articles:
        for name in (article.title, *article.redirects):
            if path_of(name) in owners:
                raise ValueError(
                    f'"{name}" is used twice: by "{owners[path_of(name)]}" and by '
                    f'"{article.title}". Take it out of the redirects of one of them.'
                )
            owners[path_of(name)] = article.title
    return sorted(articles, key=lambda article: article.path)


def page_html(article: DemoArticle) -> str:
    """Return the article as a complete page: its title as `<h1>`, and an id on every heading."""
    title = html.escape(article.title, quote=False)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{_with_heading_ids(article)}</body>\n</html>\n"
    )


def build_demo_zim(path: Path) -> None:
    """Write the demo archive to `path`; an old one is replaced only once the new one is complete.

    libzim gives every archive a new identifier, so two builds differ in it and in nothing that
    readers see. Raises `ValueError` as `load_articles` does, and `OSError` where the folder
    cannot be written.
    """
    articles = load_articles()
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, because a rename is atomic only within one file system; a name of its
    # own, because two processes may build the demo at once.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        unfinished = Path(folder) / path.name
        _write(unfinished, articles)
        os.replace(unfinished, path)


def _write(path: Path, articles: list[DemoArticle]) -> None:
    creator = Creator(path)
    # Search has an index of its own. One worker keeps the order of the clusters the same.
    creator.config_indexing(False, "eng")
    creator.config_nbworkers(1)
    creator.config_verbose(False)
    creator.set_mainpath(MAIN_PATH)
    with creator:
        for key, value in _metadata(len(articles)).items():
            creator.add_metadata(key, value)
        for article in articles:
            page = page_html(article)
            creator.add_item(_DemoItem(article.path, article.title, "text/html", page))
        for image in _images():
            creator.add_item(image)
        for article in articles:
            for name in article.redirects:
                creator.add_redirection(path_of(name), name, article.path, {})


def _metadata(count: int) -> dict[str, str | datetime.date]:
    return {
        "Name": NAME,
        "Title": "Ambit demo encyclopedia",
        "Description": f"{count} short articles written for trying out Ambit",
        "Language": "eng",
        "Date": SNAPSHOT_DATE,
        "Creator": "The Ambit authors",
        "Publisher": "Ambit",
        "License": "Apache-2.0",
        "Scraper": "ambit wikipedia.demo.build",
    }


def _images() -> Iterator[_DemoItem]:
    for file in sorted(IMAGES.iterdir()):
        if file.suffix in _IMAGE_TYPES:
            content = file.read_bytes()
            yield _DemoItem(f"images/{file.name}", file.name, _IMAGE_TYPES[file.suffix], content)


def _read_article(file: Path) -> DemoArticle:
    text = file.read_text(encoding="utf-8")
    header = _HEADER.match(text)
    if header is None:
        raise ValueError(
            f"{file.name} has no header. Start it with <!--, a line title: ..., and -->."
        )
    fields = {"title": "", "redirects": ""}
    for line in header.group(1).splitlines():
        key, colon, value = line.partition(":")
        if not colon or key not in fields:
            raise ValueError(
                f'{file.name}: the header line "{line}" is not known. Use title or redirects.'
            )
        fields[key] = value.strip()
    title = fields["title"]
    if path_of(title) != file.stem:
        raise ValueError(
            f'{file.name} has the title "{title}". Name the file {path_of(title)}.html.'
        )
    names = [name.strip() for name in fields["redirects"].split("|")]
    redirects = tuple(name for name in names if name)
    return DemoArticle(title, redirects, text[header.end() :])


def _with_heading_ids(article: DemoArticle) -> str:
    """Turn each `<h2>Early life</h2>` into `<h2 id="Early_life">Early life</h2>`."""

    def add_id(match: re.Match[str]) -> str:
        level, inside = match.groups()
        anchor = path_of(html.unescape(_TAG.sub("", inside)))
        return f'<{level} id="{html.escape(anchor)}">{inside}</{level}>'

    return _HEADING.sub(add_id, article.body)
