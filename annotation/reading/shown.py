"""An article as it was shown once, from the stored page."""

from dataclasses import replace

from django.urls import reverse

from wikipedia.articles import stored_articles
from wikipedia.articles.article import Article
from wikipedia.articles.reader import read_again
from wikipedia.models import ShownPage


def read_as_shown(kept: ShownPage, snapshot: str) -> Article:
    """Return the article with its pictures and without links, since nothing is logged here.

    Raises DamagedPage if what is stored cannot be read.
    """
    files = reverse("wikipedia:asset", args=[snapshot, "x"]).removesuffix("x")
    article = read_again(kept.title, stored_articles.html_of(kept))
    return replace(article, html=stored_articles.remove_wiki_links(article.html, files=files))
