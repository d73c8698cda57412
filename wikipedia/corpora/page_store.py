"""A store of pages by title for programs such as DrQA: one SQLite file, documents(id, text) (A69).

DrQA's tools look a page up by its title in Unicode's form NFD, and read its text.
"""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unicodedata import normalize

from wikipedia.archives.zim import RawArticle, ZimArchive
from wikipedia.corpora.pool import in_order
from wikipedia.corpora.sources import is_main_page
from wikipedia.corpora.statements import COUNT_DOCUMENTS, CREATE_DOCUMENTS, INSERT_DOCUMENT
from wikipedia.html.extract import extract_article

_AT_ONCE = 1_000


def write_page_store(
    archive: ZimArchive,
    target: Path,
    *,
    processes: int = 0,
    on_step: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Write every article of an archive as plain text, in the order of the archive; the number.

    Where two have the same title, the first one counts; pages without text are left out. The file
    is there whole or not at all. `on_step` is called now and then with the entries that were read,
    and how many there are. Raises ArchiveError and OSError.
    """
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    part.touch()  # it says why, where SQLite only says that it cannot
    try:
        with closing(sqlite3.connect(part)) as store:
            store.execute(CREATE_DOCUMENTS)
            for number, (position, title, text) in enumerate(_read_pages(archive, processes)):
                store.execute(INSERT_DOCUMENT, [normalize("NFD", title), text])
                if number % _AT_ONCE == 0:
                    on_step(position, archive.entry_count)
            store.commit()
            (written,) = store.execute(COUNT_DOCUMENTS).fetchone()
        part.replace(target)
    except sqlite3.Error as error:
        part.unlink(missing_ok=True)
        raise OSError(errno.EIO, str(error)) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    on_step(archive.entry_count, archive.entry_count)
    return int(written)


def _read_pages(archive: ZimArchive, processes: int) -> Iterator[tuple[int, str, str]]:
    articles = (each for each in archive.iterate_articles() if not is_main_page(each.title))
    read = in_order(_text_of, articles, processes=processes, weight=lambda each: len(each.html))
    return (page for page in read if page[2])


def _text_of(article: RawArticle) -> tuple[int, str, str]:
    """Return place, title and text of an article; may run in another process."""
    return article.position, article.title, extract_article(article.html, article.title).text
