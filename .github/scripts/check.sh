#!/bin/sh
# Checks the tools of a repository, as action.yml does.
#
# The inputs are in the environment: FILES and TARGETS, one a line; SERVER, a command for a
# shell; CONFIG and BASELINE, files or empty; NORMALIZED, true or false; MIN_TOOLS, a number;
# and FORMAT, a format of verify report or empty. Without FILES and SERVER, toolproof.json
# determines what is checked. The reports are written to the folder REPORTS. The exit code is
# that of verify check, or 2 if a report cannot be made.
set -eu
verify=${VERIFY:-verify}
reports=${REPORTS:-$(mktemp -d)}

set -f # verify expands the patterns
IFS='
' # names are separated by newlines and may contain spaces
set --
for target in ${TARGETS:-}; do
	set -- "$@" --target "$target"
done
if [ "${NORMALIZED:-}" = true ]; then
	set -- "$@" --normalized
fi
for flag in "config ${CONFIG:-}" "baseline ${BASELINE:-}" "min-tools ${MIN_TOOLS:-}"; do
	if [ -n "${flag#* }" ]; then
		set -- "$@" "--${flag%% *}=${flag#* }"
	fi
done

code=0
if [ -n "${SERVER:-}" ]; then
	"$verify" mcp --json "$@" -- sh -c "$SERVER" >"$reports/results.jsonl" || code=$?
else
	for file in ${FILES:-}; do
		case $file in
		-?*) file=./$file ;; # a file, not a flag
		esac
		set -- "$@" "$file"
	done
	"$verify" check --json "$@" >"$reports/results.jsonl" || code=$?
fi

# A report ends with 2 if the check does, or if it cannot be made; then the step fails. A check that
# failed before its first result has none.
made=yes
report() { "$verify" report "$@" "$reports/results.jsonl" || [ $? -ne 2 ] || made=no; }
if [ -s "$reports/results.jsonl" ]; then
	report
	report --format github
	report --format markdown >"$reports/comment.md"
	report --format sarif >"$reports/results.sarif"
	cat "$reports/comment.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
	{
		echo "comment=$reports/comment.md"
		echo "sarif=$reports/results.sarif"
	} >>"${GITHUB_OUTPUT:-/dev/null}"
fi
[ "$made" = yes ] || code=2
conforms=true
[ "$code" -eq 0 ] || conforms=false
echo "conforms=$conforms" >>"${GITHUB_OUTPUT:-/dev/null}"
if [ -n "${FORMAT:-}" ]; then
	case $FORMAT in
	*[!a-z]*)
		echo "check.sh: the format must consist of lower-case letters" >&2
		exit 2
		;;
	esac
	"$verify" report --format "$FORMAT" "$reports/results.jsonl" >"$reports/report.$FORMAT" || [ $? -ne 2 ] || exit 2
	echo "report=$reports/report.$FORMAT" >>"${GITHUB_OUTPUT:-/dev/null}"
fi
exit "$code"
