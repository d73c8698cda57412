"""Articles from HTML, as background work reads them."""

import datetime as dt

from wikipedia.articles.stored_articles import article_of
from wikipedia.html.page import SourcePage


def show_article(html, title="Test"):
    moment = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
    path = title.replace(" ", "_")
    page = SourcePage(path, title, html, None, None, 7, moment, moment, f"https://wiki/{path}")
    return article_of(page)
