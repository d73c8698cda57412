"""A decision on somebody's answer is news to them, once."""

from django.urls import reverse
from django.utils import timezone

from annotation.news import queries as news_queries


def test_a_result_is_news_to_its_author(client_as, bens, ann, val, turn_of, now):
    client = client_as(ann)
    page = client.get("/").text
    section = page.partition('id="news-title"')[2].partition("</section>")[0]
    assert "Result: " in section
    assert reverse("submission-view", args=[turn_of(ann).pk]) in section
    before = news_queries.count_unread(ann, now=now)
    client.post(reverse("news-read"), {"until": timezone.now().isoformat()})
    ann.refresh_from_db()
    assert before
    assert news_queries.count_unread(ann, now=timezone.now()) == 0
    assert "Result:" not in client_as(val).get("/").text
