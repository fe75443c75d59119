#!/bin/sh
# Opens a pull request with the recordings that changed, or renews the one that is open.
#
#	propose.sh BRANCH TITLE BODY
#
# BODY is a file. Nothing is proposed when no recording changed.
set -eu
branch=$1 title=$2 body=$3

if [ -z "$(git status --porcelain -- recordings)" ]; then
	echo 'no recording changed'
	exit 0
fi
base=$(git rev-parse --abbrev-ref HEAD)
make docs
git config user.name 'github-actions[bot]'
git config user.email '41898282+github-actions[bot]@users.noreply.github.com'
git switch --force-create "$branch"
git add -- recordings docs/dialects
git commit --quiet --message "$title"
git push --quiet --force origin "$branch"

number=$(gh pr list --head "$branch" --base "$base" --state open --json number --jq '.[].number')
if [ -n "$number" ]; then
	gh pr edit "$number" --title "$title" --body-file "$body"
else
	gh pr create --head "$branch" --base "$base" --title "$title" --body-file "$body"
fi
