package runner

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
	"vise/store/home"
)

// deliver takes one delivery.
func (s *Server) deliver(w http.ResponseWriter, r *http.Request) {
	if !s.pace.take(s.Now(), "*", allPerSecond, allBurst) {
		answer(w, http.StatusTooManyRequests, "too many requests")
		return
	}
	in, err := s.ingress(r)
	switch {
	case err != nil:
		s.fail(w, err)
		return
	case in.ID == "":
		// Unknown, revoked and wrong get the same answer, and are slowed down together.
		if !s.pace.take(s.Now(), "", strangersPerSecond, strangersBurst) {
			answer(w, http.StatusTooManyRequests, "too many requests")
			return
		}
		answer(w, http.StatusUnauthorized, "unauthorized")
		return
	case !s.pace.take(s.Now(), string(in.ID), perSecond, burst):
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusTooManyRequests, "too many requests")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, model.MaxPayload))
	if err != nil {
		answer(w, http.StatusRequestEntityTooLarge, "too large")
		return
	}
	if in.Secret != "" && !signed(in.Secret, r, body, s.Now()) {
		answer(w, http.StatusUnauthorized, "unauthorized")
		return
	}
	if !utf8.Valid(body) {
		answer(w, http.StatusBadRequest, "the body is not UTF-8 text")
		return
	}
	s.accept(w, r, in, body)
}

// ingress finds the capability that a request proves to hold; zero for none.
func (s *Server) ingress(r *http.Request) (model.Ingress, error) {
	id := r.PathValue("id")
	var in model.Ingress
	if model.ValidID(id) {
		err := s.Ledger.View(r.Context(), func(f model.Reader) error {
			in, _ = f.Ingress(model.IngressID(id))
			return nil
		})
		if err != nil {
			return in, err
		}
	}
	if !opens(in, tokenOf(r)) {
		return model.Ingress{}, nil
	}
	return in, nil
}

// accept has the ledger carry out a delivery. The sender's own id of it is the key, so
// that a delivery that is sent again is one trigger.
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
	default:
		s.counts.deliveries.Add(1)
		answer(w, http.StatusAccepted, "delivered")
	}
}

// deliveryID is what the sender calls this delivery, whatever it is called there.
func deliveryID(r *http.Request) string {
	return cmp.Or(r.Header.Get("X-GitHub-Delivery"), r.Header.Get("Idempotency-Key"), r.Header.Get("X-Delivery-Id"))
}

// maxSource bounds the sender's name, in bytes.
const maxSource = 100

func sourceOf(r *http.Request) model.Text {
	name := cmp.Or(r.Header.Get("X-GitHub-Event"), r.Header.Get("User-Agent"))
	if !utf8.ValidString(name) {
		return "webhook"
	}
	return model.Text("webhook " + name[:min(len(name), maxSource)])
}

// fail answers an error of the ledger. What is wrong inside is not shown outside.
func (s *Server) fail(w http.ResponseWriter, err error) {
	var e *model.Error
	errors.As(err, &e)
	switch {
	case e != nil && e.Field == "key":
		answer(w, http.StatusConflict, "this delivery id came with another body before")
	case e != nil && e.Code == model.CodeNotFound:
		answer(w, http.StatusUnauthorized, "unauthorized")
	case e != nil && e.Code == model.CodeInvalid:
		answer(w, http.StatusBadRequest, "invalid")
	default:
		s.counts.errors.Add(1)
		s.Report(err)
		w.Header().Set("Retry-After", "5")
		answer(w, http.StatusServiceUnavailable, "try again; a delivery with an id is carried out once")
	}
}

func answer(w http.ResponseWriter, status int, what string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"status": what}) // the sender may be gone
}

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
		return fresh(at, now) && matches(secret, r.Header.Get("X-Vise-Signature"), []byte(at+"."+deliveryID(r)+"."), body)
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
