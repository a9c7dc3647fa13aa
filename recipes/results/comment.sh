#!/usr/bin/env bash
# Post what a check left. The report is a stranger's: it is data, bounded, held against its schema and drawn anew.
# Run it from the default branch; nothing of the change is checked out, and nothing of it is run.
#
#   REPORT  the folder that the check left           (default: check-report)
#   HEAD    whose change it is, as OWNER:BRANCH
#   REPO    where it was proposed, as OWNER/NAME
set -euo pipefail
report=${REPORT:-check-report}/check.json
head=${HEAD:?name the change, OWNER:BRANCH}
if [ ! -f "$report" ] || [ -L "$report" ]; then
  echo "There is no report: no submission was touched, or none could be read."
  exit 0
fi
if [ "$(wc -c <"$report")" -gt 1048576 ]; then
  echo "The report is larger than a report can be; nothing is posted."
  exit 1
fi
body=$(mktemp)
trap 'rm -f "$body"' EXIT
memgauge results comment "$report" --format markdown >"$body"
if [ "$(wc -m <"$body")" -gt 60000 ]; then
  echo "The comment is longer than a page takes; nothing is posted. It is in the summary of the check."
  exit 1
fi
gh pr comment "$head" --repo "${REPO:?name the repository, OWNER/NAME}" --body-file "$body"
