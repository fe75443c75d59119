GO ?= go
GOLANGCI_LINT = $(GO) tool -modfile=lab/linters/golangci-lint/go.mod golangci-lint
ACTIONLINT = $(GO) tool -modfile=lab/linters/actionlint/go.mod actionlint
FUZZTIME ?= 10s

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# GOGC saves a third of the CPU, which garbage collection would take, for 2 GB of memory. make
# lint vets.
TEST = GOGC=400 $(GO) test -vet=off

# PACKAGES has each package after those that it imports, so that the first results come early.
PACKAGES = $(shell $(GO) list -deps -f '{{with .Module}}{{if .Main}}{{$$.ImportPath}}{{end}}{{end}}' ./...)

# CLIENTS are the packages that link the SDK of OpenAI or Anthropic, in their tests at least. To compile
# these two SDKs takes a third of the CPU of the first run, and half of its disk.
CLIENTS = $(shell $(GO) list -test -f '{{.ImportPath}} {{.Deps}}' ./... | sed -nE '/openai-go|anthropic-sdk-go/s/(_test|\.test)? .*//p' | sort -u)
LIGHT = $(TEST) -short $(filter-out $(CLIENTS),$(PACKAGES))

.PHONY: test
test: ## Run all tests offline; long sweeps take a fixed share of their cases
	@echo 'make test: tests what links no SDK of a provider, with up to 3.5 GB of memory: a minute, and two more the first time, to compile'
	@failed=; $(LIGHT) || failed=1; \
	echo 'make test: tests what links an SDK: half a minute, and one or two more the first time, to compile'; \
	$(TEST) -short $(filter $(CLIENTS),$(PACKAGES)) && [ -z "$$failed" ]

.PHONY: light
light: ## Run the tests of the packages that link no SDK of a provider, as make test does first
	@echo 'make light: tests what links no SDK of a provider, with up to 3.5 GB of memory: a minute, and two more the first time, to compile'
	@$(LIGHT)

.PHONY: whole
whole: ## Run all tests offline with every case of each sweep
	@echo 'make whole: tests every case of each sweep, which takes several times as long as make test'
	$(TEST) ./...

.PHONY: race
race: ## Run all tests with the race detector
	$(GO) test -race ./...

# If TOOLPROOF_CORPUS is set, a missing file is a failure and not a skipped test.
.PHONY: corpus
corpus: export TOOLPROOF_CORPUS := $(abspath $(or $(TOOLPROOF_CORPUS),../shared/corpus))
corpus: ## Check every tool of the corpus on every target, and the models of engines against their answers (TOOLPROOF_CORPUS is its folder)
	$(GO) test -count=1 -run Corpus ./harness ./harness/emulator ./harness/live -every-tool
	$(GO) test -count=1 -run 'Corpus|Agrees|Evidence' ./harness/provider/... ./lab/calibrate

.PHONY: growth
growth: ## Measure how the work grows with hostile tools four times as large, on every target
	$(GO) test -count=1 -run TestWorkGrows ./harness -growth

