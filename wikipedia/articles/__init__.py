"""Articles as people read them: made safe and readable, with cells and paragraphs, and kept.

What was shown is stored once and shown again as it was. It knows no project and no work.
"""
