"""The pages of agreement and the audit, the command and the API."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from accounts.pseudonyms import derive_pseudonym
from tests import factories
from tests.figures import bring_agreement_up_to_date
from tests.validation.agreement.test_figures import BY_HAND
from tests.validation.audits.test_audit import answer_all


def run(*args):
    out = io.StringIO()
    call_command("agreement", *args, stdout=out)
    return out.getvalue()


def address(world, path=""):
    return f"/projects/{world.project.slug}/{path}"


class TestCommand:
    def test_json_holds_every_figure_under_its_name_and_people_under_pseudonyms(self, world):
        found = json.loads(run(world.project.slug, "--json"))
        assert found["validation.passed"]["value"] == pytest.approx(5 / 12)
        assert found["validation.passed"].keys() == {"value", "n", "low", "high"}
        assert found["audit.f1_answer"] == {"value": None, "n": 0, "low": None, "high": None}
        ann = derive_pseudonym(world.ann, scope=world.project.slug)
        assert found[f"generator.{ann}.multiple"]["value"] == pytest.approx(7 / 16)
        assert "Archer" not in json.dumps(found)
        assert {
            name for name in BY_HAND if not name.startswith(("generator.", "validator."))
        } <= set(found)

    def test_one_split(self, world):
        assert json.loads(run(world.project.slug, "--split", "train", "--json"))[
            "validation.passed"
        ] == {"value": None, "n": 0, "low": None, "high": None}

    def test_the_table_says_values_and_what_is_missing(self, world):
        table = run(world.project.slug)
        assert "All annotations passed" in table
        assert "42 %" in table  # 5 of 12
        assert "needs 1 question of an audit sample" in table
        assert "Archer" not in table

    def test_a_project_that_is_not_there(self, db):
        with pytest.raises(CommandError, match="There is no project 'nowhere'") as problem:
            run("nowhere")
        assert problem.value.returncode == 2


class TestApi:
    @pytest.fixture(autouse=True)
    def computed(self, world, now):
        bring_agreement_up_to_date(world.project, now)

    def test_it_says_what_the_command_says(self, world, rosa, client_as):
        answer = client_as(rosa).get(f"/api/v1/projects/{world.project.slug}/agreement/")
        assert answer.json() == json.loads(run(world.project.slug, "--json"))

    def test_a_split_that_is_not_known(self, world, rosa, client_as):
        answer = client_as(rosa).get(
            f"/api/v1/projects/{world.project.slug}/agreement/", {"split": "tost"}
        )
        assert answer.status_code == 400


class TestAgreementPage:
    def test_it_shows_the_figures_and_names_for_staff(self, world, rosa, client_as, now):
        bring_agreement_up_to_date(world.project, now)
        text = client_as(rosa).get(address(world, "agreement/")).content.decode()
        assert "42 %" in text
        assert "47.2" in text  # F1 of generators: 6.133 / 13
        assert "Ann Archer" in text
        assert "Needs 1 question of an audit sample that an expert answered." in text

    def test_nothing_yet_says_what_is_needed(self, project, rosa, client_as, now):
        bring_agreement_up_to_date(project, now)
        text = client_as(rosa).get(f"/projects/{project.slug}/agreement/").content.decode()
        assert "There is nothing to count yet" in text
        assert "Needs 2 annotators on 1 prompt." in text

    def test_the_number_of_statements_does_not_grow(
        self, world, rosa, client_as, now, django_assert_num_queries
    ):
        """Figures, their state, the newest job and the people's names, beside those of any page."""
        client = client_as(rosa)
        bring_agreement_up_to_date(world.project, now)
        client.get(address(world, "agreement/"))
        with django_assert_num_queries(11):
            client.get(address(world, "agreement/"))
        for n in range(30):
            factories.make_question(world.project, external_id=f"more {n}")
        with django_assert_num_queries(11):
            client.get(address(world, "agreement/"))


class TestAuditPages:
    @pytest.fixture(autouse=True)
    def expert(self, eve):
        return eve

    def form(self, **changes):
        return {"size": "3", "split": "dev", "population": "validated", "seed": "4"} | changes

    def test_staff_draw_a_sample_and_are_led_to_it(self, world, rosa, client_as):
        answer = client_as(rosa).post(address(world, "audit/"), self.form())
        sample = world.project.audit_samples.get()
        assert (answer.status_code, answer.url) == (302, address(world, f"audit/{sample.pk}/"))
        assert sample.seed == 4
        text = client_as(rosa).get(answer.url).content.decode()
        assert text.count("1 more to answer") == 3
        listed = client_as(rosa).get(address(world, "audit/")).content.decode()
        assert f"Sample {sample.pk}" in listed

    def test_a_share_of_the_questions_is_drawn(self, world, rosa, client_as):
        half = self.form(size="50", counted_in="percent")
        assert client_as(rosa).post(address(world, "audit/"), half).status_code == 302
        assert world.project.audit_samples.get().items.count() == 4

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"size": "101", "counted_in": "percent"}, "Draw 1 to 100 percent."),
            ({"counted_in": "dozens"}, "error-counted_in"),
            ({"size": "9"}, "There are 8 questions to draw from, and you asked for 9"),
            ({"size": ""}, "required"),
            ({"size": "0"}, "Write a number that is at least 1."),
            ({"split": "tost"}, "error-split"),
            ({"seed": "-1"}, "Write a number that is at least 0."),
        ],
    )
    def test_a_form_that_cannot_be_followed_draws_nothing(
        self, world, rosa, client_as, changes, sentence
    ):
        answer = client_as(rosa).post(address(world, "audit/"), self.form(**changes))
        assert answer.status_code == 422
        assert sentence in answer.content.decode()
        assert not world.project.audit_samples.exists()

    def test_the_sample_shows_the_expert_beside_what_is_accepted(
        self, world, draw, rosa, eve, now, client_as
    ):
        sample = draw(8)
        answer_all(world, eve, now)
        text = client_as(rosa).get(address(world, f"audit/{sample.pk}/")).content.decode()
        assert text.count("F1-answer 100.0") == 3  # Q3, Q4, Q5
        assert text.count("F1-answer 66.7") == 2  # Q7, Q8
        assert text.count("F1-answer 80.0") == 1  # Q12
        assert text.count("F1-answer 0.0") == 2  # Q6, Q10
        assert "Not found: Looked on three pages." in text

    def test_a_sample_of_another_project_is_not_there(self, world, draw, rosa, client_as):
        sample = draw(1)
        other = factories.make_project()
        factories.make_member(other, "researcher", user=rosa)
        assert client_as(rosa).get(f"/projects/{other.slug}/audit/{sample.pk}/").status_code == 404
