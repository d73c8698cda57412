"""What is new to a person since they last looked: counted in the top bar, listed on home."""
