"""Figures of judge models: apart from people's, and right where they are counted by hand."""

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.exports.selection import Selection
from annotation.figures import services as figures_services
from evaluation.results.stored import find_results
from modeling.judges import exports
from modeling.judges import services as judges_services
from modeling.judges.figures import find_figures, place_figures
from modeling.models import ModelJudgment
from tests.evaluation.factories import compared, make_judgment, make_system
from tests.figures import store_results

pytestmark = pytest.mark.django_db
PAIR = ("comp", "fluency", "overall")


def compute(study):
    place = place_figures(study)
    figures_services.store_computed(figures_services.compute_figures(place, now=timezone.now()))
    return find_figures(study).payload


def prefer(words):
    """Choose, by all criteria, the answer that has these words, wherever it is."""

    def choose(field, asked):
        if not field["field"].startswith("choice"):
            return "Yes"
        return next(name for name, text in asked["answers"].items() if words in text)

    return choose


def test_a_model_that_always_takes_the_first_answer_is_told_so(study, judging, add, run):
    run(add(study))
    [row] = compute(study)["judges"]
    for each in row["criteria"]:
        assert each["flips"]["value"] == 100
        assert each["position"]["left_share"]["value"] == 100
        assert (each["position"]["left"], each["position"]["right"]) == (4, 0)
        assert each["points"]["Amber"]["value"] == 50
        assert each["matrix"]["Amber"]["Blue"]["wins"] == 2


def test_a_model_that_looks_at_the_answers_has_no_side(study, judging, add, run):
    judging.choose = prefer("walkers")  # of Amber
    run(add(study))
    [row] = compute(study)["judges"]
    overall = row["criteria"][-1]
    assert (overall["flips"]["value"], overall["position"]["left_share"]["value"]) == (0, 50)
    assert overall["points"]["Amber"]["value"] == 100


def test_people_are_compared_in_the_order_they_saw(study, judging, add, run):
    first, second = study.items.order_by("position")
    make_judgment(first, compared(choices=("left",) * 3), "Ann")  # Amber
    make_judgment(first, compared(choices=("left",) * 3), "Ben", swapped=True)  # Blue
    make_judgment(second, compared(choices=("right",) * 3), "Ann", swapped=True)  # Amber
    judging.choose = prefer("walkers")
    run(add(study))
    figures = compute(study)
    [row] = figures["judges"]
    told = {each["key"]: each for each in row["agreement"]}
    assert told.keys() == {"acc", *PAIR}
    assert (told["overall"]["units"], told["overall"]["same"]["n"]) == (3, 3)
    assert told["overall"]["same"]["value"] == pytest.approx(200 / 3)
    # People said yes to three of four marks of each pair, the model to all.
    assert told["acc"]["same"]["value"] == 75
    assert figures["people"]["judgments"] == 3


def test_results_of_people_are_the_same_with_and_without_models(study, judging, add, run):
    for item in study.items.all():
        make_judgment(item, compared(), "Ann")
    store_results(study, timezone.now())
    before = find_results(study)
    run(add(study))
    store_results(study, timezone.now())
    after = find_results(study)
    assert after.figures == before.figures
    assert after.judgments == before.judgments == 2


def test_a_judge_of_its_own_answers_is_told_with_its_items(study, judging, add, run):
    other = make_system(study.project, "llm", version="tiny-1 p1")
    study.systems.add(other)
    run(add(study))
    [row] = compute(study)["judges"]
    assert (row["own"], row["own_items"]) == (["llm tiny-1 p1"], 0)
    study.items.update(first=other)
    assert compute(study)["judges"][0]["own_items"] == 2


def test_the_export_has_what_models_said_in_a_file_of_its_own(study, judging, add, run):
    judging.choose = prefer("walkers")
    run(add(study))
    rows = [exports.orjson.loads(row) for row in exports.export_records(study.project, Selection())]
    assert len(rows) == exports.count_records(study.project) == 4
    first = rows[0]
    assert (first["study"], first["item"], first["left"], first["right"]) == (
        study.pk, 0, "Amber", "Blue",
    )  # fmt: skip
    assert first["choices"] == {"comp": -1, "fluency": -1, "overall": -1}
    assert (first["outcome"], first["model"], first["endpoint"]) == (
        "judged", "tiny-1", "127.0.0.1",
    )  # fmt: skip
    assert (first["tokens_in"], first["cost"], len(first["prompt_sha256"])) == (100, None, 64)
    other = Selection(study=study.pk + 1)
    assert not list(exports.export_records(study.project, other))


