#!/bin/sh
# Refuses to publish from a repository other than the one that go.mod names: the
# packages have its address, and registries compare it with where they come from.
#
#	hosted.sh HOST/OWNER/NAME
set -eu
module=$(go list -m)
if [ "$module" != "$1" ]; then
	echo "go.mod names $module, and this is $1" >&2
	echo "hint: run make module PATH=$1, and commit what it changes" >&2
	exit 1
fi
