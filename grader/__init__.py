"""What an answer is worth: judges that give verdicts on rubric points, and the arithmetic that adds them up."""
