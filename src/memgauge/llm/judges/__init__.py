"""Language models as judges of answers: strictly read, several at a time, and calibrated."""
