"""What models suggest beside the work: stored suggestions, and what people do with them.

Which models there are is a matter of the app above that runs them.
"""
