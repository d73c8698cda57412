"""What was submitted as files: formats, filters, streaming, and the pages and addresses that offer
them.

What is in a format is said by the room that writes such rows.
"""
