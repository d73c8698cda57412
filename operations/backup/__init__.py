"""The whole of an installation in one file, and back: rows, uploaded files, notes on the rest."""
