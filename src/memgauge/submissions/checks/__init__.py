"""The checks that a submission has to pass: the same ones at a submitter's desk and on the build server."""
