"""HTML pages and fragments: translate in, one call, translate out."""
