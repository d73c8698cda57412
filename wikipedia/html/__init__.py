"""The HTML of a page of Wikipedia: parsed, tidied, made safe, and cut into text for search.

Functions on trees and strings. It asks no database and no network, and shows nothing itself.
"""
