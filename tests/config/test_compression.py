"""What travels compressed: pages; data and downloads go as they are."""

import gzip

from tests.weights import ASKED


def test_a_page_travels_compressed_and_never_in_a_telling_length(client, db):
    sent = [client.get("/account/login/", headers=ASKED) for _ in range(20)]
    plain = client.get("/account/login/").content
    assert {answer.headers["Content-Encoding"] for answer in sent} == {"gzip"}
    assert b"<title>" in gzip.decompress(sent[0].content)
    assert len(sent[0].content) < len(plain) / 2
    assert len({len(answer.content) for answer in sent}) > 5  # BREACH guesses by length


def test_data_travels_as_it_is(client, db):
    answer = client.get("/healthz", headers=ASKED)
    assert "Content-Encoding" not in answer.headers
