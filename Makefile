# The commands that people and CI use. `make test` is the one that must pass.

GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: mcp-reference test faults bench lint generate build screenshots

# test runs everything, the browser tests included, and those last: beside the
# others they would wait for pages that wait for them. Without a browser they are
# skipped and say so; with CI set they fail instead.
test:
	$(GO) vet ./...
	$(GO) test -vet=off -timeout 12m $$($(GO) list ./... | grep -v '/e2e$$')
	$(GO) test -vet=off -count=1 -timeout 12m ./e2e # what it builds and starts is not known to the cache

# faults tries what must hold when something breaks, often enough to count, and
# prints a line for each. It takes some ten minutes; test has the short form.
# ROWS="2 4" tries only those.
faults:
	$(GO) run ./e2e/faults $(ROWS)

# bench runs every benchmark, each beside its plain counterpart.
bench:
	$(GO) test -run '^$$' -bench . ./internal/... ./web/...

# mcp-reference tries the reference servers of the Model Context Protocol. It
# needs node, and npm to fetch them, so it is not part of test.
MCP_SERVERS = @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-everything @modelcontextprotocol/server-memory
mcp-reference:
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	npm install --prefix "$$dir" --no-audit --no-fund --ignore-scripts $(MCP_SERVERS) && \
	MCP_REFERENCE="$$dir" $(GO) test -tags reference -run Reference -v ./internal/agent/mcp

# lint fails on anything that is not as the tools would have it.
lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo 'not formatted:'; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	for os in darwin windows; do GOOS=$$os $(GO) vet ./internal/agent/sandbox/... ./internal/agent/tool || exit 1; done
	$(MAKE) generate
	git diff --exit-code -- '*_templ.go'

generate:
	$(GO) tool templ generate -path web/templates

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o countersign ./cmd/web

# screenshots plays a story on the built program and takes pictures of its pages
# into docs/pictures. It needs Chromium, and says so where there is none.
screenshots:
	$(GO) run ./e2e/screenshots
