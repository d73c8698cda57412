"""The panels of QAMPARI in reports, by name: nothing here computes one."""

from annotation.figures.registry import Entry, ReportPanels
from evaluation.reports.entries import every_figure_entry

TABLES = tuple(
    Entry(key, title, f"qampari.panels.{name}", ("split",), protocol="qampari")
    for key, title, name in (
        ("qampari-table-2", "QAMPARI, table 2: questions by kind", "counts_panel"),
        ("qampari-figure-3a", "QAMPARI, figure 3a: answers", "binned_panel"),
        ("qampari-figure-3b", "QAMPARI, figure 3b: added answers", "added_panel"),
        ("qampari-table-3", "QAMPARI, table 3: passages", "retrieved_panel"),
        ("qampari-table-4", "QAMPARI, tables 4 and 9: systems", "scores_panel"),
        ("qampari-table-7", "QAMPARI, table 7: systems by kind", "kinds_panel"),
        ("qampari-table-8", "QAMPARI, table 8: the extended set", "extended_panel"),
        ("qampari-checkers", "QAMPARI, section 2.5: checkers", "checkers_panel"),
        ("qampari-paraphrases", "QAMPARI, section 2.5: paraphrases", "paraphrases_panel"),
    )
)
REPORT_PANELS = (
    ReportPanels("tables", TABLES),
    ReportPanels("agreement", (every_figure_entry("qampari"),)),
)