def test_the_page_of_results_starts_the_figures_and_shows_them(
    study, judging, add, run, rosa, client
):
    make_judgment(study.items.first(), compared(), "Ann")
    address = reverse("study-results", args=[study.project.slug, study.pk])
    client.force_login(rosa)
    assert "Judge models" not in client.get(address).content.decode()
    judging.choose = prefer("walkers")
    judge = add(study)
    run(judge)
    page = client.get(address).content.decode()
    assert "The figures of judge models are being computed" in page
    compute(study)
    study.project.jobs.filter(kind="judge_figures").update(state="done", ended_at=timezone.now())
    page = " ".join(client.get(address).content.decode().split())
    for words in (
        "tiny-1",
        "4 of 4 judged",
        "Amber against Blue",
        "α among people",
        "never counted",
    ):
        assert words in page
    assert client.get(
        reverse("judge-figures", args=[study.project.slug, study.pk]), headers={"HX-Request": "1"}
    )["HX-Refresh"]


def test_the_page_of_the_study_adds_asks_and_removes(study, judging, rosa, client, monkeypatch):
    client.force_login(rosa)
    place = [study.project.slug, study.pk]
    address = reverse("study-view", args=place)
    assert "are sent to 127.0.0.1" in client.get(address).content.decode()
    assert client.post(reverse("judge-add", args=place), {"talker": "endpoint"}).status_code == 409
    added = client.post(reverse("judge-add", args=place), {"talker": "endpoint", "allowed": "1"})
    assert added.status_code == 302
    judge = study.judge_models.get()
    assert (judge.allowed_by, judge.model, judge.as_json) == (rosa, "tiny-1", True)
    page = client.get(address).content.decode()
    assert "Rosa Reed allowed on" in page
    client.post(reverse("judge-allow", args=[*place, judge.pk]))
    assert "so nothing is sent" in client.get(address).content.decode()
    client.post(reverse("judge-allow", args=[*place, judge.pk]), {"allowed": "1"})
    asked = client.post(reverse("judge-run", args=[*place, judge.pk]))
    assert asked["Location"].endswith(f"/jobs/{judge.runs.get().job_id}/")
    assert client.post(reverse("judge-remove", args=[*place, judge.pk])).status_code == 409
    judge.runs.get().job.delete()
    assert client.post(reverse("judge-remove", args=[*place, judge.pk])).status_code == 302
    assert not study.judge_models.exists()


def test_the_command_adds_asks_and_prints(study, judging, rosa, capsys):
    place = ("judge_study", study.project.slug, "--study", str(study.pk))
    call_command(*place, "--add", "endpoint", "--allow", "--by", rosa.email)
    judge = study.judge_models.get()
    call_command(*place, "--run", str(judge.pk), "--by", rosa.email)
    call_command(*place)
    assert "0 of 4 asked" in capsys.readouterr().out
    call_command(*place, "--cancel", str(judge.pk), "--by", rosa.email)
    assert judge.runs.get().job.state != "queued" or judge.runs.get().job.cancel_asked_at
    call_command(*place, "--results")
    assert '"judges":[{' in capsys.readouterr().out


def test_the_api_adds_asks_and_reads(study, judging, rosa, client_as, run):
    client = client_as(rosa)
    place = [study.project.slug, study.pk]

    def send(method, name, *args, **body):
        answer = getattr(client, method)(
            reverse(name, args=[*place, *args]), body, content_type="application/json"
        )
        return answer.status_code, answer.json() if answer.content else None

    status, found = send("get", "api-study-judges")
    assert (status, found["judges"]) == (200, [])
    assert found["offers"][0] == {"talker": "endpoint", "model": "tiny-1", "host": "127.0.0.1"}
    new = {"talker": "endpoint"}
    assert send("post", "api-study-judges", **new)[0] == 400
    assert send("post", "api-study-judges", **new, allowed=False)[0] == 409
    status, made = send("post", "api-study-judges", **new, allowed=True)
    assert (status, made["asked"], made["job"]) == (201, 4, None)
    assert send("patch", "api-study-judge", made["id"], allowed=False)[1]["allowed_at"] is None
    assert send("post", "api-study-judge-run", made["id"])[0] == 409
    assert send("patch", "api-study-judge", made["id"], allowed=True)[0] == 200
    status, job = send("post", "api-study-judge-run", made["id"])
    assert (status, job["kind"]) == (202, "judge_study")
    assert send("delete", "api-study-judge", made["id"])[0] == 409
    run(study.judge_models.get())
    assert send("get", "api-study-judge", made["id"])[1]["judged"] == 4
    assert send("get", "api-study-judge-results")[0] == 409
    assert send("post", "api-study-judge-results")[0] == 202
    compute(study)
    status, figures = send("get", "api-study-judge-results")
    assert (status, figures["judges"][0]["judged"]) == (200, 4)
    assert send("delete", "api-study-judge", made["id"]) == (204, None)
    assert not ModelJudgment.objects.exists()


def test_a_judge_of_another_study_is_not_found(study, judging, add, rosa, client):
    judge = add(study)
    study.judge_models.update(study=study)
    other = study.__class__.objects.create(
        project=study.project, title="Other", seed=1, created_at=timezone.now()
    )
    client.force_login(rosa)
    for name in ("judge-run", "judge-allow", "judge-remove"):
        address = reverse(name, args=[study.project.slug, other.pk, judge.pk])
        assert client.post(address).status_code == 404
    assert judges_services.find_open_job(judge) is None
