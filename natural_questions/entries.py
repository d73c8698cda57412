"""The panels of Natural Questions in reports, by name: nothing here computes one."""

from annotation.figures.registry import Entry, ReportPanels
from evaluation.reports.entries import every_figure_entry

TABLES = tuple(
    Entry(key, title, f"natural_questions.{name}", ("split",), protocol="nq")
    for key, title, name in (
        ("nq-figure-2", "Natural Questions, figure 2: decisions", "panels.decisions"),
        (
            "nq-times",
            "Natural Questions, section 3.2: time of each step",
            "times.build_times_panel",
        ),
        ("nq-types", "Natural Questions, section 3.3: kinds of long answers", "panels.kinds"),
        (
            "nq-table-2",
            "Natural Questions, table 2: answers by experts",
            "system_panels.build_judged_panel",
        ),
        ("nq-figure-4", "Natural Questions, figure 4: share of answers", "panels.shares"),
        ("nq-popular", "Natural Questions, section 4.4: popular answers", "panels.popular"),
        ("nq-nulls", "NQ-open: annotations without a short answer", "panels.build_nulls_panel"),
        ("nq-table-3", "Natural Questions, section 5.2: the super-annotator", "panels.bound"),
        (
            "nq-systems",
            "Natural Questions, table 3: systems and people",
            "system_panels.build_systems_panel",
        ),
        (
            "nq-answers",
            "Natural Questions, section 6: systems by kind of answer",
            "system_panels.build_types_panel",
        ),
        ("nq-figure-6", "Natural Questions, figure 6: answers of each question", "panels.items"),
    )
)
AGREEMENT = (
    Entry(
        "nq-strings",
        "Short answers that are the same words",
        "natural_questions.string_match.build_strings_panel",
        ("split",),
        protocol="nq",
    ),
    every_figure_entry("nq"),
)
REPORT_PANELS = (ReportPanels("tables", TABLES), ReportPanels("agreement", AGREEMENT))
