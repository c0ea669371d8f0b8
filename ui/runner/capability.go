package runner

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"vise/model"
)

// Path is where capabilities are served.
const IngressPath = "/t/"

// tokenBytes is the size of a token: 256 bits are not guessed.
const tokenBytes = 32

// NewToken makes a token, and the hash that the ledger keeps instead of it.
func NewToken() (token, hash string) {
	var raw [tokenBytes]byte
	_, _ = rand.Read(raw[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(raw[:])
	return token, HashToken(token)
}

// HashOf is what the ledger keeps instead of a token.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// URL spells a capability. Who knows it may use it.
func IngressURL(base string, id model.IngressID, token string) string {
	return strings.TrimSuffix(base, "/") + IngressPath + string(id) + "/" + token
}
