package runner

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vise/model"
)

// IngressPath is where capabilities are served.
const ingressPath = "/t/"

// tokenBytes is the size of a token: 256 bits are not guessed.
const tokenBytes = 32

// NewToken makes a token, and the hash that the ledger keeps instead of it.
func NewToken() (token, hash string) {
	var raw [tokenBytes]byte
	_, _ = rand.Read(raw[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(raw[:])
	return token, hashToken(token)
}

// HashToken is what the ledger keeps instead of a token.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// IngressURL spells a capability. Who knows it may use it.
func IngressURL(base string, id model.IngressID, token string) string {
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
	same := subtle.ConstantTimeCompare([]byte(hashToken(token)), []byte(in.TokenHash)) == 1
	return same && !in.Revoked && in.ID != ""
}

// signed checks the signature of a sender. One that says when it signed, in X-Vise-Timestamp
// as seconds since 1970, signs that time, the delivery's id and the body, with a full stop
// between them; a forge signs the body alone.
func signed(secret string, r *http.Request, body []byte, now time.Time) bool {
	if at := r.Header.Get("X-Vise-Timestamp"); at != "" {
		return fresh(at, now) && matches(secret, r.Header.Get("X-Vise-Signature"), []byte(at), []byte("."), []byte(deliveryID(r)), []byte("."), body)
	}
	return matches(secret, r.Header.Get("X-Hub-Signature-256"), body)
}

// window is how far a sender's clock may be from ours.
const window = 300 * time.Second

func fresh(at string, now time.Time) bool {
	seconds, err := strconv.ParseInt(at, 10, 64)
	return err == nil && time.Unix(seconds, 0).Sub(now).Abs() <= window
}

func matches(secret, header string, parts ...[]byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, part := range parts {
		mac.Write(part)
	}
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return subtle.ConstantTimeCompare([]byte(want), []byte(header)) == 1
}
