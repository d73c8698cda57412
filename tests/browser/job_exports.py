"""What the whole-job test expects of exports: what was typed and seen, and nobody's name."""

import datetime as dt
import hashlib
import html
import json
import re

from tests.browser.job_script import PROMPTS, SHOWN, TYPED
from wikipedia.models import ShownPage

MINIMUM = 6  # seconds: the shortest time for one clear answer or none, on dev


def people_of(prompt, desks):
    """Return who answered the prompt, in the order they handed in."""
    anybody = next(iter(desks.values()))  # the list is everybody's
    return [name for each, name in anybody.handed_in if each == prompt]


def check_released(light, full, desks):
    expected = [
        {
            "id": prompt["id"],
            "question": SHOWN[prompt["id"]],
            "annotations": [TYPED[name, prompt["id"]].released() for name in people],
        }
        for prompt in PROMPTS
        if (people := people_of(prompt["id"], desks))
    ]
    assert json.loads(light) == expected
    records = json.loads(full)
    for record, plain, prompt in zip(records, expected, PROMPTS, strict=True):
        titles, queries = {}, {}
        for name in people_of(prompt["id"], desks):
            desk = desks[name]
            titles |= dict.fromkeys(desk.titles[prompt["id"]])
            for query, results in desk.queries[prompt["id"]].items():
                queries[query] = [
                    {"title": title, "snippet": html.unescape(snippet)}
                    for title, snippet in results
                ]
        for query in record["used_queries"]:
            for result in query["results"]:
                assert "<" not in re.sub("</?b>", "", result["snippet"])
                result["snippet"] = html.unescape(result["snippet"])
        assert record == {
            **plain,
            "viewed_doc_titles": list(titles),
            "used_queries": [
                {"query": query, "results": results} for query, results in queries.items()
            ],
            "nq_answer": prompt.get("answers", []),
            "nq_doc_title": prompt.get("context", {}).get("nq_doc_title"),
        }


def check_raw(raw, desks):
    records = [json.loads(line) for line in raw.decode().splitlines()]
    keys = [(name, prompt["id"]) for prompt in PROMPTS for name in people_of(prompt["id"], desks)]
    assert [record["id"] for record in records] == [prompt for _, prompt in keys]
    texts = {prompt["id"]: prompt for prompt in PROMPTS}
    people = {name: set() for name in desks}
    for (name, prompt), record in zip(keys, records, strict=True):
        typed, given = TYPED[name, prompt], TYPED[name, prompt].released()
        reason = {"reason": typed.reason} if typed.kind == "none" else {}
        assert record["response"] == given | reason
        assert record["question"] == texts[prompt]["question"]
        assert record["prompt"] == SHOWN[prompt]
        assert record["split"] == texts[prompt].get("split", "dev")
        assert (record["stage"], record["used"]) == ("generation", True)
        assert (record["feedback"], record["guideline_version"]) == (typed.feedback, 2)
        kept = [typed.kept] if typed.kept else []
        keys_of_warning = ("rule", "field", "reason")
        assert [
            tuple(each[key] for key in keys_of_warning) for each in record["warnings_kept"]
        ] == kept
        times = record["times"]
        spent = (moment(times["submitted"]) - moment(times["started"])).total_seconds()
        assert 0 <= times["active_seconds"] <= spent + 1
        if typed.kind != "multiple" and record["split"] == "dev":
            assert times["active_seconds"] >= MINIMUM
        check_quotes(record, typed)
        check_events(record, desks[name], prompt)
        people[name].add(record["person"])
    assert [len(pseudonyms) for pseudonyms in people.values()] == [1, 1]
    assert len(set.union(*people.values())) == 2
    assert all(re.fullmatch(r"person-[0-9a-f]{12}", each) for each in set.union(*people.values()))


def check_quotes(record, typed):
    """Each quote has the words, the place they were selected at, and where they were used."""
    assert len(record["quotes"]) == len(typed.quotes())
    for quote, (words, pair, form) in zip(record["quotes"], typed.quotes(), strict=True):
        source, position = quote["source"], quote["position"]
        assert (quote["exact"], quote["made_by"]) == (words.exact, "selection")
        assert quote["used_in"] == [{"pair": pair, "form": form}]
        assert tuple(quote["section"]["path"]) == words.section
        assert (source["title"], source["snapshot"]) == (words.title, "ray")
        assert source["licence"].startswith("CC BY-SA")
        text = ShownPage.objects.get(path=source["path"]).text
        assert hashlib.sha256(text.encode()).hexdigest() == source["text_sha256"]
        assert position["unit"] == "codepoint"
        assert text[position["start"] : position["end"]] == words.exact
        before, _, after = words.near.partition(words.exact)
        assert text[: position["start"]].endswith(before)
        assert text[position["end"] :].startswith(after)
        assert text[: position["start"]].endswith(quote["prefix"])
        assert text[position["end"] :].startswith(quote["suffix"])
        assert quote["prefix"].endswith(before[-32:])
        assert quote["suffix"].startswith(after[:32])


def check_events(record, desk, prompt):
    """The log has every search, page, quote and kept warning, in order, each once."""
    events = record["events"]
    assert [event["id"] for event in events] == sorted({event["id"] for event in events})
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)

    def of(kind):
        return [event["data"] for event in events if event["kind"] == kind]

    found = {
        search["query"]: [result["title"] for result in search["results"]]
        for search in of("search")
    }
    seen = {
        query: [title for title, _ in results] for query, results in desk.queries[prompt].items()
    }
    assert list(found.items()) == list(seen.items())
    assert [page["title"] for page in of("page_open")] == desk.titles[prompt]
    first = of("page_open")[0]
    last_search = [event["id"] for event in events if event["kind"] == "search"][-1]
    assert (first["via"], first["search_event"]) == ("search", last_search)
    assert of("search")[-1]["results"][first["rank"] - 1]["title"] == first["title"]
    assert [each["quote"] for each in of("quote")] == [quote["id"] for quote in record["quotes"]]
    assert of("warning_kept") == record["warnings_kept"]
    shown = [(each["rule"], each["field"]) for each in of("warning_shown")]
    assert len(shown) == len(set(shown))
    assert all((kept["rule"], kept["field"]) in shown for kept in record["warnings_kept"])
    if (desk.name, prompt) == ("ann", "rc-cry"):
        assert [page["via"] for page in of("page_open")] == ["search", "link", "history"]
        [find] = of("find_in_page")
        assert (find["query"], find["hits"]) == ("version", 14)


def moment(text):
    assert text.endswith("+00:00")
    return dt.datetime.fromisoformat(text)


def check_nobody_is_named(exports, users):
    for key, content in exports.items():
        for user in users:
            for secret in (user.email, *user.name.split(), str(user.pk), str(user.key)):
                assert secret.encode() not in content, f"{secret} is in {key}"
