# `make help` lists the targets. Each works from a clean checkout; tools come through the Go module
# proxy at the versions below, and nothing is installed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --warn-undefined-variables
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Our build tags: the tests run once with each, vet and fix look at each.
TAGS := wirespool_poison purego wirespool_stdjson
PLATFORMS := linux/amd64 linux/arm64 linux/386 linux/s390x darwin/arm64 windows/amd64
# Those that can make a difference to modules without code of their own for a processor.
PLATFORMS_NESTED := linux/386 darwin/arm64 windows/amd64
# Packages that the race detector would only slow down: one reads source, the others run the bodies
# of benchmarks, whose parts have tests of their own.
NO_RACE := /internal/archtest$$|/bench/peers(/cmd/wirebench)?$$
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

# Executions of each fuzz target; empty divides FUZZ_TOTAL among those found.
FUZZ_COUNT ?=
FUZZ_TOTAL ?= 2000000
# Time or count (like 100x) of each benchmark, and which benchmarks run.
BENCH_TIME ?= 1s
BENCH ?= .

each := .ci/each
packages := "$(CURDIR)/.ci/packages"

.PHONY: help
help: ## list the targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/p' Makefile | awk -F'\t' '{printf "%-14s %s\n", $$1, $$2}'

.PHONY: test
test: ## run the tests of every module, with the race detector, in random order
	$(each) $(packages) -v '$(NO_RACE)' go test -race -shuffle=on
	$(each) $(packages) '$(NO_RACE)' go test -shuffle=on

.PHONY: check
check: vet fmt fix tidy arch staticcheck vuln tags cross test-386 ## run every check but race and fuzz

.PHONY: vet
vet: ## go vet, once for each build tag
	for tag in '' $(TAGS); do $(each) go vet -tags="$$tag" ./...; done

.PHONY: fmt
fmt: ## fail where gofmt would change a file
	files=$$(find . -name '*.go' -not -path '*/testdata/*'); test -n "$$files"; \
	out=$$(gofmt -l $$files); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

.PHONY: fix
fix: ## fail where go fix would modernize a file, for each build tag
	for tag in '' $(TAGS); do $(each) go fix -diff -tags="$$tag" ./...; done

.PHONY: tidy
tidy: ## fail where go mod tidy would change a module
	$(each) go mod tidy -diff

.PHONY: arch
arch: ## check import direction, requirements and the look of files
	go test -count=1 ./internal/archtest

.PHONY: staticcheck
staticcheck: ## run staticcheck
	$(each) go run $(STATICCHECK) ./...

.PHONY: vuln
vuln: ## run govulncheck, where its database can be reached
	$(each) "$(CURDIR)/.ci/vuln" $(GOVULNCHECK)

.PHONY: tags
tags: ## run the tests once with each build tag; nested modules see no difference but in who keeps what is borrowed
	$(each) go test -shuffle=on -tags=wirespool_poison ./...
	for tag in $(filter-out wirespool_poison,$(TAGS)); do go test -shuffle=on -tags="$$tag" ./...; done

.PHONY: cross
cross: ## build and vet for every supported platform
	for p in $(PLATFORMS); do \
		export CGO_ENABLED=0 GOOS="$${p%/*}" GOARCH="$${p#*/}"; \
		echo "$$p"; go build ./...; go vet ./...; \
	done
	for p in $(PLATFORMS_NESTED); do \
		export CGO_ENABLED=0 GOOS="$${p%/*}" GOARCH="$${p#*/}"; \
		echo "$$p, every module"; $(each) go vet ./...; \
	done

.PHONY: test-386
test-386: ## run the tests as 32-bit programs
	CGO_ENABLED=0 GOOS=linux GOARCH=386 go test -shuffle=on ./...

.PHONY: fuzz
fuzz: ## fuzz every target there is, a fixed number of executions each
	.ci/fuzz "$(FUZZ_COUNT)" "$(FUZZ_TOTAL)"

.PHONY: fuzz-long
fuzz-long: ## the same for a night: a hundred times as many
	.ci/fuzz '' "$(FUZZ_TOTAL)00"

.PHONY: bench
bench: ## run the benchmarks one after the other (BENCH=regexp BENCH_TIME=1s)
	$(each) go test -run='^$$' -bench='$(BENCH)' -benchtime=$(BENCH_TIME) -benchmem ./...

.PHONY: bench-quick
bench-quick: ## run each benchmark once, to see that it still works
	$(each) go test -run='^$$' -bench=. -benchtime=1x ./...

.PHONY: bench-ratios
bench-ratios: ## compare with peers and limits in two minutes: tables of ratios, verdicts on the targets
	cd bench/peers && go run ./cmd/wirebench -quick -within 2m

.PHONY: bench-write
bench-write: ## the same in forty minutes on a quiet machine: writes docs/benchmarks.md, docs/profiles.md, plots
	cd bench/peers && go run ./cmd/wirebench -write ../../docs

.PHONY: bench-bridges
bench-bridges: ## compare wirespool serve with bridges from npm: a table of ratios, in three minutes
	bench/peers/bridges/run

.PHONY: bench-bridges-write
bench-bridges-write: ## the same on a quiet machine: writes docs/benchmarks-bridges.md
	bench/peers/bridges/run --write docs/benchmarks-bridges.md

.PHONY: conformance
conformance: ## run the official MCP conformance suite, server and client, and peers of others
	.ci/conformance/run

.PHONY: compat
compat: ## test the adapters with the newest releases of their SDKs, where the module proxy can be reached
	for dir in adapter/*/; do (cd "$$dir"; "$(CURDIR)/.ci/compat"); done

.PHONY: browser
browser: ## have a real browser read event streams, where Chromium is installed
	browser=$$(command -v chromium || command -v chromium-browser || command -v google-chrome || true); \
	if [ -z "$$browser" ]; then echo "browser: skipped, there is no Chromium"; exit 0; fi; \
	WIRESPOOL_BROWSER="$$browser" go test -count=1 -v ./internal/browsertest

.PHONY: proxy
proxy: ## send event streams through a real proxy, where nginx is installed
	nginx=$$(PATH="$$PATH:/usr/sbin" command -v nginx || true); \
	if [ -z "$$nginx" ]; then echo "proxy: skipped, there is no nginx"; exit 0; fi; \
	WIRESPOOL_NGINX="$$nginx" go test -count=1 -v -parallel=16 ./internal/proxytest

.PHONY: clean
clean: ## remove what builds, tests and benchmarks leave behind
	rm -f wirespool
	rm -rf bench/out
	find . -type f \( -name '*.test' -o -name '*.prof' -o -name '*.pprof' -o -name '*.out' \) \
		-not -path './.git/*' -not -path '*/testdata/*' -delete
