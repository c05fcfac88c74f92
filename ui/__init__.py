"""The Gradio page: layout and handlers. It translates between people and the interview, and decides nothing."""
