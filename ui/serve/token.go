package serve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"

	"vise/model"
)

// ingressPath is where capabilities are served.
const ingressPath = "/t/"

// tokenBytes is the size of a token: 256 bits are not guessed.
const tokenBytes = 32

// NewToken makes a token, and the hash that the ledger keeps instead of it.
func NewToken() (token, hash string) {
	var raw [tokenBytes]byte
	_, _ = rand.Read(raw[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(raw[:])
	return token, hashOf(token)
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// URL spells a capability. Who knows it may use it.
func URL(base string, id model.IngressID, token string) string {
	return strings.TrimSuffix(base, "/") + ingressPath + string(id) + "/" + token
}

// tokenOf is the token of a request, from its address or its authorization.
func tokenOf(r *http.Request) string {
	if t := r.PathValue("token"); t != "" {
		return t
	}
	t, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return t
}

// opens reports whether a token opens a capability. It takes the same time for a wrong
// token as for none, and for a capability that is not there.
func opens(in model.Ingress, token string) bool {
	same := subtle.ConstantTimeCompare([]byte(hashOf(token)), []byte(in.TokenHash)) == 1
	return same && !in.Revoked && in.ID != ""
}

// signed checks the signature of a sender that signs its bodies, as forges do.
func signed(secret, header string, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return subtle.ConstantTimeCompare([]byte(want), []byte(header)) == 1
}
