"""Snapshots (a dated Wikipedia) and quotes (a piece of one, with provenance)."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from wikipedia.text.words import word_set

# Languages written from right to left, as archives (three letters) and wikis (two) name them.
RIGHT_TO_LEFT = word_set(
    "ar ara arz azb ckb dv div fa fas per glk he heb ks kas lrc mzn nqo pnb ps pus sd snd ug uig ur"
    " urd yi yid"
)


class Snapshot(models.Model):
    """A dated Wikipedia: a ZIM archive plus its search index, or a live MediaWiki as of a date."""

    class Kind(models.TextChoices):
        ZIM = "zim", "ZIM archive"
        LIVE = "live", "Live MediaWiki"

    class State(models.TextChoices):
        INDEXING = "indexing", "Being indexed"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    name = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=8, choices=Kind)
    state = models.CharField(max_length=10, choices=State, default=State.INDEXING)
    problem = models.TextField(blank=True)
    archive = models.CharField(max_length=1000, blank=True, help_text="Path of the ZIM file.")
    address = models.URLField(
        blank=True, help_text="Live: the wiki's api.php. ZIM: where its articles live on the web."
    )
    language = models.CharField(max_length=12, default="en")
    as_of = models.DateField(help_text="The day this Wikipedia shows.")
    licence = models.CharField(max_length=60, default="CC BY-SA")
    articles = models.PositiveIntegerField(default=0)
    passages = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["zim", "live"]), name="snapshot_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["indexing", "ready", "failed"]), name="snapshot_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(kind="zim", archive=""), name="snapshot_zim_has_archive"
            ),
            models.CheckConstraint(
                condition=~Q(kind="live", address=""), name="snapshot_live_has_address"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def direction(self) -> str:
        """The direction of writing of its articles, as in HTML's `dir`."""
        return "rtl" if self.language.split("-")[0].lower() in RIGHT_TO_LEFT else "ltr"

    @property
    def origin(self) -> str:
        """The source named on its pages: the wiki, or the archive and its day."""
        if self.kind == self.Kind.LIVE:
            return self.title
        day = f"{self.as_of.day} {self.as_of:%B %Y}"
        archive = f"archive “{self.title.removesuffix(f', {day}')}” of {day}"
        return f"Wikipedia · {archive}" if self.licence.startswith("CC BY-SA") else archive


class ShownPage(models.Model):
    """An article as it was shown, its HTML and its canonical text, stored once per content.

    A pinned revision is not frozen (templates and images move on), so the page that
    people read and quotes refer to is stored here by its hashes. See
    `wikipedia.articles.stored_articles`.
    """

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="shown_pages")
    path = models.CharField(max_length=1000)
    title = models.CharField(max_length=500)
    page_id = models.BigIntegerField(null=True)
    rev_id = models.BigIntegerField(null=True)
    rev_timestamp = models.DateTimeField(
        null=True, help_text="When the revision was saved, where the source says so."
    )
    retrieved_at = models.DateTimeField()
    url = models.URLField(max_length=2000, blank=True)
    text = models.TextField()
    text_sha256 = models.CharField(max_length=64)
    html = models.BinaryField(
        null=True, help_text="The safe HTML, compressed with zlib; none before it was kept."
    )
    html_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "snapshot",
                "path",
                Coalesce("rev_id", 0),
                "text_sha256",
                "html_sha256",
                name="shown_page_once_per_content",
            ),
            models.CheckConstraint(
                condition=Q(html__isnull=True, html_sha256="")
                | (Q(html__isnull=False) & ~Q(html_sha256="")),
                name="shown_page_html_with_hash",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Quote(models.Model):
    """A piece of an article with provenance. Positions are code points of the NFC text shown."""

    class MadeBy(models.TextChoices):
        SELECTION = "selection", "Selected in the article"
        PASTE = "paste", "Pasted and found again"
        TYPED = "typed", "Typed and found again"
        SUGGESTION = "suggestion", "From a suggestion"

    class Block(models.TextChoices):
        PARAGRAPH = "paragraph", "Paragraph"
        HEADING = "heading", "Heading"
        LIST = "list", "List"
        TABLE_CELL = "table_cell", "Table cell"
        INFOBOX = "infobox", "Infobox"
        CAPTION = "caption", "Caption"

    page = models.ForeignKey(ShownPage, on_delete=models.PROTECT, related_name="quotes")
    section_path = models.JSONField(
        default=list, help_text="Headings from the top, outermost first."
    )
    section_anchor = models.CharField(max_length=300, blank=True)
    block_kind = models.CharField(max_length=12, choices=Block)
    headers = models.JSONField(
        default=dict,
        blank=True,
        help_text="Of a cell: the table's caption, and its row and column headers from outside in.",
    )
    exact = models.TextField()
    prefix = models.CharField(max_length=32, blank=True)
    suffix = models.CharField(max_length=32, blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    made_by = models.CharField(max_length=12, choices=MadeBy)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="quotes"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="quote_start_before_end"),
            models.CheckConstraint(condition=~Q(exact=""), name="quote_not_empty"),
        ]

    def __str__(self) -> str:
        return self.exact[:80]

    @property
    def place(self) -> str:
        """Its place on the page: section, then the headers of its cell; empty for the lead."""
        return place_of(self.page.title, self.section_path, self.block_kind, self.headers)


_CELLS = (Quote.Block.TABLE_CELL, Quote.Block.INFOBOX, Quote.Block.CAPTION)


def place_of(
    title: str, section_path: Sequence[str], block_kind: str, headers: Mapping[str, Any]
) -> str:
    """Return `Quote.place` from the title of its page and columns of its own."""
    # An infobox often begins with the title of its page as a header over everything.
    names = [*headers.get("column", ()), *headers.get("row", ())]
    cell = [name for name in names if name != title]
    if not cell and block_kind in _CELLS:
        cell = [headers.get("caption") or Quote.Block(block_kind).label.lower()]
    return ", ".join(filter(None, [" › ".join(section_path), " · ".join(cell)]))


class WikiHost(models.Model):
    """How long a live wiki wants to be left alone, told to one process and shared by all."""

    host = models.CharField(max_length=255, unique=True)
    paused_until = models.DateTimeField(help_text="No request before this moment.")
    failures = models.PositiveSmallIntegerField(
        default=0, help_text="Failed requests in a row; each doubles the pause."
    )
    requests_full_at = models.DateTimeField(
        null=True, help_text="When the bucket of requests is full again."
    )
    pictures_full_at = models.DateTimeField(
        null=True, help_text="When the bucket of pictures is full again."
    )

    def __str__(self) -> str:
        return self.host
