"""How Sphinx makes the site of docs/: `make docs`, into build/site.

The source is the whole repository, so that a link leads to the same page here as where the
repository is read: from README.md into docs/ and back. What is not written by hand (the help of
every command, every operation of the API, the age of the pictures) is made by docs.site.py.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

project = "Ambit"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
language = "en-GB"

extensions = ["myst_parser", "docs.site.extension"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
exclude_patterns = [".*", "build", "docs.site.extension"]

# Anchors as where the repository is read. The papers' formulas and JSON with “…” are no errors.
myst_heading_anchors = 6
highlight_language = "text"
nitpicky = True

html_theme = "furo"
html_title = f"Ambit {version}"
html_additional_pages = {"index": "front.html"}
templates_path = ["site/templates"]
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_show_sphinx = html_show_copyright = html_show_sourcelink = html_copy_source = False
html_use_index = False
