"""What can be asked: the bank of questions, their index, and the choice of the next one."""
