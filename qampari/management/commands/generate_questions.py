"""manage.py generate_questions PROJECT --graph NAME --out FILE"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from annotation.core.refusals import Denied
from annotation.management.base import ProjectCommand
from annotation.models import Project, Question
from metrics.text import answer_key
from modeling.base import MissingModel
from qampari.making.choices import BadChoice, MakingChoice, read_choice, write_choice
from qampari.making.entailment import ROLE, EntailmentJudge
from qampari.making.judging import EvidenceJudge, WordsJudge
from qampari.making.made_records import RecordWriter
from qampari.making.pages import SnapshotPages
from qampari.making.record_checks import find_record_problems
from qampari.making.run import MadeQuestions, MakingRun
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.folders import open_graph
from wikipedia.wikidata.graph import Graph

_MOST_SHOWN: Final = 20


class Command(ProjectCommand):
    help = (
        "Make questions with many answers from a graph of Wikidata, each with a sentence of\n"
        "the project's Wikipedia that shows it, as a file of QAMPARI's records to be imported.\n\n"
        "  manage.py generate_questions lists --graph wikidata-2026 --seed 1 --out made.jsonl\n"
        "  manage.py generate_questions lists --graph demo --choices run.json --dry-run\n\n"
        "The same graph, pages, choices and seed make the same file, byte by byte. Evidence is\n"
        "judged by its words, or by a model of entailment. Exit status 2: what was asked for is\n"
        "at fault, and nothing was written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--graph", required=True, help="name of the graph (wikidata_graphs)")
        parser.add_argument("--choices", type=Path, help="a JSON file: relations, sizes, rules")
        parser.add_argument(
            "--seed", type=int, help="of halves and draws (that of the choices, or 0)"
        )
        parser.add_argument(
            "--limit", type=int, help="simple queries of each relation to look for evidence of"
        )
        parser.add_argument(
            "--judge", choices=["words", ROLE], default="words", help="of evidence (words)"
        )
        parser.add_argument("--model", default="", help="weights of the judge (the role's own)")
        parser.add_argument("--out", type=Path, help="the file to write")
        parser.add_argument(
            "--verify", type=Path, metavar="FILE",
            help="make nothing; say whether a file agrees with graph and pages (exit status 1: no)",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="say the counts alone")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        if not (options["out"] or options["dry_run"] or options["verify"]):
            raise CommandError("Name the file to write with --out, or add --dry-run.", returncode=2)
        try:
            choice = _read_options(options)
            with open_graph(options["graph"]) as graph:
                if options["verify"]:
                    self._verify(project, graph, options["verify"])
                else:
                    self._make(project, graph, choice, options)
        except (Denied, GraphProblem, MissingModel, OSError, ValueError) as problem:
            raise CommandError(str(problem), returncode=2) from None
        except ProviderUnavailable as problem:
            raise CommandError(str(problem), returncode=1) from None

    def _make(
        self, project: Project, graph: Graph, choice: MakingChoice, options: dict[str, Any]
    ) -> None:
        pages = _open_pages(project)
        judge: EvidenceJudge = (
            EntailmentJudge(options["model"]) if options["judge"] == ROLE else WordsJudge()
        )
        known = map(
            answer_key, Question.objects.filter(project=project).values_list("text", flat=True)
        )
        made = MakingRun(graph, pages, judge, choice, known=set(known)).make()
        source = {
            "seed": choice.seed,
            "graph": graph.about["hash"],
            "language": graph.about["language"],
        }
        writer = RecordWriter(
            graph,
            made,
            language=graph.about["language"],
            snapshot=pages.snapshot,
            judge=f"{judge.key} {judge.version}",
            source=source,
        )
        if not options["dry_run"]:
            lines = [
                json.dumps(record, ensure_ascii=False) + "\n" for record in writer.write_records()
            ]
            options["out"].write_text("".join(lines), encoding="utf-8")
        if options["json"]:
            self.stdout.write(json.dumps({**made.counts, "choices": write_choice(choice)}))
        else:
            self._say(made, judge)

    def _verify(self, project: Project, graph: Graph, file: Path) -> None:
        lines = file.read_text(encoding="utf-8").splitlines()
        problems = list(find_record_problems(lines, graph, _open_pages(project)))
        for problem in problems[:_MOST_SHOWN]:
            self.stderr.write(f"Line {problem.line}: {problem.sentence}")
        if problems:
            said = f"{len(problems):,} answers or lines of {file} do not agree."
            raise CommandError(said, returncode=1)
        self.stdout.write(
            f"All answers of {len(lines):,} questions are as the graph and pages say."
        )

    def _say(self, made: MadeQuestions, judge: EvidenceJudge) -> None:
        counts = made.counts
        for step in ("found", "left_out", "drawn"):
            said = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in counts[step].items())
            self.stdout.write(f"{step.replace('_', ' ').capitalize()}: {said or 'none'}.")
        by = (
            "their words: no model was asked" if judge.key != ROLE else f"a model ({judge.version})"
        )
        self.stdout.write(
            f"{counts['triples']:,} facts were looked for in {counts['sentences']:,} sentences, "
            f"which were judged by {by}."
        )
        for one in counts["short"]:
            self.stdout.write(
                f"{one['split']} has {one['drawn']:,} of {one['wanted']:,} {one['kind']} questions."
            )


def _open_pages(project: Project) -> SnapshotPages:
    if project.snapshot is None:
        raise BadChoice(f"{project.title} has no Wikipedia snapshot to find evidence in.")
    return SnapshotPages(project.snapshot)


def _read_options(options: dict[str, Any]) -> MakingChoice:
    document: dict[str, Any] = {}
    if options["choices"]:
        document = json.loads(options["choices"].read_text(encoding="utf-8"))
        if not isinstance(document, dict):
            raise BadChoice(f"{options['choices']} is no object of JSON.")
    if options["seed"] is not None:
        document["seed"] = options["seed"]
    if options["limit"] is not None:
        document["judged_of_relation"] = options["limit"]
    return read_choice(document)