# The packages of before and now get folders of their own, with a copy of the clients.
.PHONY: conformance
conformance: ## Run the clients of lab/clients/conformance through all scenarios, write docs/conformance.md and print what differs (needs Node 20.19)
	@cd lab/clients && npm ci --ignore-scripts >&2
	@cd lab/clients/frameworks && npm ci --ignore-scripts --omit=optional >&2
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; \
	$(GO) build -o $$folder/verify ./cmd/verify; $(GO) build -o $$folder/goclients ./lab/clients/conformance/go; \
	for packages in before now; do \
		cp -r lab/clients/conformance/$$packages $$folder; cp lab/clients/conformance/*.mjs $$folder/$$packages; \
		(cd $$folder/$$packages && npm ci --ignore-scripts --legacy-peer-deps >&2); \
	done; \
	node lab/clients/conformance/run.mjs $$folder

.PHONY: clients
clients: ## Call tools through the emulator with third-party clients and compare with lab/clients/README.md; UPDATE=1 writes it (needs Node 20)
	cd lab/clients && npm ci --ignore-scripts
	cd lab/clients/frameworks && npm ci --ignore-scripts --omit=optional
	@set -e; folder=$$(mktemp -d); trap 'kill $$pid; rm -r $$folder' EXIT; \
	$(GO) build -o $$folder/verify ./cmd/verify; \
	$$folder/verify serve >$$folder/url & pid=$$!; \
	until [ -s $$folder/url ]; do kill -0 $$pid; sleep 0.1; done; \
	export EMULATOR_URL=$$(cat $$folder/url) VERIFY=$$folder/verify; (cd lab/clients && npm test); cd lab/clients/frameworks && npm test

# The corpus is a file of compressed JSON Lines, of which the library judges one tool in EVERY.
.PHONY: library
library: ## Install the library for JavaScript from its file, compare it with the command, and run its adapters against the emulator (needs Node 20.19)
	cd lab/clients/library && npm ci --ignore-scripts
	@set -e; folder=$$(mktemp -d); trap 'kill $$pid; rm -r $$folder' EXIT; $(RELEASE); \
	"$$folder/release" -folder "$$folder/dist" -library; \
	$(GO) build -o $$folder/verify ./cmd/verify; \
	$$folder/verify serve >$$folder/url & pid=$$!; \
	until [ -s $$folder/url ]; do kill -0 $$pid; sleep 0.1; done; \
	cd lab/clients/library; npm install --no-save --ignore-scripts --omit=optional "$$folder"/dist/npm/*.tgz; \
	EMULATOR_URL=$$(cat $$folder/url) VERIFY=$$folder/verify TOOLS="$(abspath $(TOOLS))" EVERY=$(EVERY) npm test

.PHONY: runtimes
runtimes: ## Run the library for JavaScript in Node 24, Deno, an edge worker and Chromium, if that is installed (needs Node 20.19, on Linux and x64)
	cd lab/clients/runtimes && npm ci --ignore-scripts
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; $(RELEASE); \
	"$$folder/release" -folder "$$folder/dist" -library; \
	cd lab/clients/runtimes; mkdir -p node_modules/@owner/toolproof; \
	tar -xzf "$$folder"/dist/npm/*.tgz -C node_modules/@owner/toolproof --strip-components=1; \
	npm test

.PHONY: clients-python
clients-python: ## Record what the clients for Python are answered (PYTHON needs lab/clients/python/requirements.txt)
	@set -e; folder=$$(mktemp -d); trap 'kill $$pid; rm -r $$folder' EXIT; \
	$(GO) build -o $$folder/verify ./cmd/verify; \
	$$folder/verify serve >$$folder/url & pid=$$!; \
	until [ -s $$folder/url ]; do kill -0 $$pid; sleep 0.1; done; \
	EMULATOR_URL=$$(cat $$folder/url) VERIFY=$$folder/verify $(or $(PYTHON),python3) lab/clients/python/record_test.py

.PHONY: servers
servers: ## Check the tools of third-party MCP servers, and run them with and without verify wrap (needs Node 20.19)
	cd lab/clients/servers && npm ci --ignore-scripts
	$(GO) test -count=1 -run '^Test(Servers|WrappedServers|WrapResumes)$$' -v ./cmd/verify

.PHONY: recipes
recipes: ## Run the recipes in docs/export.md (needs Node 20; TOOLPROOF_PYTHON is a Python with pydantic)
	cd lab/clients/recipes && npm ci --ignore-scripts
	cd lab/clients/recipes/zod3 && npm ci --ignore-scripts
	$(GO) test -count=1 -run TestRecipes -v ./cmd/verify

.PHONY: agents
agents: ## Run agents from npm with tricky tools and compare with docs/clients.json; UPDATE=1 writes it (needs npm and 3 GB; Node 24 comes with it on Linux)
	cd lab/clients/agents && npm install --no-save --ignore-scripts # npm ci wants the optional packages of all systems, and some are not on npm
	cd lab/clients/agents && npm rebuild --ignore-scripts=false @anthropic-ai/claude-code cline opencode-ai # puts programs in place
	$(GO) test -count=1 -run TestAgents -timeout 100m -v ./cmd/verify
	PATH="$$PWD/lab/clients/agents/node_modules/.bin:$$PATH" $(GO) test -count=1 -run TestTogether -timeout 20m -v ./harness/agent
	$(if $(UPDATE),$(MAKE) pages)

.PHONY: gateways
gateways: ## Send tricky tools through gateways from npm and compare with docs/gateways.json; UPDATE=1 writes it (needs npm; Node 24 comes with it on Linux)
	cd lab/clients/gateways && npm ci
	$(GO) test -count=1 -run TestGateways -timeout 30m -v ./cmd/verify-lab
	$(if $(UPDATE),$(MAKE) pages)

# TOOLS is a file of compressed JSON Lines with tools that the referees judge besides the
# fixtures, one in EVERY of them. EVERY=1 judges all, which takes a quarter of an hour. The
# referees also judge tools that do not conform, which make test reports.
TOOLS ?= $(wildcard $(or $(TOOLPROOF_CORPUS),../shared/corpus)/tools.jsonl.gz)
EVERY ?= 40
GOOGLE = gemini gemini-json gemini-response gemini-response-json vertex gemini-openai portable

.PHONY: referees
referees: ## Judge the fixtures, and one in EVERY tools of TOOLS, with protojson and ajv (needs Node 20)
	cd lab/referees/ajv && npm ci
	cd lab/referees/mcp-clients && npm ci --ignore-scripts
	$(GO) run ./lab/referees/mcp-clients
	$(GO) run ./lab/referees/mcp-registry
	@echo 'make referees: builds the referees and judges the fixtures and one in $(EVERY) tools, which takes minutes'
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; \
	$(GO) build -o $$folder/verify ./cmd/verify; \
	$(GO) build -o $$folder/ajv ./lab/referees/ajv; \
	(cd lab/referees/protojson && $(GO) test . && $(GO) build -o $$folder/protojson .); \
	$$folder/verify --json --requests >$$folder/lines.jsonl || [ $$? -eq 1 ]; \
	$$folder/protojson -complete $$folder/lines.jsonl; \
	$$folder/verify check --json --requests --target gemini --target vertex lab/referees/protojson/testdata/contents.jsonl >$$folder/lines.jsonl || [ $$? -eq 1 ]; \
	$$folder/protojson $$folder/lines.jsonl; \
	if [ -n "$(TOOLS)" ]; then \
		gzip -dc "$(TOOLS)" >$$folder/all.jsonl; \
		awk 'NR % $(EVERY) == 1 % $(EVERY)' $$folder/all.jsonl >$$folder/tools.jsonl; \
		$$folder/verify check --json --requests $(GOOGLE:%=--target %) $$folder/tools.jsonl >$$folder/lines.jsonl || [ $$? -eq 1 ]; \
		$$folder/protojson $$folder/lines.jsonl; \
		$$folder/ajv $$folder/tools.jsonl; \
	else \
		echo "no tools besides the fixtures: TOOLS names none"; \
		$$folder/ajv; \
	fi

.PHONY: engines
engines: ## Compare the models of engines with the engines' own code, on the fixtures and one in EVERY tools of TOOLS (needs Node 20 and a C++ compiler; fetches 23 MB of wllama)
	@set -- $${CXX:-g++}; command -v "$$1" >/dev/null || { echo "make engines needs a C++ compiler, and $$1 is none: install g++, or name another in CXX" >&2; exit 1; }
	cd lab/referees/engines/xgrammar && npm ci --ignore-scripts
	cd lab/referees/engines/wllama && npm ci --ignore-scripts
	@echo 'make engines: builds the code of the engines, which takes minutes, and compares the models with it'
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; \
	$(GO) build -o $$folder/engines ./lab/referees/engines; \
	(cd lab/referees/engines/ollama && $(GO) build -o $$folder/ollama .); \
	tools=; if [ -n "$(TOOLS)" ]; then tools=$$folder/some.jsonl; gzip -dc "$(TOOLS)" | awk 'NR % $(EVERY) == 1 % $(EVERY)' >$$tools; fi; \
	$$folder/engines -fixtures >$$folder/tools.jsonl; \
	[ -z "$$tools" ] || cat $$tools >>$$folder/tools.jsonl; \
	$$folder/ollama <$$folder/tools.jsonl >$$folder/ollama.jsonl; \
	$$folder/engines -surface ollama/chat $$folder/tools.jsonl $$folder/ollama.jsonl; \
	GO="$(GO)" lab/referees/engines/llamacpp/build $$folder/llamacpp; \
	$$folder/llamacpp <$$folder/tools.jsonl >$$folder/llamacpp.jsonl; \
	$$folder/engines -surface llamacpp/chat -as-of 2025-12-18 $$folder/tools.jsonl $$folder/llamacpp.jsonl; \
	node lab/referees/engines/wllama/referee.js <$$folder/tools.jsonl >$$folder/wllama.jsonl; \
	$$folder/engines -surface llamacpp/chat $$folder/tools.jsonl $$folder/wllama.jsonl; \
	node lab/referees/engines/wllama/referee.js response_format <$$folder/tools.jsonl >$$folder/wllama.jsonl; \
	$$folder/engines -surface llamacpp/response_format $$folder/tools.jsonl $$folder/wllama.jsonl; \
	$(GO) run ./lab/referees/engines/xgrammar $$tools

.PHONY: versions
versions: ## Compare consecutive versions of twenty MCP servers from npm, with ajv as referee (needs Node 20)
	cd lab/referees/ajv && npm ci
	@echo 'make versions: installs and starts a hundred versions of servers, which takes ten minutes the first time'
	$(GO) run ./lab/referees/ajv -versions lab/referees/ajv/versions.json

.PHONY: history
history: ## Measure versions of SDKs, normalizers, engines, servers and agents that docs/history lacks (needs Node 20; agents need 3 GB; ONLY names packages and modules)
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; \
	$(GO) build -o $$folder/verify ./cmd/verify; \
	$(GO) run ./cmd/verify-lab history --verify $$folder/verify $(ONLY)

# All rows of other projects' normalizers are written to docs/peers.json; with ROW one row is
# printed tool by tool.
.PHONY: peers
peers: ## Judge other projects' normalizers and ours on the same tools (needs Node 20; ROW='NAME on SURFACE' prints one row)
	cd lab/adapters/npm && npm ci --ignore-scripts
	cd lab/adapters/npm/zod3 && npm ci --ignore-scripts
	@echo 'make peers: builds the normalizers of other projects and judges each tool of theirs, which takes minutes'
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; \
	mkdir $$folder/go; (cd lab/adapters/go && $(GO) build -o $$folder/go ./cmd/...); \
	$(GO) run ./cmd/verify-lab peers --go $$folder/go $(if $(ROW),--row '$(ROW)',--docs docs)

.PHONY: pages
pages: ## Make docs/peers.json again from the measurements of normalizers, agents and gateways
	$(GO) run ./cmd/verify-lab peers --pages --docs docs

# The output is Markdown, and empty if only times differ.
.PHONY: differs
differs: ## Show how the measurements of agents, gateways and normalizers in docs differ from those in the folder OLD
	@$(GO) run ./cmd/verify-lab peers --since "$(OLD)" --docs docs

# The counts are for each group of the corpus as of today, and for the group npm also as of
# earlier days.
.PHONY: stats
stats: ## Count what each dialect does to the tools of the corpus and write docs/stats.json
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; \
	$(GO) build -o $$folder/verify-lab ./cmd/verify-lab; \
	group() { gzip -dc "$(or $(TOOLPROOF_CORPUS),../shared/corpus)/tools.jsonl.gz" | grep "\"group\": *\"$$1\""; }; \
	{ group npm | $$folder/verify-lab stats --json --label npm --as-of 2024-07,2025-01,2025-07,2026-01,2026-07 -; \
	for name in npm live bench openapi; do group $$name | $$folder/verify-lab stats --json --label $$name -; done; } >docs/stats.json

# It measures the half of the servers on which the estimate was not tuned.
.PHONY: tokens
tokens: ## Compare the estimate of tokens with a tokenizer on the npm tools of TOOLS and write docs/advice/estimate.json
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; \
	(cd lab/referees/tokens && $(GO) test . && $(GO) build -o $$folder/tokens .); \
	gzip -dc "$(TOOLS)" | grep '"group":"npm"' | $$folder/tokens -half 1 >$$folder/errors.json; \
	cat $$folder/errors.json; cp $$folder/errors.json docs/advice/estimate.json

.PHONY: fixtures
fixtures: ## Replay every fixture against every dialect, offline
	@echo 'make fixtures: compiles verify, which takes a minute the first time, and replays the fixtures in some seconds'
	$(GO) run ./cmd/verify

.PHONY: lint
lint: ## Check the code and the workflows (the first run builds the linters, which takes minutes)
	@echo 'make lint: builds the linters, which takes minutes the first time, and checks all packages'
	$(GOLANGCI_LINT) run ./...
	$(ACTIONLINT) .github/workflows/*.yml

.PHONY: fmt
fmt: ## Format the code
	$(GOLANGCI_LINT) fmt ./...

.PHONY: bench
bench: ## Print the table of docs/performance.md, measured anew (BENCHFLAGS=-docs=docs/performance.md writes it)
	$(GO) run ./lab/bench $(BENCHFLAGS) $(TOOLS)

# The version of a release is its tag.
VERSION ?= v0.0.0
RELEASE = (cd lab/release && $(GO) build -o "$$folder/release" .)

.PHONY: release
release: ## Build all files of a release for every platform into dist, without publishing them (VERSION=v1.2.3)
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; $(RELEASE); \
	"$$folder/release" -version $(VERSION) -folder dist

.PHONY: packages
packages: ## Build the packages for this machine, install and run each, and build them again (needs Node 20; PACKAGEFLAGS='-docs ../../docs/install.md' writes the table)
	@echo 'make packages: builds the packages twice, installs and runs each, which takes minutes'
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; $(RELEASE); \
	"$$folder/release" -folder "$$folder/dist" -platform $$($(GO) env GOOS)/$$($(GO) env GOARCH); \
	(cd lab/release && $(GO) test -count=1 -timeout 30m . -packages "$$folder/dist" $(PACKAGEFLAGS))
	$(GO) test -count=1 ./lab/module -build

# An environment that sees the packages of TOOLPROOF_PYTHON also runs the tests that need them.
.PHONY: python
python: ## Install the wheel with the library for Python into an empty environment and run its tests and docs/python.md (needs Python 3.9; TOOLPROOF_PYTHON is a Python with pytest, pydantic and mypy)
	@set -e; folder=$$(mktemp -d); trap 'rm -r $$folder' EXIT; $(RELEASE); \
	"$$folder/release" -folder "$$folder/dist" -platform $$($(GO) env GOOS)/$$($(GO) env GOARCH) -wheel; \
	installed() { \
		"$$1" -m venv $$3 "$$folder/$$2"; "$$folder/$$2/bin/pip" install --quiet --no-index --disable-pip-version-check "$$folder"/dist/pypi/*.whl; \
		(cd packages/python/tests && "$$folder/$$2/bin/python" -B -m unittest); \
	}; \
	installed python3 empty; if [ -n "$(TOOLPROOF_PYTHON)" ]; then installed "$(TOOLPROOF_PYTHON)" full --system-site-packages; fi

# For this target PATH is the path of the module, but to a shell it is the search path, which is
# therefore restored here. MODULE means the same without that problem.
ifeq ($(origin PATH),command line)
MODULE := $(PATH)
override PATH := $(shell if [ "$$PATH" = '$(MODULE)' ]; then /bin/sh -lc 'echo "$$PATH"'; else echo "$$PATH"; fi)
endif

.PHONY: module
module: ## Set the path of the module, which is also the address of the repository (PATH=host/owner/name)
	@sh lab/module/module.sh '$(MODULE)'

.PHONY: fuzz
fuzz: ## Run each fuzz test for FUZZTIME (10s)
	@set -e; \
	grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | while read -r package; do \
		for target in $$($(GO) test -list '^Fuzz' "$$package" | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "$$package" </dev/null; \
		done; \
	done

SITE ?= site

.PHONY: site
site: playground ## Make the website with the playground in the folder SITE (needs Node 20)
	$(GO) run ./cmd/verify-lab site --source "https://$$(sh lab/module/module.sh)" "$(SITE)"

# The playground is the engine as WebAssembly, the scripts that start it, and the bundle of its
# page. Without inlining the compressed engine is a fifth smaller and hardly slower. make site
# makes the page itself once these files are there.
.PHONY: playground
playground:
	cd lab/site/playground && npm ci --ignore-scripts
	mkdir -p "$(SITE)/playground"
	GOOS=js GOARCH=wasm $(GO) build -trimpath -gcflags=all=-l -ldflags='-s -w' -o "$(SITE)/playground/engine.wasm" ./lab/playground/engine
	gzip -9 -n -f "$(SITE)/playground/engine.wasm"
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" lab/site/playground/worker.js lab/site/playground/playground.css "$(SITE)/playground"
	cd lab/site/playground && npx esbuild page.js --bundle --minify --format=esm --target=es2022 --log-level=warning --outfile="$(abspath $(SITE))/playground/playground.js"

# CHROMIUM names the browser if it is not that of Debian's package, and SCREENSHOTS a folder for
# screenshots. The report has 300 tools of the fixtures.
.PHONY: browser
browser: ## Check each kind of page in Chromium: light and dark, wide and narrow (needs Chromium and Node 20)
	@echo 'make browser: makes the site, and then looks at each page, which takes minutes'
	cd lab/browser && npm ci --ignore-scripts
	@set -e; folder=$$(mktemp -d); trap 'kill $$pid 2>/dev/null || true; rm -r $$folder' EXIT; \
	$(GO) build -o $$folder ./cmd/verify ./cmd/verify-lab; \
	$(MAKE) playground SITE=$$folder/site; \
	$$folder/verify-lab site --source "https://$$(sh lab/module/module.sh)" $$folder/site; \
	$(GO) run ./lab/referees/engines -fixtures >$$folder/all.jsonl; \
	awk 'NR % 4 == 1' $$folder/all.jsonl | head -n 300 >$$folder/tools.jsonl; \
	if [ -n "$(TOOLS)" ]; then gzip -dc "$(TOOLS)"; else cat $$folder/all.jsonl; fi | awk 'NR % 60 == 1' | head -n 200 >$$folder/sample.jsonl; \
	for form in html json; do $$folder/verify check --format $$form $$folder/tools.jsonl >$$folder/site/report.$$form || [ $$? -eq 1 ]; done; \
	$$folder/verify check --format json --as-of 2025-01-01 $$folder/tools.jsonl >$$folder/before.json || [ $$? -eq 1 ]; \
	$$folder/verify compare --html $$folder/before.json $$folder/site/report.json >$$folder/site/flips.html || [ $$? -eq 1 ]; \
	$$folder/verify --format html >$$folder/site/fixtures.html; \
	$$folder/verify serve >$$folder/url & pid=$$!; \
	until [ -s $$folder/url ]; do kill -0 $$pid; sleep 0.1; done; \
	curl -fsS -o /dev/null -d '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}' $$(cat $$folder/url)/v1/chat/completions; \
	cd lab/browser && BROWSER_SITE=$$folder/site BROWSER_EMULATOR=$$(cat $$folder/url) BROWSER_VERIFY=$$folder/verify BROWSER_TOOLS=$$folder/sample.jsonl $(GO) test -count=1 -timeout 20m .

.PHONY: docs
docs: ## Make the pages in docs/generated and the schema of toolproof.json again
	$(GO) run ./cmd/verify-lab docs ./docs

.PHONY: data
data: ## Write the package of data for npm and Go to the folder dist-data
	$(GO) run ./cmd/verify-lab data --address "$$(sh lab/module/module.sh)" dist-data

.PHONY: calibrate
calibrate: ## Compare the models with EVIDENCE, files of JSON Lines; the agreement must not get worse
	$(GO) run ./cmd/verify-lab calibrate --baseline docs/calibration.json $(EVIDENCE)

.PHONY: generate
generate: docs ## Make what docs makes, and the descriptors of the Google models from Google's module
	cd harness/provider/google/descriptor/generate && $(GO) run .
