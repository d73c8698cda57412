"""The panels of Natural Questions in reports, by name: nothing here computes one."""

from annotation.figures.registry import Entry, ReportPanels
from evaluation.reports.entries import every_figure_entry

TABLES = tuple(
    Entry(key, title, f"natural_questions.panels.{name}", ("split",), protocol="nq")
    for key, title, name in (
        ("nq-figure-2", "Natural Questions, figure 2: decisions", "decisions"),
        ("nq-types", "Natural Questions, section 3.3: kinds of long answers", "kinds"),
        ("nq-figure-4", "Natural Questions, figure 4: share of answers", "shares"),
        ("nq-popular", "Natural Questions, section 4.4: popular answers", "popular"),
        ("nq-table-3", "Natural Questions, section 5.2: the super-annotator", "bound"),
        ("nq-figure-6", "Natural Questions, figure 6: answers of each question", "items"),
    )
)
REPORT_PANELS = (
    ReportPanels("tables", TABLES),
    ReportPanels("agreement", (every_figure_entry("nq"),)),
)
