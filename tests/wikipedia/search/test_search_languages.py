"""Archives in many languages: each can be built, checked and searched."""

import pytest

from tests.wikipedia.search.test_search_ranking import Articles
from wikipedia.search.analysis import _STEMMERS
from wikipedia.search.index import build_index
from wikipedia.search.searching import check_index, search_articles, search_passages

# A title, what its article says, and a question whose words are other forms of those.
SAYINGS = {
    "ara": ("الجسر", "افتتح الجسر فوق النهر سنة 1843.", "متى افتتح الجسر؟"),
    "ell": ("Γέφυρα", "Η γέφυρα άνοιξε το 1843 πάνω από το ποτάμι.", "Πότε άνοιξε η γέφυρα;"),
    "ron": ("Pod", "Podul peste râu a fost deschis în 1843.", "Când a fost deschis podul?"),
    "tam": ("பாலம்", "ஆற்றின் மேல் பாலம் 1843 திறக்கப்பட்டது.", "பாலம் எப்போது திறக்கப்பட்டது?"),
    "tur": ("İskele", "İskele 1843 yılında nehirde açıldı.", "iskele ne zaman açıldı"),
    "hin": ("पुल", "नदी पर पुल 1843 में खुला।", "पुल कब खुला?"),
    "jpn": ("鉄橋", "川の鉄橋は1843年に開通しました。", "鉄橋はいつ開通したか？"),
    "zho": ("铁桥", "这座铁桥于1843年建成通车。", "铁桥是什么时候建成的？"),
    "kor": ("다리", "강의 다리가 1843년에 열렸다.", "다리는 언제 열렸나?"),
    "tha": ("สะพาน", "สะพานข้ามแม่น้ำเปิดเมื่อปี 1843", "สะพานเปิดเมื่อไร"),
}


def built(folder, language, *articles):
    build_index(folder / "x", Articles(*articles, language=language))
    assert check_index(folder / "x") is None
    return folder / "x"


@pytest.mark.parametrize("language", sorted({*_STEMMERS, *SAYINGS, "", "vie"}))
def test_every_language_of_the_table_is_searched(tmp_path, language):
    index = built(tmp_path, language, ("Bridge 1843", ["Quay"], ["Bridge, sound, 1843."]))
    assert search_articles(index, "1843").hits[0].title == "Bridge 1843"
    assert search_passages(index, "sound 1843")[0].text == "Bridge, sound, 1843."


@pytest.mark.parametrize("language", SAYINGS)
def test_a_question_in_the_language_finds_its_article(tmp_path, language):
    title, text, question = SAYINGS[language]
    others = [("1900", [], ["1900, 1901, 1902."]), ("Lund", [], ["Lund 1843."])]
    index = built(tmp_path, language, *others, (title, [], [text]))
    hit = search_articles(index, question).hits[0]
    assert hit.title == title
    assert "".join(piece for piece, _ in hit.snippet).replace("…", "") == text
    assert any(matched for _, matched in hit.snippet)
    assert search_articles(index, title).hits[0].exact


def test_letters_in_another_order_are_another_word(tmp_path):
    index = built(tmp_path, "jpn", ("A", [], ["京東は店です。"]), ("B", [], ["東京は都です。"]))
    assert search_articles(index, "東京の都").hits[0].title == "B"


def test_a_single_character_is_found_inside_a_text(tmp_path):
    index = built(tmp_path, "zho", ("动物", [], ["大象很大。"]), ("城市", [], ["城市很多。"]))
    assert [hit.title for hit in search_articles(index, "象").hits] == ["动物"]
