"""A small invented Wikipedia with one list of bridges, and pages whose tables are no lists."""

from tests.wikipedia.archives.zims import write_zim

REED, ASH = "Rosa Reed", "Anna Ash"
# The engineer of each, and what its page says.
BRIDGES = {
    "Ashford Bridge": (REED, "{} carries a road over the Aldwater.</p><p>It is by Rosa Reed."),
    "Beck Bridge": (REED, "{} is a bridge on the Aldwater, by the engineer Rosa Reed."),
    "Cray Bridge": (REED, "{} is one of the bridges over the Aldwater. Rosa Reed built it."),
    "Dell Bridge": (REED, "{} crosses the Aldwater. This bridge was Rosa Reed's first."),
    "Elm Bridge": (REED, "A bridge of stone, {} spans the Aldwater. Rosa Reed designed it."),
    "Fen Bridge": (ASH, "{} is a bridge over the Aldwater. Anna Ash designed it."),
    "Gate Bridge": (ASH, "{} is a bridge over the Aldwater, by an engineer whom few know."),
    "High Bridge": ("", "{} is a footbridge and a bridge over the Aldwater."),
}


def link(title, words=""):
    return f'<a href="{title.replace(" ", "_")}">{words or title}</a>'


def row(*cells):
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def table(headers, rows, caption=""):
    head = "".join(f"<th>{header}</th>" for header in headers)
    body = f"<tr>{head}</tr>{''.join(rows)}"
    return f"<table class='wikitable'><caption>{caption}</caption>{body}</table>"


def list_bridges(bridges=BRIDGES):
    rows = [
        row(number, link(name), by, "Lower Ford", 1850 + number, "See the map")
        for number, (name, (by, _)) in enumerate(bridges.items(), 1)
    ]
    return table(
        ["No.", "Bridge", "Engineer", "Place", "Opened", "Notes"], rows, "Standing bridges"
    )


LISTED = [link(name) for name in BRIDGES]
DECOYS = {
    "List of bridges by layout": f"<table>{row(*LISTED)}{row(*LISTED)}</table>",
    "List of bridges in boxes": "<table class='infobox'><tr><th>Bridges</th></tr>"
    + "".join(map(row, LISTED))
    + "</table>",
    "List of four short bridges": table(["Bridge"], map(row, LISTED[:4])),
    "List of bridges without links": table(["Bridge", "By"], [row(each, ASH) for each in BRIDGES]),
    "List of numbers of bridges": table(["Year", "Built"], [row(1900 + n, n) for n in range(9)]),
    "List of places by their names": table(
        ["Name", "Bridge"], [row(f"Place {n}", each) for n, each in enumerate(LISTED)]
    ),
    "List of bridges": table(["Bridge"], map(row, LISTED)),
    "List of lists of bridges": table(
        ["Lists"], [row(link(f"List of {name}", name)) for name in BRIDGES]
    ),
}  # fmt: skip


REVISION = 4711
FOOTER = f'<p><a href="https://en.wikipedia.org/wiki/X?oldid={REVISION}">Where this is from</a></p>'


def list_articles():
    """Return every page as `write_zim` takes them, by path."""
    pages = {name: f"<p>{text.format(name)}</p>" for name, (_, text) in BRIDGES.items()}
    pages["List of bridges over the Aldwater"] = f"<p>These cross it.</p>{list_bridges()}"
    pages["Aldwater"] = "<p>The Aldwater is a river.</p>"
    pages |= DECOYS
    return {title.replace(" ", "_"): (title, body + FOOTER) for title, body in pages.items()}


def write_archive(path):
    return write_zim(path, list_articles(), redirects=())
