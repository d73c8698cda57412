"""Questions made from a small graph by hand, with evidence in the real 2015 snapshot."""

import io
import json

import pytest
from django.core.management import call_command

from metrics.proportions import wilson_interval
from qampari.making.relations import list_shipped_relations, write_relation
from tests import archives, factories
from tests.wikipedia.wikidata.entities import as_dump, as_lines, item, statement, write

pytestmark = [pytest.mark.realdata, pytest.mark.django_db]
RAY, ATLANTIC, ALBUM, JACKSON, ABC = range(900_001_001, 900_001_006)
# Studio, live and collected albums that are his, by the titles of their pages.
ON_ATLANTIC = (
    "The Great Ray Charles", "Soul Brothers", "Ray Charles at Newport",
    "Yes Indeed! (Ray Charles album)", "What'd I Say (album)", "The Genius of Ray Charles",
    "Ray Charles in Person", "The Genius After Hours", "The Genius Sings the Blues",
    "Soul Meeting", "Do the Twist! with Ray Charles", "The Best of Ray Charles",
    "Ray Charles Live", "The Birth of Soul",
)  # fmt: skip
ELSEWHERE = (
    "Dedicated to You (Ray Charles album)", "Genius & Friends", "Genius Loves Company",
    "Have a Smile with Me", "Ingredients in a Recipe for Soul", "Crying Time",
    "Live in Concert (Ray Charles album)", "Modern Sounds in Country and Western Music",
    "Modern Sounds in Country and Western Music Volume Two", "Ray Charles Anthology",
    "Ray Charles Greatest Hits", "Ray Charles and Betty Carter", "Ray Charles in Concert",
    "Strong Love Affair", "Sweet & Sour Tears", "The Genius Hits the Road", "True to Life",
    "A Man and His Soul",
)  # fmt: skip
ON_ABC = (
    "Dedicated to You (Ray Charles album)", "Have a Smile with Me",
    "Ingredients in a Recipe for Soul", "Live in Concert (Ray Charles album)",
    "Modern Sounds in Country and Western Music",
    "Modern Sounds in Country and Western Music Volume Two", "Ray Charles Greatest Hits",
    "Ray Charles and Betty Carter", "Sweet & Sour Tears", "The Genius Hits the Road",
)  # fmt: skip
# Songs that he performed, whoever wrote them or sang them first.
SONGS = (
    "A Fool for You", "America the Beautiful", "Baby Grand", "Bein' Green",
    "Busted (Johnny Cash song)", "Bye Bye Love (The Everly Brothers song)", "Come Back Baby",
    "Cry (Churchill Kohlman song)", "Drown in My Own Tears", "Eleanor Rigby",
    "Georgia on My Mind", "Hallelujah I Love Her So", "Hit the Road Jack",
    "I Can't Stop Loving You", "I Don't Need No Doctor", "I Got a Woman",
    "I'm Moving On (Hank Snow song)", "In the Heat of the Night (Ray Charles song)",
    "It Should've Been Me (Memphis Curtis song)", "Let the Good Times Roll (Louis Jordan song)",
    "Let's Go Get Stoned (R&B song)", "Lonely Avenue", "Mess Around",
    "Night Time Is the Right Time", "Shake a Tail Feather", "Side by Side (1927 song)",
    "Talkin' 'bout You", "That Lucky Old Sun", "The Long and Winding Road",
    "This Little Girl of Mine", "Unchain My Heart (song)", "What'd I Say",
    "You Don't Know Me (Eddy Arnold song)",
)  # fmt: skip


def list_relations(*nouns):
    """Return relations that come with Ambit, of any type, as a file of choices has them."""
    return [
        write_relation(each) | {"type": None}
        for each in list_shipped_relations()
        if (each.property, each.noun) in nouns
    ]


ALBUM_RELATIONS = list_relations((175, "albums"), (264, "albums"))
SONG_RELATIONS = list_relations((175, "songs"), (676, "songs"))


@pytest.fixture(scope="module")
def file():
    from tests.conftest import REALDATA

    path = REALDATA / "wikipedia" / "wikipedia_en_ray_charles_2015-06.zim"
    if not path.is_file():
        pytest.skip(f"the Ray Charles snapshot is not at {path}; set AMBIT_REALDATA")
    return path


