#!/bin/sh
# Writes what each program of a release is made of, as a bill of materials.
#
#	sbom.sh FOLDER
#
# FOLDER has the programs and checksums.txt, as build.sh makes them. Each program gets a
# file beside it, in the format CycloneDX, of the modules that Go has built into it; the
# checksums get a line for each file.
set -eu
cd "$1"

for program in verify-*; do
	case $program in *.json) continue ;; esac
	modules=$(go version -m "$program")
	# Paths and versions of modules have no letter that JSON would escape.
	printf '%s\n' "$modules" | awk -F '\t' '
	function flush() {
		if (name == "")
			return
		part = sprintf("{\"type\": \"%s\", \"name\": \"%s\", \"version\": \"%s\", \"purl\": \"pkg:golang/%s@%s\"}", type, name, version, name, version)
		if (type == "application")
			root = part
		else
			parts = parts (parts == "" ? "" : ",") "\n    " part
		name = ""
	}
	$2 == "mod" || $2 == "dep" { flush(); type = $2 == "mod" ? "application" : "library"; name = $3; version = $4 }
	$2 == "=>" { name = $3; version = $4 }
	$2 == "build" && $3 ~ /^GO(OS|ARCH)=/ { split($3, setting, "="); platform = platform (platform == "" ? "" : "/") setting[2] }
	END {
		flush()
		if (root == "") {
			print "there is no module in it" >"/dev/stderr"
			exit 1
		}
		printf "{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.6\",\n  \"version\": 1,\n"
		printf "  \"metadata\": {\"component\": %s, \"properties\": [{\"name\": \"platform\", \"value\": \"%s\"}]},\n", root, platform
		printf "  \"components\": [%s\n  ]\n}\n", parts
	}' >"$program.cdx.json"
	sha256sum "$program.cdx.json" >>checksums.txt
done
