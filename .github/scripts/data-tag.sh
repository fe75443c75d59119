#!/bin/sh
# Pushes a tag of the Go module with the data, on a commit of its own: the branches do not have
# the data, which a command makes. A tag that exists stays as it is.
#
#	data-tag.sh FOLDER
set -eu
folder=$1

version=$(sed -n 's/^  *"version": "\(.*\)",$/\1/p' "$folder/package.json")
tag=data/v$version
if [ -n "$(git ls-remote --tags origin "refs/tags/$tag")" ]; then
	echo "$tag is published"
	exit
fi
cp -R "$folder" data
git add --force data
git -c user.name=release -c user.email=release@localhost commit --quiet --message "data: $version"
git tag "$tag"
git push --quiet origin "refs/tags/$tag"
