"""Every check, in its order; a new one is its function and one line here."""

from memgauge.submissions.checks.costs import costs_as_recorded
from memgauge.submissions.checks.files import archives_that_open, files_of_their_kind
from memgauge.submissions.checks.names import names_that_agree, only_new_paths
from memgauge.submissions.checks.neighbours import no_other_row_moves
from memgauge.submissions.checks.plans import one_plan
from memgauge.submissions.checks.plausible import questions_to_ask
from memgauge.submissions.checks.privacy import nothing_private
from memgauge.submissions.checks.rows import bundles_that_verify, questions_each_once
from memgauge.submissions.checks.rulings import SubmissionCheck
from memgauge.submissions.checks.settings import settings_as_run
from memgauge.submissions.checks.versions import same_product_and_version
from memgauge.submissions.checks.words import rows_given_away, rules_in_force, statement_made

CHECKS = (
    SubmissionCheck("S1", "only new paths", only_new_paths, reads=""),
    SubmissionCheck("S2", "names that agree, and are registered", names_that_agree),
    SubmissionCheck("S3", "files of their kind and size", files_of_their_kind, reads=""),
    SubmissionCheck("S4", "archives that open", archives_that_open),
    SubmissionCheck("S5", "bundles that verify", bundles_that_verify, reads="bundles"),
    SubmissionCheck("S6", "every question once", questions_each_once, reads="bundles"),
    SubmissionCheck("S7", "one plan, all of it", one_plan, reads="bundles"),
    SubmissionCheck("S8", "one product in one version", same_product_and_version, reads="bundles"),
    SubmissionCheck("S9", "settings as they were run", settings_as_run, reads="bundles"),
    SubmissionCheck("S10", "costs as recorded", costs_as_recorded, reads="bundles"),
    SubmissionCheck("S11", "nothing private, no texts", nothing_private, reads="bundles"),
    SubmissionCheck("S12", "questions to the submitter", questions_to_ask, reads="bundles"),
    SubmissionCheck("S13", "a statement", statement_made),
    SubmissionCheck("S14", "no other row moves", no_other_row_moves),
    SubmissionCheck("S15", "rules in force", rules_in_force),
    SubmissionCheck("S16", "rows that may be given away", rows_given_away),
)
