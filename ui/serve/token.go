package serve

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"vise/model"
	"vise/ui/serve/ingress"
)

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
	same := subtle.ConstantTimeCompare([]byte(ingress.HashOf(token)), []byte(in.TokenHash)) == 1
	return same && !in.Revoked && in.ID != ""
}

// signed checks the signature of a sender that signs its bodies, as forges do.
func signed(secret, header string, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return subtle.ConstantTimeCompare([]byte(want), []byte(header)) == 1
}
