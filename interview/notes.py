"""Clarifying questions that fit any question: how the interview works, answered the same wherever they are asked.

The notes of the question at hand go first. Nothing here tells anything of a rubric.
"""

from __future__ import annotations

from domain import Clarification

GENERAL: tuple[Clarification, ...] = (
    Clarification(
        ("How long should my answer be?", "How detailed should my answer be?", "Do you want a short answer?"),
        "A few sentences that name the mechanism and the reasons are enough; nothing is gained by length.",
    ),
    Clarification(
        ("May I use code in my answer?", "Do you want code or words?", "Should I write code or explain it?"),
        "Words are what I judge; a short example in code is welcome. Where code is wanted, the editor says so.",
    ),
    Clarification(
        ("Can I look things up?", "May I use the internet or the documentation?", "Is it an open book interview?"),
        "Better not: say what you know, as you would in a real interview. In an exam the library here is closed.",
    ),
    Clarification(
        ("Which version of the framework do you mean?", "Which PyTorch version?", "Is it TensorFlow 1 or 2?"),
        "The current release: PyTorch 2 or TensorFlow 2 with Keras 3. If a version matters, say which one you mean.",
    ),
    Clarification(
        ("Is there a time limit?", "How much time do I have?", "Am I timed on this?"),
        "If this interview is timed, the page shows the clock; otherwise take the time that you need.",
    ),
    Clarification(
        ("How many attempts do I have?", "Can I submit my code more than once?", "How often may I submit?"),
        "Practice takes five submissions, of which the last counts; an exam takes one. Words may always be added.",
    ),
    Clarification(
        ("May I write pseudocode?", "Is pseudocode enough?", "Does the code have to run?"),
        "In words, pseudocode is fine. What you submit from the editor is run, so there it has to be real code.",
    ),
    Clarification(
        ("How is my answer graded?", "How do you score this?", "Do I lose points for guessing?"),
        "Point by point: each thing that a full answer holds is either there or not. Saying something wrong earns "
        "nothing for that point, and leaving it out earns the same.",
    ),
    Clarification(
        ("May I ask you questions?", "Can I ask for clarification?", "Am I allowed to ask for hints?"),
        "Yes, ask whenever something is unclear. Hints are there in practice, and make what follows them worth less.",
    ),
    Clarification(
        ("Can I come back to this question later?", "May I return to it at the end?"),
        "No, a question that is closed stays closed. You may pause the interview, though, and go on another day.",
    ),
)
