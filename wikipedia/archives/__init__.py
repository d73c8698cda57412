"""What Wikipedia hands out whole: archives in ZIM and dumps in XML, read safely.

Reading a file is all: what is made of a page, and where it is stored, is for rooms above.
"""
