"""Forms turn what people type into values and explain what is wrong; they never save."""
