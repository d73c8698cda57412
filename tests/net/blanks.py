"""Responses and files as text, without what differs each time."""

import io
import re
import zipfile

# Of headers only what the program decides itself.
HEADERS = (
    *("Content-Type", "Content-Disposition", "Location", "Cache-Control", "Allow", "Retry-After"),
    *("HX-Redirect", "HX-Refresh", "HX-Trigger", "HX-Push-Url", "ETag", "Link", "Vary"),
)
BLANKS = [
    (re.compile(pattern), blank)
    for pattern, blank in (
        (r'(name="csrfmiddlewaretoken" value=")[^"]+', r"\1…"),
        (r"(?i)(x-csrftoken\W{1,12})[a-z0-9]{64}", r"\1…"),
        (r'(nonce=")[^"]+', r"\1…"),
        # Files of pages carry a digest, or a version.
        (r"(/static/[\w./-]*?)(\.[0-9a-f]{12})?(\.\w+)(\?[\w=.]+)?(?=[\"')\s])", r"\1\3"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
        # Signed values: data, moment, signature.
        (r"[\w.-]+:[0-9a-zA-Z]{6}:[\w-]{43}", "SIGNED"),
        (r"\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b", "DIGEST"),
        (r"\bambit[0-9a-f]{10,}", "TOKEN"),
        # What monitoring reads: moments, seconds that something took, and the disk.
        (r"(?m)^(ambit_storage_\w+) \S+$", r"\1 …"),
        (r"(?m)^(ambit_\w+_(?:created|sum|bucket)\{.*\}) \S+$", r"\1 …"),
        (r"/tmp/[\w/.-]*/(?=[\w.-]+\.zip)", ""),
        (r"\btest_ambit(_gw\d+)?\b", "DATABASE"),
    )
]


def describe_response(response):
    """Return status, headers and body of a response."""
    body = b"".join(response) if response.streaming else response.content
    lines = [str(response.status_code)]
    lines += [f"{name}: {response.headers[name]}" for name in HEADERS if name in response.headers]
    return blank_text("\n".join(lines)) + "\n\n" + describe_bytes(body)


def describe_bytes(data):
    """Return a file as text: an archive by its files, pictures (with versions in them) by none."""
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            files = sorted(packed.namelist())
            return "\n".join(f"--- {name}\n{describe_bytes(packed.read(name))}" for name in files)
    try:
        return blank_text(data.decode())
    except UnicodeDecodeError:
        return f"a file that begins with {data[:4]!r}"


def blank_text(text):
    """Return the text with blanks for what differs each time."""
    for pattern, blank in BLANKS:
        text = pattern.sub(blank, text)
    return text
