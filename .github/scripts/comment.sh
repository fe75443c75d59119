#!/bin/sh
# Writes the comment of this action on a pull request, or updates it if there is one.
#
#	comment.sh NUMBER FILE
#
# The environment must have GITHUB_REPOSITORY, and what gh needs.
set -eu
number=$1 file=$2
mark='<!-- toolproof -->'
longest=60000 # bytes; GitHub accepts 65,536 characters

body=$(mktemp)
trap 'rm -f "$body"' EXIT
{
	echo "$mark"
	head -c "$longest" "$file"
	if [ "$(wc -c <"$file")" -gt "$longest" ]; then
		printf '\n\nThe rest is in the summary of the run.\n'
	fi
} >"$body"

id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$number/comments" \
	--jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id" | head -n 1)
if [ -n "$id" ]; then
	gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body"
else
	gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$number/comments" --field "body=@$body"
fi
