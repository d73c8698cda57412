"""Tables for LaTeX's booktabs, in which the text of a person is never a command.

They need booktabs alone. A test compiles every one with pdfLaTeX.
"""

import re
from collections.abc import Iterable, Sequence

_MARKS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    # At the beginning of a row these would belong to the end of the row before.
    **{mark: f"{{{mark}}}" for mark in "[]*"},
    # What pdfLaTeX has in formulas alone.
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "→": r"$\rightarrow$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "γ": r"$\gamma$",
    "ρ": r"$\rho$",
    "Δ": r"$\Delta$",
}
# What pdfLaTeX prints with booktabs alone.
_KNOWN = re.compile(
    r"[\x00-\x7e\xa0-\xaa\xac-\xba\xbc-\xcf\xd1-\xdd\xdf-\xef\xf1-\xfd\xff–—‘’“”†‡•…‰€™]*"
)
_LETTERS = "Some letters may need LuaLaTeX or XeLaTeX, and a font that has them."


def render_latex_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, shape: str, comments: Iterable[str] = ()
) -> str:
    """Return a table of cells that LaTeX can read (`escape_latex`), under lines of comments.

    shape: a letter for each column, l or r. Comments are plain text.
    """
    body = [" & ".join(cells) + r" \\" for cells in rows]
    top = " & ".join(head) + r" \\"
    lines = [
        *(f"% {one_line(comment)}" for comment in comments),
        *([] if _KNOWN.fullmatch(top + "".join(body)) else [f"% {_LETTERS}"]),
        rf"\begin{{tabular}}{{{shape}}}",
        r"\toprule",
        top,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, ""])


def escape_latex(text: str) -> str:
    """Return text as LaTeX prints it: nothing in it is a command, and it stays on one line."""
    return "".join(_MARKS.get(mark, mark) for mark in one_line(text))


def one_line(text: str) -> str:
    """Return text on one line, without what cannot be printed."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
