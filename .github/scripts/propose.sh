#!/bin/sh
# Opens a pull request with changed files, or updates the open one.
#
#	propose.sh BRANCH TITLE BODY PATH...
#
# BODY is a file. The changes below each PATH are proposed after make docs. If there are none,
# nothing happens.
set -eu
branch=$1 title=$2 body=$3
shift 3

if [ -z "$(git status --porcelain -- "$@")" ]; then
	echo 'nothing changed'
	exit 0
fi
base=$(git rev-parse --abbrev-ref HEAD)
make docs
git config user.name 'github-actions[bot]'
git config user.email '41898282+github-actions[bot]@users.noreply.github.com'
git switch --force-create "$branch"
git add -- "$@"
git commit --quiet --message "$title"
git push --quiet --force origin "$branch"

number=$(gh pr list --head "$branch" --base "$base" --state open --json number --jq '.[].number')
if [ -n "$number" ]; then
	gh pr edit "$number" --title "$title" --body-file "$body"
else
	gh pr create --head "$branch" --base "$base" --title "$title" --body-file "$body"
fi
