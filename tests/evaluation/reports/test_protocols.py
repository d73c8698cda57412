"""Which panels the reports of each protocol have: its own, and those that hold for every one."""

import pytest
from django.urls import reverse

from annotation.figures.filters import Filters
from annotation.figures.registry import Request, find_report, list_reports
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.stages import registry as stages
from tests import factories
from validation.agreement.project_report import report_project as figures_of

PEOPLE = ["annotators", "work"]
WORK = ["waiting", "progress", "queue", "throughput", "cost", "matters", "golds", "pay"]
SUGGESTED = [*WORK, "uptake"]
WARNED = [*WORK[:-2], "warnings", *WORK[-2:], "uptake"]
AGREED = ["pairs", "weeks", "splits", "disagreements", *PEOPLE, "warnings", "figures"]
SYSTEMS = ["leaderboard", "paired-tests", "signatures"]
LABELLED = ["labels-own", "labels-agreement"]
JUDGED = ["asqa-table-4", "asqa-table-5", "asqa-table-2"]
PANELS = {
    "ambigqa": {
        "agreement": ["headline", "outcomes", *AGREED],
        "project": WARNED,
        "tables": [
            *("ambigqa-table-1", "ambigqa-table-2", "ambigqa-figure-2a", "ambigqa-figure-2b"),
            *("ambigqa-figure-2c", "ambigqa-edits", "ambigqa-table-3", "ambigqa-table-7"),
            *("ambigqa-references", "ambigqa-table-8"),
            *("ambigqa-table-6", "ambigqa-mismatches", "ambigqa-table-9"),
            *JUDGED,
            *LABELLED,
        ],
        "systems": SYSTEMS,
    },
    "asqa": {
        "agreement": ["headline", *AGREED],
        "project": WARNED,
        "tables": [
            "asqa-table-1",
            "asqa-table-3",
            "asqa-figure-3",
            "asqa-table-6",
            *JUDGED,
            *LABELLED,
        ],
        "systems": SYSTEMS,
    },
    "nq": {
        "agreement": [*PEOPLE, "nq-strings", "figures"],
        "project": SUGGESTED,
        "tables": [
            *("nq-figure-2", "nq-times", "nq-types", "nq-table-2", "nq-figure-4", "nq-popular"),
            "nq-nulls",
            *("nq-table-3", "nq-systems", "nq-answers", "nq-figure-6"),
        ],
        "systems": SYSTEMS,
    },
    "qampari": {
        "agreement": [*PEOPLE, "figures"],
        "project": SUGGESTED,
        "tables": [
            *("qampari-table-2", "qampari-figure-3a", "qampari-figure-3b", "qampari-table-3"),
            *("qampari-table-4", "qampari-table-7", "qampari-table-8"),
            *("qampari-checkers", "qampari-paraphrases"),
        ],
        "systems": SYSTEMS,
    },
}
GROUPS = {
    "ambigqa": [
        *("generators", "validation", "changes", "responses", "accepted", "annotations"),
        *("questions", "audit"),
    ],
    "asqa": ["agreement", "answers", "attributability", "counts"],
    "nq": ["decisions", "generators", "counts"],
    "qampari": ["verdicts", "team", "counts"],
}
# Words of the figures of one protocol, which no other may show.
OWN_WORDS = {
    "ambigqa": ["AmbigQA", "F1-answer", "Several answers"],
    "asqa": ["ASQA", "ROUGE-L"],
    "nq": ["Natural Questions", "super-annotator"],
    "qampari": ["QAMPARI", "extended set"],
}
# AmbigQA and ASQA compare their answers by disambiguation, with the same studies and scores.
ALIKE = {"ambigqa", "asqa"}
ONE_PROTOCOL = pytest.mark.parametrize("protocol", list(PANELS))


@pytest.fixture
def project(db, protocol):
    return factories.make_project(protocol=protocol, policies=False)


@pytest.fixture
def staff(project, client_as):
    return client_as(factories.make_member(project, "admin"))


def test_every_protocol_has_its_line():
    assert set(PANELS) == set(GROUPS) == {each.key for each in protocols.list_protocols()}


@ONE_PROTOCOL
def test_the_reports_have_these_panels(project, protocol):
    found = {
        report.key: [e.key for e in report.entries(project)] for report in list_reports(project)
    }
    assert found == PANELS[protocol]


@ONE_PROTOCOL
def test_the_api_lists_the_same(project, protocol, staff):
    listed = staff.get(reverse("api-reports", args=[project.slug])).json()
    panels = {row["key"]: [panel["key"] for panel in row["panels"]] for row in listed}
    assert panels == PANELS[protocol]


@ONE_PROTOCOL
def test_panels_of_other_protocols_have_no_page_and_no_file(project, protocol, staff):
    every = {(r, p) for of in PANELS.values() for r, panels in of.items() for p in panels}
    own = {(r, p) for r, panels in PANELS[protocol].items() for p in panels}
    for report, panel in sorted(every - own):
        args = [project.slug, report, panel]
        addresses = [
            reverse("report-file", args=[*args, "csv"]),
            reverse("report-rows", args=args),
            reverse("api-report-panel", args=args),
        ]
        assert [staff.get(address).status_code for address in addresses] == [404] * 3, panel


@ONE_PROTOCOL
def test_no_panel_speaks_of_another_protocol(project, protocol, now):
    others = [each for each in OWN_WORDS if each != protocol and not {each, protocol} <= ALIKE]
    foreign = [word for other in others for word in OWN_WORDS[other]]
    for report in list_reports(project):
        request = Request(project, Filters(), now)
        for entry in report.entries(project):
            said = f"{report.lead} {entry.title} {entry.panel(request)!r}"
            assert [word for word in foreign if word in said] == [], entry.key


@ONE_PROTOCOL
def test_the_figures_are_those_of_the_protocol(project, protocol):
    assert [group.key for group in figures_of(project, None).groups] == GROUPS[protocol]


@pytest.mark.parametrize("protocol", ["qampari"])
def test_every_figure_counts_what_its_largest_table_counts(project, protocol, now):
    [entry] = [e for e in find_report(project, "agreement").entries(project) if e.key == "figures"]
    assert entry.panel(Request(project, Filters(), now)).counted == "answer"


@ONE_PROTOCOL
def test_suggestions_are_spoken_of_where_a_stage_can_show_them(protocol):
    suggested = any(stage.suggested for stage in stages.of_protocol(protocol))
    assert protocols.get_protocol(protocol).has_feature(Feature.SUGGESTIONS) == suggested


@ONE_PROTOCOL
def test_warnings_are_spoken_of_where_a_rule_can_warn(protocol):
    rules = protocols.get_protocol(protocol).rules.registry.values()
    assert protocols.get_protocol(protocol).has_feature(Feature.WARNINGS) == any(
        rule.level == "warning" for rule in rules
    )


@ONE_PROTOCOL
def test_a_report_that_a_project_has_not_is_not_there(project, protocol):
    missing = set(PANELS["ambigqa"]) - set(PANELS[protocol])
    assert [find_report(project, key) for key in missing] == [None] * len(missing)
