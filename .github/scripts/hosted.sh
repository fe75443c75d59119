#!/bin/sh
# Refuses to publish from a repository other than the one that go.mod names. The packages
# contain its address, and registries compare that with the repository of the workflow.
#
#	hosted.sh HOST/OWNER/NAME
set -eu
module=$(go list -m)
if [ "$module" != "$1" ]; then
	echo "go.mod names $module, and this is $1" >&2
	echo "hint: run make module PATH=$1, and commit what it changes" >&2
	exit 1
fi
