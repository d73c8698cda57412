"""Forms of concerns that no browser sends."""

import pytest
from django.urls import reverse

from annotation.models import Concern

HUGE = "9" * 5000


@pytest.mark.parametrize("disambiguation", [HUGE, "-1", "1e3", "²", "", "7"])
def test_a_position_that_is_none_is_refused_with_a_sentence(client_as, ann, mine, disambiguation):
    answer = client_as(ann).post(
        reverse("work-concern", args=[mine.pk]),
        {"reason": "Something is wrong.", "disambiguation": disambiguation},
        follow=True,
    )
    assert "Choose among the disambiguations of this question." in answer.text
    assert not Concern.objects.exists()


EDGES = ["2026-13-45T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]


@pytest.mark.parametrize("until", [*EDGES, "x", "", "9" * 40, "\x00"])
def test_a_time_that_is_none_marks_nothing_as_read(client_as, ann, mine, until):
    answer = client_as(ann).post(reverse("work-concern-read", args=[mine.pk]), {"until": until})
    assert answer.status_code == 302
