"""A sample of made questions as a job that has ended, with scores as a model gives them."""

from annotation.models import Job
from qampari.making.choices import read_choice, write_choice
from qampari.making.jobs import SAMPLE
from qampari.making.stored_verdicts import hash_wording
from qampari.models import EvidenceVerdict, SampledQuestion
from tests.qampari.making.conftest import DEMO

BEFORE = "The bridge was opened by the Prince of Wales. It took eight years to build."
SENTENCE = "Tower Bridge crosses the River Thames close to the Tower of London."
SHARED = {"relations": 0, "subjects": 3, "answers": 1_204, "questions": 0}


def make_sample(project, by, now, *, questions=24, facts=200):
    """Return the job of a sample with this many questions and judged facts."""
    choice = read_choice(DEMO)
    about = {"snapshot": "demo", "judge": "entailment tiny"}
    counts = {
        "evidence": {"facts": facts + 19, "with_sentence": facts, "levels": []},
        "shared": SHARED,
        "drawn": {"train": 1_000, "dev": 100, "test": 100},
    }
    job = Job.objects.create(
        project=project, kind=SAMPLE, state="done", file_name="From the graph “small”",
        unit="queries", done=3, created_by=by, created_at=now, started_at=now, ended_at=now,
        options={"graph": "none", "judge": "entailment", "choice": write_choice(choice)},
        result={"counts": counts, "verdicts": about, "shown": {"sample": [], "left_out": []}},
    )  # fmt: skip
    EvidenceVerdict.objects.bulk_create(
        EvidenceVerdict(
            **about, project=project, wording=hash_wording(choice.relations[0]), item=number,
            value=32, score=_score(number), sentences=2, title="Tower Bridge", path="Tower_Bridge",
            url="https://example.org/Tower_Bridge", start=0, sentence=len(BEFORE) + 1,
            end=len(BEFORE) + 1 + len(SENTENCE), text=f"{BEFORE} {SENTENCE}",
            found="River Thames", linked=True, of_item=True,
        )
        for number in range(facts)
    )  # fmt: skip
    proof = {"text": f"{BEFORE} {SENTENCE}", "page": "Tower Bridge", "score": 0.97}
    proof["url"] = "https://example.org/Tower_Bridge"
    answers = [{"text": f"Bridge {n}", "proofs": [proof]} for n in range(1, 4)]
    SampledQuestion.objects.bulk_create(
        SampledQuestion(
            job=job, position=number, query=f"P177/Q900000003 Q{number}", kind="simple",
            split="test", text=f"Which bridges and tunnels cross the River {number}?",
            answers=answers, others=["Weir Bridge", "Salt Bridge"],
        )
        for number in range(1, questions + 1)
    )  # fmt: skip
    return job


def _score(number):
    """Most are near 0 or 1, as a model's are."""
    share = (number * 37 % 200) / 200
    return round(share**3 if share < 0.5 else 1 - (1 - share) ** 3, 4)
