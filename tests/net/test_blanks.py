"""What is written down differs only where the program does."""

import io
import zipfile

import pytest

from tests.net.blanks import blank_text, describe_bytes, describe_response

pytestmark = pytest.mark.django_db


def test_a_page_drawn_twice_is_the_same(client, stan):
    first, second = (client.get("/account/login/") for _ in range(2))
    assert first.content != second.content
    assert describe_response(first) == describe_response(second)


def test_status_and_place_are_written_down(client):
    described = describe_response(client.get("/submissions/"))
    assert described.startswith("302\n")
    assert "Location: /account/login/?next=/submissions/" in described


def test_files_in_an_archive_are_written_down_in_their_order():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as bundle:
        bundle.writestr("b.json", '{"b": 1}')
        bundle.writestr("a.png", b"\x89PNG\r\n")
    found = describe_bytes(packed.getvalue())
    assert found == "--- a.png\na file that begins with b'\\x89PNG'\n--- b.json\n{\"b\": 1}"


@pytest.mark.parametrize("text", ["12 of 30", "person-d2675d46a068", "F1 0.8095238095238095"])
def test_what_the_program_decides_is_kept(text):
    assert blank_text(text) == text
