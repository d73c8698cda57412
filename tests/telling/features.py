"""Read features from an answer of the server, whatever it is: nothing is chosen by hand.

What is to be judged is left out: the strings in `content`, and everything below the keys in
CONTENT, of which only the names are read.
"""

import json
import re
from collections import Counter

from django.utils.dateparse import parse_datetime
from lxml import html as pages

# Below these keys of the API is what is judged, and what the person said of it.
CONTENT = {"given", "response", "prompt", "findings"}
# Headers that differ each time, or are as long as the content.
VARYING = {"Date", "Set-Cookie", "Content-Length", "Content-Security-Policy", "X-Request-Id"}
_DIGITS = re.compile(r"\d+")
_HIDDEN = {"csrfmiddlewaretoken", "nonce"}
LONGEST = 60


def of_answer(name, answer, content, began, entry=None):
    """Return the features of a response; of a list only those of the entry with this number."""
    found = {f"{name} status": str(answer.status_code)}
    for header, value in answer.headers.items():
        if header not in VARYING:
            found[f"{name} header {header}"] = _plain(value, content)
    body = b"".join(answer) if answer.streaming else answer.content
    kind = answer.headers.get("Content-Type", "")
    if "json" in kind:
        data = json.loads(body)
        if entry is not None and isinstance(data, dict) and "results" in data:
            data = [row for row in data["results"] if row["id"] == entry]
            found[f"{name} entries"] = len(data)
            data = data[0] if data else {}
        found |= dict(_of_json(name, data, content, began))
    elif "html" in kind and body.strip():
        found |= of_page(name, pages.fromstring(body), content, began)
    return found


def of_row(name, row, content, began):
    """Return the features of one entry of a list of the API."""
    return dict(_of_json(name, row, content, began))


def _of_json(name, data, content, began, judged=False):
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _of_json(f"{name} {key}", value, content, began, judged or key in CONTENT)
    elif isinstance(data, list):
        if not judged:
            yield f"{name} count", len(data)
        for value in data:
            yield from _of_json(f"{name} []", value, content, began, judged)
    elif judged:
        yield name, True
    elif isinstance(data, str):
        yield name, _moment(data, began, content)
        if number := re.fullmatch(r"\D*(\d{1,15})", data):
            yield f"{name} number", float(number[1])
    else:
        yield name, data


def _moment(text, began, content):
    at = parse_datetime(text) if re.match(r"\d{4}-\d\d-\d\d", text) else None
    return (at - began).total_seconds() if at else _plain(text, content)


def _plain(text, content):
    for each in content:
        text = text.replace(each, "…")
    return _DIGITS.sub("#", " ".join(text.split()))[:LONGEST]


def of_page(name, element, content, began):
    """Return how often each tag, attribute and text is on a page, and the numbers in them."""
    counts, numbers = Counter(), {}
    for node in element.iter():
        if not isinstance(node.tag, str):
            continue
        counts[f"<{node.tag}>"] += 1
        hidden = node.get("name") in _HIDDEN
        for key, value in node.attrib.items():
            if key in _HIDDEN or (hidden and key == "value") or key in ("id", "for", "srcdoc"):
                continue
            if key == "datetime" and (at := parse_datetime(value)):
                numbers.setdefault(f"<time> {counts['<time>']}", (at - began).total_seconds())
                continue
            mark = f"<{node.tag} {key}={_plain(value, content)}>"
            counts[mark] += 1
            _note(numbers, mark, value, content)
        for text in (node.text, node.tail):
            if text and text.strip() and node.tag not in ("script", "style"):
                mark = f"“{_plain(text, content)}”"
                counts[mark] += 1
                _note(numbers, mark, text, content)
    found = {f"{name} {mark}": count for mark, count in counts.items()}
    return found | {f"{name} {mark}": value for mark, value in numbers.items()}


def _note(numbers, mark, text, content):
    for each in content:
        text = text.replace(each, "…")
    for at, number in enumerate(_DIGITS.findall(text)[:3]):
        numbers.setdefault(f"{mark} {at}", float(number[:15]))


def entries_of(page):
    """Return the entries of a list, by the number of the work that they lead to."""
    found = {}
    for link in page.iterfind(".//a[@href]"):
        number = re.search(r"/(?:work|submissions)/(\d+)/$", link.get("href"))
        row = next(link.iterancestors("li", "tr"), None)
        if number and row is not None:
            found.setdefault(int(number[1]), row)
    return found
