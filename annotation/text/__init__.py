"""Text from people as values: cleaned, as Markdown, with question marks, and addresses of pages.

Knows no row and no request.
"""
