#!/bin/sh
# Publishes the image of a release under each reference.
#
#	image-publish.sh IMAGE.tar REFERENCE...
set -eu
image=$1
shift

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
tar -xf "$image" -C "$folder"
for reference in "$@"; do
	go tool -modfile=lab/release/go.mod crane push --index "$folder" "$reference"
done
