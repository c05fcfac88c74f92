"""Speech: recordings, recognition and what is made of it, with the real model on synthesised speech."""
