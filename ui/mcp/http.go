package mcp

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/store/files"
)

// HTTPPath is the path for agents' tools over HTTP, below the server's address. The agent's name follows it.
const HTTPPath = "/mcp/"

// overHTTP serves the tools of the agent in the path to clients that send that agent's token. It keeps no session between requests: each
// request is one message and gets one answer.
type overHTTP struct {
	Options
	secret []byte

	mu      sync.Mutex // guards servers
	servers map[model.AgentID]*sdk.Server
}

// Handler serves the tools over MCP's streamable HTTP transport, under HTTPPath+"{agent}". The caller must let through only requests that
// come from this machine, name one of our hosts, and are not sent by another site's page.
func Handler(o Options, secret []byte) http.Handler {
	o.Getenv = func(string) string { return "" } // this process's environment does not identify the caller
	h := &overHTTP{Options: o, secret: secret, servers: map[model.AgentID]*sdk.Server{}}
	streamable := sdk.NewStreamableHTTPHandler(h.serverOf, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: o.Log, MaxRequestBodyBytes: maxLine, DisableLocalhostProtection: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.admits(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "show the token that vise mcp token --agent NAME prints", http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodPost && !checked(w, r) {
			return
		}
		streamable.ServeHTTP(w, r)
	})
}

// admits reports whether a request carries the token of the agent in its path.
func (h *overHTTP) admits(r *http.Request) bool {
	agent := r.PathValue("agent")
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && model.ValidID(agent) && hmac.Equal([]byte(token), []byte(Token(h.secret, model.AgentID(agent))))
}

// checked reads the body and rejects what the stdio transport would reject as a line. It puts an accepted body back for the library.
func checked(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("a message has at most %d bytes", maxLine), http.StatusRequestEntityTooLarge)
		return false
	case err != nil:
		http.Error(w, "the body did not arrive completely", http.StatusBadRequest)
		return false
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		body = []byte("nothing")
	}
	if _, refusal := messageOf(body); refusal != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(refusal)
		return false
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return true
}

// serverOf returns the server of the agent in a request's path. The request has already shown that agent's token.
func (h *overHTTP) serverOf(r *http.Request) *sdk.Server {
	agent := model.AgentID(r.PathValue("agent"))
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.servers[agent] == nil {
		s := &server{Options: h.Options}
		s.Agent = string(agent)
		h.servers[agent] = s.sdk()
	}
	return h.servers[agent]
}

// Token returns the token that opens an agent's tools over HTTP. It is derived from the home's secret, so nothing is stored for an agent.
func Token(secret []byte, agent model.AgentID) string {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "vise-mcp-1,%d:%s", len(agent), agent)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// secretBytes is the length of the secret.
const secretBytes = 32

// Secret returns the secret from which a home's tokens are derived. It is made at the first use. Removing its file revokes all tokens.
func Secret(home string) ([]byte, error) {
	path := filepath.Join(home, "state", "mcp-secret")
	raw, err := files.ReadSmall(path, 4*secretBytes)
	if files.IsGone(err) {
		fresh := make([]byte, secretBytes)
		_, _ = rand.Read(fresh) // it never fails
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := files.WriteNew(path, []byte(hex.EncodeToString(fresh)+"\n")); err != nil {
			return nil, err
		}
		raw, err = files.ReadSmall(path, 4*secretBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", model.Text(path), err)
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(secret) != secretBytes {
		return nil, model.Refuse(model.CodeDamaged, "%s does not hold a secret", model.Text(path)).
			WithHint("remove it, and start vise serve again: tokens that were given out are taken back")
	}
	return secret, nil
}
