# Everything here works with Go, Git and make alone: no C compiler, no Docker.
# `make help` lists the targets.

export CGO_ENABLED := 0

BIN := .holdpoint/bin
TOOLS := temporal golangci-lint workflowcheck compose gitea mailpit

# Answers the demo's question: `make demo APPROVE=yes`.
export APPROVE
# Arguments for the demo.
ARGS ?=
# No package's tests may take longer than this, hanging processes included.
TEST_TIMEOUT ?= 20m

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo bench test lint vet workflowcheck compose-check mutate chaos race tools clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The demo takes make's place when it is built, so that its exit code counts
# and nothing stands between it and a Ctrl-C.
demo: | $(BIN) ## the weekly report, from notes to a written knowledge base (APPROVE=yes asks nothing)
	@echo 'building the demo (seconds; the first time minutes, for its modules)'
	@go build -o $(BIN)/demo ./internal/demo
	@exec $(BIN)/demo $(ARGS)

bench: tools ## what a run, an action, a claim, a signature, a flood and a thousand waiting runs cost (ten minutes)
	go test -run '^$$' -bench . ./approvals ./approvals/signature
	go test -run '^$$' -bench 'OneActionRun|RecoveryAfterKill' -benchtime 20x ./internal/e2e
	go test -run '^$$' -bench ApprovalInAFlood -benchtime 3x ./internal/e2e
	go test -run '^$$' -bench AThousandWaitingRuns -benchtime 1x ./internal/e2e
	go test -run '^$$' -bench . -benchtime 500x ./activities/effects ./activities/effects/sqlite ./activities/effects/postgres

chaos: tools ## the fire test: 1,000 runs on real systems, workers killed 300 times, counted at the targets (half an hour)
	go run ./internal/chaos $(ARGS)

# The checks come first: with their tools built they are quick. Vet is one of the
# linters, and so neither runs by itself here nor before each package's tests.
test: tools lint workflowcheck compose-check ## all checks, then all tests; under CI=true a skipped test fails
	go run ./internal/testreport -report .holdpoint/test-report.json -guarantees docs/guarantees.md -- \
		-count=1 -vet=off -timeout $(TEST_TIMEOUT) ./...

lint: | $(BIN) ## golangci-lint: every linter is on, see .golangci.yaml
	@go run ./internal/toolchain/ensure golangci-lint >/dev/null
	$(BIN)/golangci-lint run ./...

vet: ## go vet
	go vet ./...

workflowcheck: | $(BIN) ## finds workflow code that a replay would run differently
	@go run ./internal/toolchain/ensure workflowcheck >/dev/null
	$(BIN)/workflowcheck ./workflows/...

compose-check: | $(BIN) ## lets Docker Compose read docker-compose.yml; needs no engine
	@go run ./internal/toolchain/ensure compose >/dev/null
	$(BIN)/compose -f docker-compose.yml config --quiet

# ROW picks some: a text of the row, the file, the package or the test.
mutate: tools ## takes the guard of each promise out, and wants its test to fail: an hour (ROW=text runs some)
	go run ./internal/mutate -row '$(ROW)'

race: tools ## all tests under the race detector: slow, and needs a C compiler
	CGO_ENABLED=1 go test -race -count=1 -timeout 60m ./...

tools: | $(BIN) ## builds the pinned tools that are not in .holdpoint/bin yet
	@go run ./internal/toolchain/ensure $(TOOLS) >/dev/null

$(BIN):
	@mkdir -p $(BIN)

clean: ## removes what demo, tests and builds made, the demo's knowledge base included; keeps the tools
	@if [ -d .holdpoint ]; then find .holdpoint -mindepth 1 -maxdepth 1 ! -name bin -exec rm -rf {} +; fi
	@rm -f $(BIN)/demo $(BIN)/worker $(BIN)/starter $(BIN)/approver
