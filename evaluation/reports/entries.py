"""The reports of every protocol and their panels, by name: nothing here computes one."""

from annotation.figures.filters import ALL, Name
from annotation.figures.registry import Entry, Report
from annotation.protocols.registry import Feature

SYSTEMS = "systems"


def _papers(needs: Feature, *panels: tuple[str, str, str]) -> list[Entry]:
    where = "evaluation.reports.papers"
    return [Entry(key, title, f"{where}.{name}", ("split",), needs) for key, title, name in panels]


_PACKAGE, _WORK = "evaluation.reports.agreement", "evaluation.reports.work"
_TIMES: tuple[Name, ...] = ("split", "period")


def _agreement(needs: Feature | None, *panels: tuple[str, str, str]) -> list[Entry]:
    return [Entry(key, title, f"{_PACKAGE}.{name}", needs=needs) for key, title, name in panels]


_PAPERS = [
    *_papers(
        Feature.PAIRS,
        (
            "ambigqa-table-1",
            "AmbigQA, table 1: types of ambiguity",
            "ambiguity.build_ambiguity_panel",
        ),
        ("ambigqa-table-2", "AmbigQA, table 2: pairs of a question", "pairs.build_table_2"),
        ("ambigqa-figure-2a", "AmbigQA, figure 2a: pages opened", "searching.build_pages_panel"),
        ("ambigqa-figure-2b", "AmbigQA, figure 2b: searches", "searching.build_queries_panel"),
        ("ambigqa-figure-2c", "AmbigQA, figure 2c: edits", "edits.build_cloud_panel"),
        ("ambigqa-edits", "AmbigQA, section 4.2: tail of edits", "edits.build_tail_panel"),
        ("ambigqa-table-3", "AmbigQA, table 3: systems", "short_answers.build_scores_panel"),
        ("ambigqa-table-7", "AmbigQA, table 7: zero-shot", "nq_open.build_zero_shot_panel"),
        ("ambigqa-references", "AmbigQA, appendix B: answers", "nq_open.build_references_panel"),
        ("ambigqa-table-8", "AmbigQA, table 8: exact match", "nq_open.build_nq_open_panel"),
        (
            "ambigqa-table-6",
            "AmbigQA, table 6: errors of predictions",
            "labels.build_predictions_panel",
        ),
        (
            "ambigqa-mismatches",
            "AmbigQA, appendix C: known answers",
            "labels.build_known_answers_panel",
        ),
        ("ambigqa-table-9", "AmbigQA, table 9: mismatches", "labels.build_mismatches_panel"),
    ),
    *_papers(
        Feature.LONG,
        ("asqa-table-1", "ASQA, table 1: long answers", "long_answers.build_long_answers_panel"),
        ("asqa-table-3", "ASQA, table 3: automatic scores", "systems.build_systems_panel"),
        ("asqa-figure-3", "ASQA, figure 3: passages", "passages.build_passages_panel"),
        ("asqa-table-6", "ASQA, table 6: errors", "labels.build_long_errors_panel"),
    ),
    *_papers(
        Feature.DISAMBIGUATIONS,
        ("asqa-table-4", "ASQA, table 4: human evaluation", "studies.build_judged_panel"),
        ("asqa-table-5", "ASQA, table 5: correlations", "studies.build_correlations_panel"),
        ("asqa-table-2", "ASQA, table 2: data sets", "datasets.build_datasets_panel"),
        ("labels-own", "Labels by schemes of the team", "labels.build_own_panel"),
        ("labels-agreement", "Labels: agreement", "labels.build_label_agreement_panel"),
    ),
]
_SYSTEMS = [
    Entry(key, title, f"evaluation.reports.systems.{name}", ("split",), Feature.SCORES)
    for key, title, name in (
        ("leaderboard", "Leaderboard", "build_leaderboard"),
        ("paired-tests", "Paired tests", "build_tests_panel"),
        ("signatures", "Signatures", "build_signatures_panel"),
    )
]
REPORTS = (
    Report(
        "agreement",
        "Agreement",
        "How far people agree, and what each of them did.",
        filters=ALL,
        panels=(
            *_agreement(
                Feature.DISAMBIGUATIONS,
                ("headline", "At a glance", "headline.build_headline_panel"),
            ),
            *_agreement(
                Feature.PAIRS,
                ("outcomes", "The outcome of validation", "outcomes.build_outcomes_panel"),
            ),
            Entry(
                *("pairs", "Who agrees with whom", f"{_PACKAGE}.people_pairs.build_pairs_panel"),
                filters=_TIMES,
                needs=Feature.DISAMBIGUATIONS,
            ),
            *_agreement(
                Feature.DISAMBIGUATIONS,
                ("weeks", "Week by week", "over_time.build_weeks_panel"),
                ("splits", "Split by split", "over_time.build_splits_panel"),
                (
                    "disagreements",
                    "Where people disagreed",
                    "disagreements.build_disagreements_panel",
                ),
            ),
            *_agreement(
                None,
                ("annotators", "Annotators", "annotators.build_annotators_panel"),
                ("work", "Work week by week", "annotators.build_work_panel"),
            ),
            *_agreement(
                Feature.WARNINGS,
                ("warnings", "Warnings that were kept", "annotators.build_warnings_panel"),
            ),
            Entry(
                *(
                    "figures",
                    "Every figure",
                    "evaluation.reports.every_figure.build_every_figure_panel",
                ),
                needs=Feature.DISAMBIGUATIONS,
            ),
        ),
    ),
    Report(
        "project",
        "Project",
        "Progress, cost, and what is waiting for someone.",
        filters=("split", "period"),
        panels=(
            Entry("waiting", "What waits", f"{_WORK}.waiting.build_waiting_panel", ()),
            Entry("progress", "Progress", f"{_WORK}.progress.build_progress_panel", ("split",)),
            Entry("queue", "Queue", f"{_WORK}.progress.build_queue_panel", ("split",)),
            Entry("throughput", "Week by week", f"{_WORK}.progress.build_throughput_panel", _TIMES),
            Entry("cost", "Cost", f"{_WORK}.cost.build_cost_panel", _TIMES),
            Entry(
                "matters", "Raised with the team", f"{_WORK}.waiting.build_matters_panel", _TIMES
            ),
            Entry(
                *("warnings", "Warnings", f"{_PACKAGE}.annotators.build_warnings_panel", _TIMES),
                needs=Feature.WARNINGS,
            ),
            Entry("golds", "Gold items", f"{_WORK}.golds.build_golds_panel", ()),
            Entry("pay", "Paid by month", "evaluation.reports.pay.build_pay_panel", ("period",)),
        ),
    ),
    Report(
        "tables",
        "Papers’ tables",
        "The tables and figures of the papers, from the data of this project.",
        filters=("split",),
        panels=tuple(_PAPERS),
    ),
    Report(
        SYSTEMS,
        "Systems",
        "The answers of systems by automatic metrics, next to each other.",
        filters=("split",),
        panels=tuple(_SYSTEMS),
    ),
)


def every_figure_entry(protocol: str) -> Entry:
    """Return the panel of all shares and scores of a protocol’s own report."""
    return Entry(
        *(
            "figures",
            "Every figure",
            "evaluation.reports.every_figure.build_protocol_panel",
            ("split",),
        ),
        protocol=protocol,
    )
