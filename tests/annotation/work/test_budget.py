"""The work page of generation on first load: at most 64 KB over the wire."""

from tests.annotation.work.conftest import form, url
from tests.weights import check_weight


def test_first_load(client_as, work, ann):
    client = client_as(ann)
    client.post(url("draft", work), form(work), headers={"HX-Request": "true"})
    check_weight(
        client,
        url("page", work),
        "js/annotation/work/work.js",
        "js/annotation/generation/generation.js",
    )
