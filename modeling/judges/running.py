"""The job that asks a judge model about the items of a study.

Each reply is kept as soon as it is there, and each judgment is one transaction with the progress of
the job, so a killed worker's job goes on where it was and pays for nothing twice.
"""

from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from annotation.jobs import services as jobs_services
from evaluation.judging.asking import AskedItem, ask_item
from modeling.base import MissingModel
from modeling.judges import prompts, queries, talkers
from modeling.judges.models import CachedReply, JudgeModel, ModelJudgment
from modeling.judges.services import NOT_ALLOWED
from modeling.llm import Client, NoReply, RefusedReply

_TOKENS: Final = 1_024
_TOKENS_OF_THOUGHT: Final = 8_192
_IN_A_ROW: Final = 3  # items without a reply before a run stops
_LONGEST_PROBLEM: Final = 500
_OUTCOMES: Final = ModelJudgment.Outcome


@dataclass(frozen=True)
class FoundReply:
    """A reply with whether it was known before."""

    row: CachedReply
    known: bool


def run_job(work: jobs_services.RunningJob) -> None:
    """Ask about everything that the judge was not asked about yet."""
    options = work.job.options
    rows = JudgeModel.objects.select_related("study__project")
    judge = rows.filter(pk=options["judge"], study__project=work.job.project).first()
    if judge is None:
        raise jobs_services.JobProblem("This judge model was removed.")
    try:
        run = _Run(work, judge, talkers.open_client(judge))
        with jobs_services.keep_heartbeat(work):
            run.ask_everything()
    except MissingModel as problem:
        raise jobs_services.JobProblem(str(problem)) from None


class _Run:
    """The judge with a client, and what is counted of this job."""

    def __init__(self, work: jobs_services.RunningJob, judge: JudgeModel, client: Client) -> None:
        self.work, self.judge, self.client = work, judge, client
        self.counts: dict[str, Any] = {
            **dict.fromkeys((*_OUTCOMES.values, "unanswered", "known"), 0),
            **work.job.result,
            "unanswered": 0,
        }
        self.silent = 0

    def ask_everything(self) -> None:
        """Ask about each item in turn. Raises JobProblem where it cannot go on."""
        asked = queries.count_asked(self.judge.study)
        done = self.judge.judgments.count()
        self.work.save(total=asked, done=done, result=self.counts)
        for pending in queries.read_pending_items(self.judge):
            self._check_allowed()
            item = ask_item(self.judge.study, pending.item, pending.texts, swapped=pending.swapped)
            try:
                found = self._find_reply(item)
            except NoReply as problem:
                self._count_silence(problem)
                continue
            self.silent = 0
            done += 1
            self._store(pending, item, found, done)

    def _check_allowed(self) -> None:
        rows = JudgeModel.objects.filter(pk=self.judge.pk, allowed_at__isnull=False)
        if not rows.exists():
            raise jobs_services.JobProblem(NOT_ALLOWED)

    def _count_silence(self, problem: NoReply) -> None:
        """Go on without a reply, but not for ever: what is left is for another run."""
        self.counts["unanswered"] += 1
        self.silent += 1
        self.work.save(result=self.counts)
        if self.silent >= _IN_A_ROW:
            raise jobs_services.JobProblem(
                f"There was no reply about {self.silent} items in a row. {problem}"
            )

    def _find_reply(self, item: AskedItem) -> FoundReply:
        """Return the reply to an item: the one that is known, or a new one, which is kept.

        Raises NoReply, MissingModel.
        """
        if not item.questions:  # nothing is sent
            return FoundReply(CachedReply(digest="", tokens_in=0, tokens_out=0), known=True)
        messages = prompts.build_messages(item)
        options: dict[str, Any] = {
            "most_tokens": _TOKENS_OF_THOUGHT if self.judge.reasons else _TOKENS,
            "as_json": self.judge.as_json,
            "reasons": self.judge.reasons,
        }
        digest = prompts.digest_prompt(self.client.endpoint, messages, options)
        project = self.judge.study.project
        if row := CachedReply.objects.filter(project=project, digest=digest).first():
            return FoundReply(row, known=True)
        self.work.write_heartbeat()  # nothing is sent for a job that was stopped
        text, refused, tokens_in, tokens_out = "", False, 0, 0
        try:
            completion = self.client.chat(messages, **options)
            text, tokens_in = completion.text.replace("\0", "\ufffd"), completion.tokens_in
            tokens_out = completion.tokens_out
        except RefusedReply as problem:
            text, refused = str(problem), True
        row, _ = CachedReply.objects.get_or_create(
            project=project,
            digest=digest,
            defaults={
                "text": text[: prompts.MOST_REPLY + 1],
                "refused": refused,
                "tokens_in": tokens_in,
                "tokens_out": tokens_out,
                "created_at": self.work.clock(),
            },
        )
        return FoundReply(row, known=False)

    def _store(
        self, pending: queries.PendingItem, item: AskedItem, found: FoundReply, done: int
    ) -> None:
        outcome, response, problem = _read_reply(found.row, item)
        self.counts[outcome] += 1
        self.counts["known"] += found.known
        tokens = (0, 0) if found.known else (found.row.tokens_in, found.row.tokens_out)
        with transaction.atomic():
            self.work.save(done=done, result=self.counts)
            ModelJudgment.objects.create(
                judge=self.judge,
                item=pending.item,
                swapped=pending.swapped,
                outcome=outcome,
                response=response,
                problem=problem[:_LONGEST_PROBLEM],
                digest=found.row.digest,
                cached=found.known,
                tokens_in=tokens[0],
                tokens_out=tokens[1],
                cost=self.client.endpoint.token_cost(*tokens),
                created_at=self.work.clock(),
            )


def _read_reply(row: CachedReply, item: AskedItem) -> tuple[str, dict[str, object] | None, str]:
    """Return what came of a reply: outcome, response, and why there is none."""
    if row.refused:
        return _OUTCOMES.REFUSED.value, None, row.text
    try:
        return _OUTCOMES.JUDGED.value, prompts.parse_verdict(row.text, item), ""
    except prompts.RefusedItem as refusal:
        return _OUTCOMES.REFUSED.value, None, str(refusal)
    except prompts.UnreadableReply as problem:
        return _OUTCOMES.UNREADABLE.value, None, str(problem)
