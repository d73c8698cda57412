"""What a writer of a long answer is given: disambiguations, and the paragraphs found for them."""
