#!/bin/sh
# Checks the tools of a repository, as action.yml does.
#
# The environment has the inputs: FILES and TARGETS, one a line or with spaces between
# them, NORMALIZED, true or false, and BASELINE, a file or empty. Without FILES the check
# goes by toolproof.json. It exits as verify check does.
set -eu
verify=${VERIFY:-verify}

set -f # patterns are expanded by verify
set --
for target in $TARGETS; do
	set -- "$@" --target "$target"
done
if [ "$NORMALIZED" = true ]; then
	set -- "$@" --normalized
fi
if [ -n "$BASELINE" ]; then
	set -- "$@" --baseline "$BASELINE"
fi
for file in $FILES; do
	case $file in
	-?*) file=./$file ;; # a file, and no flag
	esac
	set -- "$@" "$file"
done

results=$(mktemp)
trap 'rm -f "$results"' EXIT
code=0
"$verify" check --json "$@" >"$results" || code=$?
"$verify" report "$results" || true
"$verify" report --format github "$results" || true
"$verify" report --format markdown "$results" >>"${GITHUB_STEP_SUMMARY:-/dev/null}" || true
exit "$code"
