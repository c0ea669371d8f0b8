package e2e

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vise/store/storetest"
)

// fitting are the server scenarios of the MCP conformance suite that vise can pass. The others need tools, prompts and
// resources of a special server, or logging, completion, sampling, elicitation and subscriptions, which vise does not
// offer, or streams: vise answers with one message each.
var fitting = []string{"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"}

// TestTheConformanceSuite runs these scenarios of the official suite against vise serve --mcp. VISE_CONFORMANCE is the
// directory where npm installed @modelcontextprotocol/conformance, and node@22 if needed.
func TestTheConformanceSuite(t *testing.T) {
	dir := os.Getenv("VISE_CONFORMANCE")
	if dir == "" {
		storetest.Lacks(t, "@modelcontextprotocol/conformance (VISE_CONFORMANCE names its directory)")
	}
	suite := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(suite); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(dir, "node_modules", "node", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	address := withToken(t, newHome(t, "ann"))
	for _, scenario := range fitting {
		t.Run(scenario, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, node, suite, "server", "--url", address, "--scenario", scenario).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// withToken returns the address of ann's tools for a client that sends no token. A proxy adds it, because the suite
// cannot.
func withToken(t *testing.T, h *home) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).String()
	cmd := h.command(t.Context(), "serve", "--mcp", "--listen", "127.0.0.1:0", "--host", port, "--host", strings.Replace(port, "127.0.0.1", "localhost", 1))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line := make([]byte, 4096)
	n, _ := said.Read(line)
	at := regexp.MustCompile(`listening on ([^\s"]+)`).FindSubmatch(line[:n])
	if at == nil {
		t.Fatalf("it says %q", line[:n])
	}
	var out struct {
		Data struct{ URL, Token string }
	}
	if err := json.Unmarshal(h.must("--json", "mcp", "token", "--agent", "ann", "--base", "http://"+string(at[1])), &out); err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse("http://" + string(at[1]))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &http.Server{Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // the server checks it
		r.Out.Header.Set("Authorization", "Bearer "+out.Data.Token)
	}}}
	go func() { _ = proxy.Serve(l) }() // ends with Close
	t.Cleanup(func() { proxy.Close() })
	return "http://" + port + "/mcp/ann"
}
