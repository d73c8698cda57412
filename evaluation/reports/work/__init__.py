"""How a project is doing: the panels of the report Project."""
