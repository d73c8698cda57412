"""How far people agree: the panels of the report Agreement."""
