// Package ingress makes capabilities: addresses that whoever knows them may use. It is apart
// from the server that serves them, which is much to link for a verb that spells one.
package ingress

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"vise/model"
)

// Path is where capabilities are served.
const Path = "/t/"

// tokenBytes is the size of a token: 256 bits are not guessed.
const tokenBytes = 32

// NewToken makes a token, and the hash that the ledger keeps instead of it.
func NewToken() (token, hash string) {
	var raw [tokenBytes]byte
	_, _ = rand.Read(raw[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(raw[:])
	return token, HashOf(token)
}

// HashOf is what the ledger keeps instead of a token.
func HashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// URL spells a capability. Who knows it may use it.
func URL(base string, id model.IngressID, token string) string {
	return strings.TrimSuffix(base, "/") + Path + string(id) + "/" + token
}
