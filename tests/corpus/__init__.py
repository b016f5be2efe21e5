"""Order posts with their right reading, and how well they are understood (`python -m tests.corpus`)."""
