"""manage.py export_passages PROJECT --split S --output FILE"""

import hashlib
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError

from annotation.core.refusals import Conflict
from annotation.management.base import ProjectCommand, clean_up_when_told_to_end
from annotation.models import Project, Split
from validation.release.passages import (
    TOP,
    build_passage_records,
    check_has_passages,
    count_questions,
)
from wikipedia.management.progress import ProgressBar
from wikipedia.search.searching import MAX_LIMIT


class Command(ProjectCommand):
    help = (
        "Write the best passages for each question of a split, in DPR's layout.\n\n"
        "  manage.py export_passages crossings --split dev --output passages.json\n\n"
        "A JSON array of qid, question, answers and ctxs: 100 passages, or --top, that BM25 finds\n"
        "in the project's Wikipedia, each with id, title, text, score and has_answer. “manage.py\n"
        "score retrieval” reads it. Answers are those accepted, else those known before. With\n"
        "FILE.manifest.json come counts and SHA-256. Passages of other retrievers are written by\n"
        "predict --retrieved. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", required=True, choices=Split.values)
        parser.add_argument("--top", type=int, default=TOP, metavar="N", help=f"default: {TOP}")
        parser.add_argument("--output", required=True, metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        project, target = self.get_project(options), options["output"]
        if not 1 <= options["top"] <= MAX_LIMIT:
            raise CommandError(f"--top must be from 1 to {MAX_LIMIT:,}.", returncode=2)
        clean_up_when_told_to_end()
        part = target.with_name(f".{target.name}.part")
        try:
            check_has_passages(project)
            manifest = _write_records(project, options["split"], options["top"], part)
            part.replace(target)
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        except OSError as error:
            raise CommandError(
                f"{target} could not be written: {error.strerror}.", returncode=2
            ) from None
        finally:
            part.unlink(missing_ok=True)
        manifest = {"file": target.name, **manifest}
        described = target.with_name(f"{target.name}.manifest.json")
        described.write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")
        self.stderr.write(
            f"Wrote {target}: {manifest['questions']:,} questions, {manifest['passages']:,} "
            f"passages; {manifest['with_answer']:,} questions with an answer in one of them."
        )


def _write_records(project: Project, split: str, top: int, part: Path) -> dict[str, Any]:
    """Write the records as an array; return what the manifest says of them."""
    total, digest = count_questions(project, split), hashlib.sha256()
    counts = {"questions": 0, "passages": 0, "with_answer": 0}
    with part.open("wb") as file, ProgressBar(sys.stderr, "Questions", "questions") as progress:

        def write(block: bytes) -> None:
            file.write(block)
            digest.update(block)

        records = build_passage_records(
            project, split, top, on_step=lambda number: progress(number, total)
        )
        for record in records:
            write(b",\n" if counts["questions"] else b"[\n")
            write(orjson.dumps(record))
            counts["questions"] += 1
            counts["passages"] += len(record["ctxs"])
            counts["with_answer"] += any(each["has_answer"] for each in record["ctxs"])
        write(b"\n]\n" if counts["questions"] else b"[]\n")
    snapshot = project.snapshot
    return {
        **counts,
        "split": split,
        "top": top,
        "retriever": "bm25",
        "sha256": digest.hexdigest(),
        "snapshot": {"name": snapshot.name, "title": snapshot.title, "licence": snapshot.licence},
    }
