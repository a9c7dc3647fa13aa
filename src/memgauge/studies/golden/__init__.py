"""The golden suite: stateful and adversarial memory tests that are proven able to fail."""
