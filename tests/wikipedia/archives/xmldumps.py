"""Small dumps for tests, in the form that MediaWiki exports."""

import bz2
import gzip
from xml.sax.saxutils import escape

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
    "<siteinfo><sitename>Lund</sitename><dbname>lund</dbname><namespaces>"
    '<namespace key="-2" case="first-letter">Media</namespace>'
    '<namespace key="0" case="first-letter" /><namespace key="1">Talk</namespace>'
    '<namespace key="6">Datei</namespace><namespace key="10">Template</namespace>'
    '<namespace key="14">Kategorie</namespace></namespaces></siteinfo>\n'
)
FOOT = "</mediawiki>\n"


def page(number, title, text, *, ns=0, redirect=None, model="wikitext", moment="2018-12-20"):
    tag = "" if redirect is None else f'<redirect title="{escape(redirect)}" />'
    space = "" if ns is None else f"<ns>{ns}</ns>"
    return (
        f"<page><title>{escape(title)}</title>{space}<id>{number}</id>{tag}"
        + revision(number * 10, text, model=model, moment=moment)
        + "</page>\n"
    )


def revision(number, text, *, model="wikitext", moment="2018-12-20"):
    return (
        f"<revision><id>{number}</id><timestamp>{moment}T00:00:00Z</timestamp>"
        "<contributor><username>Clerk</username><id>7</id></contributor>"
        f"<model>{model}</model><format>text/x-wiki</format>"
        f'<text bytes="{len(text)}" xml:space="preserve">{escape(text)}</text></revision>'
    )


def write_dump(path, pages, *, per_stream=2):
    """Write pages to a .xml, .xml.gz or multistream .xml.bz2 file."""
    if path.suffix == ".bz2":
        parts = ["".join(pages[n : n + per_stream]) for n in range(0, len(pages), per_stream)]
        path.write_bytes(b"".join(bz2.compress(p.encode()) for p in [HEAD, *parts, FOOT]))
    else:
        data = "".join([HEAD, *pages, FOOT]).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