@pytest.fixture
def make(settings, tmp_path, file):
    """Make questions from the albums: with more of his, and some as if they were another's.

    songs: make them from these songs of his instead.
    """
    snapshot = archives.use(settings, tmp_path, file, "ray")
    factories.make_project("albums", snapshot=snapshot, protocol="qampari", policies=False)

    def make(*, his=(), by_another=(), songs=(), share=0.7):
        items = [
            item(RAY, label="Ray Charles", title="Ray Charles"),
            item(
                ATLANTIC, label="Atlantic Records", title="Atlantic Records", aliases=["Atlantic"]
            ),
            item(ABC, label="ABC-Paramount Records", title="ABC Records", aliases=["ABC Records"]),
            item(JACKSON, label="Milt Jackson", title="Milt Jackson"),
        ]
        rows = [
            (title, JACKSON if title in by_another else RAY, ATLANTIC)
            for title in (*ON_ATLANTIC, *his)
        ]
        rows += [(title, RAY, ABC if title in ON_ABC else None) for title in ELSEWHERE]
        if songs:
            rows = [(title, RAY, None) for title in songs]
        for number, (title, artist, label) in enumerate(rows, start=900_002_000):
            said = [statement(number, 175, artist), statement(number, 31, ALBUM)]
            said += [statement(number, 264, label)] if label else []
            name = title.partition(" (")[0]
            items.append(item(number, *said, label=name, title=title))
        dump = write(tmp_path / "albums.json", as_dump(as_lines(items)))
        choices, out = tmp_path / "choices.json", tmp_path / "made.jsonl"
        sizes = {split: dict.fromkeys(("simple", "intersection"), 9) for split in ("train", "test")}
        choices.write_text(
            json.dumps(
                {
                    "relations": SONG_RELATIONS if songs else ALBUM_RELATIONS,
                    "share": share,
                    "split": "paper",
                    "sizes": sizes,
                }
            )
        )
        call_command(
            "wikidata_graph", str(dump), "--name", "albums", "--processes", "0", "--replace",
            stdout=io.StringIO(), stderr=io.StringIO(),
        )  # fmt: skip
        words = ["--graph", "albums", "--choices", str(choices), "--out", str(out), "--json"]
        said = io.StringIO()
        call_command("generate_questions", "albums", *words, stdout=said)
        return list(map(json.loads, out.read_text().splitlines())), json.loads(said.getvalue())

    return make


def title_of(answer):
    return answer["proof"][0]["evidence"]["path"].removeprefix("A/").removesuffix(".html")


def test_a_label_whose_albums_are_all_his_makes_no_intersection(make):
    records, counts = make()
    assert [record["question_text"] for record in records] == [
        "Which albums were released by the label Atlantic Records?",
        "Which albums were recorded by Ray Charles?",
    ]
    assert counts["left_out"]["within"] == 1
    assert counts["found"]["simple_kept"] == 2


def test_a_label_with_another_artist_makes_one(make):
    records, counts = make(by_another=("Soul Brothers", "Soul Meeting"))
    (both,) = (one for one in records if "intersection" in one["qid"])
    assert both["question_text"] == (
        "Which albums were recorded by Ray Charles and were released by the label Atlantic Records?"
    )
    assert len(both["answer_list"]) == 9
    assert all(len(one["wikidata"]) == 2 for one in both["answer_list"])
    assert "within" not in counts["left_out"]


def test_a_question_that_names_its_answer_is_left_out(make):
    """His first album has his name."""
    records, counts = make(his=("Ray Charles (album)",))
    assert counts["left_out"]["answer_in_question"] >= 1
    assert not any("recorded by Ray Charles?" in one["question_text"] for one in records)


# Read by a person: proofs that do not show the answer. Two name a later collection of the label
# that has the album's tracks, one says what a box set is called, one is of the song of that name.
# Of the songs, one leads to an album, one says who wrote it, and one whom its author had in mind.
WRONG = {
    ("P264", "Ray_Charles_at_Newport"),
    ("P264", "Ray_Charles_in_Person"),
    ("P264", "The_Birth_of_Soul"),
    ("P175", "Crying_Time"),
    ("P175", "Hallelujah_I_Love_Her_So"),
    ("P175", "Talkin'_'bout_You"),
    ("P175", "The_Long_and_Winding_Road"),
}


def test_how_often_the_words_of_a_sentence_are_right(make):
    """Of the answers of three simple questions, read one by one."""
    albums, _ = make()
    songs, _ = make(songs=SONGS)
    kept = {
        (record["making"]["queries"][0][0], title_of(answer))
        for record in (*albums, *songs)
        for answer in record["answer_list"]
    }
    right = len(kept - WRONG)
    low, high = wilson_interval(right, len(kept))
    print(  # noqa: T201
        f"\nWords of a sentence: {right} of {len(kept)} kept answers are shown by it, "
        f"{right / len(kept):.1%} ({low:.1%} to {high:.1%})."
    )
    assert kept >= WRONG
    assert (right, len(kept)) == (67, 74)
