package mcp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/store/home"
	"vise/ui/mcp"
)

// overHTTP serves the tools of a new home over HTTP, with ann's token.
func overHTTP(t *testing.T) (h *home.Home, url, token string) {
	t.Helper()
	h, _, err := home.OpenOrCreate(filepath.Join(t.TempDir(), "home"), home.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	secret, err := mcp.Secret(h.Dir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISE_AGENT", "bob") // the server's own environment, which must not decide who calls
	mux := http.NewServeMux()
	mux.Handle(mcp.HTTPPath+"{agent}", mcp.Handler(mcp.Options{Open: func() (*home.Home, error) { return h, nil }, Getenv: os.Getenv, Version: "test"}, secret))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return h, s.URL + mcp.HTTPPath, mcp.Token(secret, "ann")
}

type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestToolsOverHTTPAreTheAgentsWhoseTokenIsShown(t *testing.T) {
	h, url, token := overHTTP(t)
	for range 2 { // a second client needs nothing of the first
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		x, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url + "ann", HTTPClient: &http.Client{Transport: bearing(token)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := x.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) < 7 {
			t.Fatalf("%d tools: %v", len(list.Tools), err)
		}
		made, err := x.CallTool(t.Context(), &sdk.CallToolParams{Name: "CreateWorkItem", Arguments: map[string]any{"objective": "over HTTP"}})
		if err != nil || made.IsError {
			t.Fatalf("%+v %v", made, err)
		}
		if foreign, err := x.CallTool(t.Context(), &sdk.CallToolParams{Name: "ListWorkItems", Arguments: map[string]any{},
			Meta: sdk.Meta{"vise/agent": "bob"}}); err != nil || !foreign.IsError {
			t.Errorf("it acted for another agent: %+v %v", foreign, err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := h.View(context.Background(), func(r model.Reader) error {
		if n := len(r.Rows("ann", model.QueuedRunnable, nil, 10)); n != 2 {
			t.Errorf("ann has %d items", n)
		}
		if _, ok := r.Agent("bob"); ok {
			t.Error("the environment named the agent")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsRefusedOverHTTP(t *testing.T) {
	_, url, token := overHTTP(t)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, x := range map[string]struct {
		agent, token, body string
		status             int
		says               string
	}{
		"a call":          {"ann", token, ping, 200, `"result":{}`},
		"no token":        {"ann", "", ping, 401, "vise mcp token"},
		"another's token": {"bob", token, ping, 401, "vise mcp token"},
		"half a token":    {"ann", token[:20], ping, 401, "vise mcp token"},
		"no agent":        {"..", token, ping, 404, ""},
		"a bad agent":     {"a%20b", token, ping, 401, "vise mcp token"},
		"nothing":         {"ann", token, "", 400, "not JSON"},
		"no JSON":         {"ann", token, "{", 400, "not JSON"},
		"a key twice":     {"ann", token, `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, "is there twice"},
		"a batch":         {"ann", token, "[" + ping + "]", 400, "batches are not taken"},
		"nested":          {"ann", token, strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), 400, `jsonrpc must be`},
		"too large":       {"ann", token, `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "at most 1048576 bytes"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+x.agent, strings.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if x.token != "" {
			r.Header.Set("Authorization", "Bearer "+x.token)
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, _ := io.ReadAll(got.Body)
		got.Body.Close()
		if got.StatusCode != x.status || !strings.Contains(string(body), x.says) {
			t.Errorf("%s: %d %s, not %d %s", name, got.StatusCode, body, x.status, x.says)
		}
	}
}

func TestASecretIsMadeOnceAndRead(t *testing.T) {
	dir := t.TempDir()
	first, err := mcp.Secret(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "state", "mcp-secret")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if again, err := mcp.Secret(dir); err != nil || string(again) != string(first) {
		t.Errorf("another secret: %v", err)
	}
	for _, agents := range [][2]model.AgentID{{"ann", "bob"}, {"a", "aa"}} {
		if mcp.Token(first, agents[0]) == mcp.Token(first, agents[1]) {
			t.Errorf("%v share a token", agents)
		}
	}
	if err := os.WriteFile(path, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := mcp.Secret(dir); err == nil {
		t.Error("a damaged secret is used")
	}
}
