package runner

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
	"vise/store/home"
)

// deliver handles one delivery.
func (s *Server) deliver(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > model.MaxPayload {
		tooLarge(w, r)
		return
	}
	in, ok := s.admit(w, r)
	if !ok {
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, model.MaxPayload+1))
	switch {
	case err != nil:
		answer(w, http.StatusRequestTimeout, "the body did not arrive")
	case len(body) > model.MaxPayload:
		tooLarge(w, r)
	case !signed(in, r, body, s.Now()):
		answer(w, http.StatusUnauthorized, "unauthorized")
	case !s.takes("capability "+string(in.ID), perSecond, burst):
		tooMany(w)
	case !utf8.Valid(body):
		answer(w, http.StatusBadRequest, "the body is not UTF-8 text")
	default:
		s.accept(w, r, in, body)
	}
}

func tooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	answer(w, http.StatusTooManyRequests, "too many requests")
}

// maxDrained bounds the bytes that are still read of a body that is too large.
const maxDrained = 32 << 20

// tooLarge answers first and then reads the rest of the body. A sender whose connection is reset while it sends would never see the answer.
func tooLarge(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	_ = c.EnableFullDuplex() // where this is not supported, the answer comes late
	w.Header().Set("Connection", "close")
	answer(w, http.StatusRequestEntityTooLarge, "too large")
	if r.Header.Get("Expect") != "" {
		return // the sender waits for permission before it sends the body
	}
	_ = c.Flush()
	_ = c.SetReadDeadline(time.Now().Add(readTime))
	_, _ = io.CopyN(io.Discard, r.Body, maxDrained)
}

// accept applies a delivery to the ledger. The sender's own delivery id is the idempotency key, so a delivery that is sent twice makes one
// trigger.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, in model.Ingress, body []byte) {
	key := home.NewKey()
	if id := deliveryID(r); id != "" {
		key = "ingress-" + string(in.ID) + "-" + hashToken(id)[:32]
	}
	c := model.DeliverIngress{IngressID: in.ID, Payload: model.Text(body), Source: sourceOf(r)}
	got, err := s.Ledger.Apply(r.Context(), model.Envelope{Key: key, Actor: model.Actor("external:" + string(in.ID)), Command: c})
	switch {
	case err != nil:
		s.fail(w, err)
	case got.Replayed:
		s.counts.replays.Add(1)
		answer(w, http.StatusOK, "replayed")
	case len(got.TriggeredWaits) == 0 && len(got.Messages) == 0:
		s.counts.deliveries.Add(1)
		answer(w, http.StatusAccepted, "kept until somebody waits")
	default:
		s.counts.deliveries.Add(1)
		answer(w, http.StatusAccepted, "delivered")
	}
}

// deliveryID returns the sender's id of this delivery, from whichever header holds it.
func deliveryID(r *http.Request) string {
	return cmp.Or(r.Header.Get("X-GitHub-Delivery"), r.Header.Get("Idempotency-Key"), r.Header.Get("X-Delivery-Id"))
}

// maxSource bounds the sender's name, in bytes.
const maxSource = 100

// sourceOf names the source of a delivery. The name is part of the delivery, so it contains nothing that could differ when the delivery is
// sent again.
func sourceOf(r *http.Request) model.Text {
	event := r.Header.Get("X-GitHub-Event")
	if event == "" || len(event) > maxSource || !utf8.ValidString(event) {
		return "webhook"
	}
	return model.Text("webhook " + event)
}

// fail answers with an error of the ledger. Internal errors are not shown to the sender.
func (s *Server) fail(w http.ResponseWriter, err error) {
	e := cmp.Or(model.AsError(err), &model.Error{})
	switch {
	case e.Field == "key":
		answer(w, http.StatusConflict, "this delivery id came with another body before")
	case e.Code == model.CodeNotFound:
		answer(w, http.StatusUnauthorized, "unauthorized")
	case e.Code == model.CodeRefused && e.Field == "ingress_id":
		answer(w, http.StatusGone, "nobody waits")
	case e.Code == model.CodeInvalid:
		answer(w, http.StatusBadRequest, "invalid")
	default:
		s.counts.errors.Add(1)
		s.Report(err)
		w.Header().Set("Retry-After", "5")
		answer(w, http.StatusServiceUnavailable, "try again; a delivery with an id is carried out once")
	}
}

func answer(w http.ResponseWriter, status int, what string) {
	body, _ := json.Marshal(map[string]string{"status": what}) // never fails
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the sender may have disconnected
}

// ingressPath is the path under which capabilities are served.
const ingressPath = "/t/"

// tokenBytes is the size of a token: 256 bits cannot be guessed.
const tokenBytes = 32

// NewToken makes a token and the hash of it that the ledger stores.
func NewToken() (token, hash string) {
	var raw [tokenBytes]byte
	_, _ = rand.Read(raw[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(raw[:])
	return token, hashToken(token)
}

// hashToken returns the hash that the ledger stores instead of the token.
func hashToken(token string) string { return model.Hash(token) }

// IngressURL returns the address of a capability. Anyone who knows the address can use it.
func IngressURL(base string, id model.IngressID, token string) string {
	return strings.TrimSuffix(base, "/") + ingressPath + string(id) + "/" + token
}

// tokenOf returns the token of a request, from its path or its Authorization header.
func tokenOf(r *http.Request) string {
	if t := r.PathValue("token"); t != "" {
		return t
	}
	t, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return t
}

// opens reports whether a token is valid for a capability. It takes the same time for a wrong token, no token, and an unknown capability.
func opens(in model.Ingress, token string) bool {
	same := subtle.ConstantTimeCompare([]byte(hashToken(token)), []byte(in.TokenHash)) == 1
	return same && !in.Revoked && in.ID != ""
}

// signed checks a signature in the scheme that the capability is set to, and in no other scheme.
func signed(in model.Ingress, r *http.Request, body []byte, now time.Time) bool {
	switch in.Signing {
	case "":
		return in.Secret == ""
	case model.SignGitHub:
		// Text that was signed in vise's own scheme is never accepted as a forge's body, even if both use the same secret.
		return !bytes.HasPrefix(body, signedParts(signedByVise)) && matches(in.Secret, r.Header.Get("X-Hub-Signature-256"), body)
	case model.SignVise:
		at, id := r.Header.Get("X-Vise-Timestamp"), deliveryID(r)
		return id != "" && fresh(at, now) && matches(in.Secret, r.Header.Get("X-Vise-Signature"),
			signedParts(signedByVise, string(in.ID), at, id, string(body)))
	}
	return false
}

// signedByVise is the first part of everything that is signed in vise's own scheme.
const signedByVise = "vise-webhook-1"

// signedParts encodes parts for signing. Each part follows its length (a netstring), so two different lists of parts never give the same
// bytes.
func signedParts(parts ...string) []byte {
	var b []byte
	for _, part := range parts {
		b = fmt.Appendf(b, "%d:%s,", len(part), part)
	}
	return b
}

// window is how far a sender's clock may differ from this machine's.
const window = 300 * time.Second

func fresh(at string, now time.Time) bool {
	seconds, err := strconv.ParseInt(at, 10, 64)
	return err == nil && time.Unix(seconds, 0).Sub(now).Abs() <= window
}

func matches(secret, header string, what []byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(what)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return subtle.ConstantTimeCompare([]byte(want), []byte(header)) == 1
}
