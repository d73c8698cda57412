"""The tables and figures of the papers, from the data of a project. Formulas: docs/reports.md."""
