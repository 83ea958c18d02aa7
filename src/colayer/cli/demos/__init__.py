"""What `colayer demo` shows: the sizes of each demo, whom learning is compared with, the story in words."""
