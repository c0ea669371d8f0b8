package runner

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vise/model"
)

// macOf returns what a sender puts after "sha256=".
func macOf(secret, what string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(what))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// netstring is written again here, as a sender knows it from the manual.
func netstring(s string) string { return fmt.Sprintf("%d:%s,", len(s), s) }

// viseSigned are the headers of a delivery that is signed in vise's way.
func viseSigned(secret string, in model.IngressID, at time.Time, id, body string) []string {
	stamp := fmt.Sprint(at.Unix())
	what := netstring("vise-webhook-1") + netstring(string(in)) + netstring(stamp) + netstring(id) + netstring(body)
	return []string{"X-Vise-Timestamp: " + stamp, "X-Vise-Signature: " + macOf(secret, what), "X-Delivery-Id: " + id}
}

func TestASignatureIsChecked(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint(model.SignGitHub, "s3cret")
	code, _ := b.post(url, "x", "X-Hub-Signature-256: "+macOf("guess", "x"))
	b.want("a wrong secret", code, http.StatusUnauthorized)
	code, _ = b.post(url, "y", "X-Hub-Signature-256: "+macOf("s3cret", "x"))
	b.want("another body", code, http.StatusUnauthorized)
	code, _ = b.post(url, "x", "X-Hub-Signature-256: "+macOf("s3cret", "x"))
	b.want("the right one", code, http.StatusAccepted)
	b.want("triggers", b.triggered(), 1)
}

// A signature with a time is valid for five minutes, for one delivery and one body.
func TestASignatureWithATimeGrowsStale(t *testing.T) {
	b := newServeBench(t)
	url, in := b.mint(model.SignVise, "s3cret")
	other, otherID := b.mint(model.SignVise, "s3cret")
	now := time.Now()
	for _, c := range []struct {
		what    string
		url     string
		headers []string
		want    int
	}{
		{"six minutes old", url, viseSigned("s3cret", in, now.Add(-6*time.Minute), "d-1", "x"), http.StatusUnauthorized},
		{"six minutes ahead", url, viseSigned("s3cret", in, now.Add(6*time.Minute), "d-1", "x"), http.StatusUnauthorized},
		{"for another delivery", url, append(viseSigned("s3cret", in, now, "d-0", "x"), "X-Delivery-Id: d-1"), http.StatusUnauthorized},
		{"for another body", url, viseSigned("s3cret", in, now, "d-1", "y"), http.StatusUnauthorized},
		{"for another capability", other, viseSigned("s3cret", in, now, "d-1", "x"), http.StatusUnauthorized},
		{"without an id", url, viseSigned("s3cret", in, now, "", "x"), http.StatusUnauthorized},
		{"a time that is none", url, append(viseSigned("s3cret", in, now, "d-1", "x"), "X-Vise-Timestamp: soon"), http.StatusUnauthorized},
		{"four minutes old", url, viseSigned("s3cret", in, now.Add(-4*time.Minute), "d-1", "x"), http.StatusAccepted},
		{"sent again", url, viseSigned("s3cret", in, now, "d-1", "x"), http.StatusOK},
		{"the other capability", other, viseSigned("s3cret", otherID, now, "d-1", "x"), http.StatusAccepted},
	} {
		code, _ := b.post(c.url, "x", c.headers...)
		b.want(c.what, code, c.want)
	}
	b.want("triggers", b.triggered(), 2)
}

// A signature of one way is not valid in the other, however it is divided.
func TestASignatureHoldsInOneWayOnly(t *testing.T) {
	b := newServeBench(t)
	forge, _ := b.mint(model.SignGitHub, "s3cret")
	ours, in := b.mint(model.SignVise, "s3cret")
	now := time.Now()
	stamp := fmt.Sprint(now.Unix())
	headers := viseSigned("s3cret", in, now, "A", "tail.X")
	signature := strings.TrimPrefix(headers[1], "X-Vise-Signature: ")
	whole := netstring("vise-webhook-1") + netstring(string(in)) + netstring(stamp) + netstring("A") + netstring("tail.X")
	for _, c := range []struct {
		what, url, body string
		headers         []string
	}{
		{"the signed parts as a forge's body", forge, whole, []string{"X-Hub-Signature-256: " + signature}},
		{"the same where we sign", ours, whole, []string{"X-Hub-Signature-256: " + signature}},
		{"a forge's signature of the body where we sign", ours, "x", []string{"X-Hub-Signature-256: " + macOf("s3cret", "x")}},
		{"our signature at a forge's", forge, "tail.X", headers},
		{"the id longer, the body shorter", ours, "X", append(headers, "X-Delivery-Id: A.tail")},
		{"the parts with full stops", ours, "x", []string{"X-Vise-Timestamp: " + stamp, "X-Delivery-Id: d",
			"X-Vise-Signature: " + macOf("s3cret", stamp+".d.x")}},
	} {
		code, _ := b.post(c.url, c.body, c.headers...)
		b.want(c.what, code, http.StatusUnauthorized)
	}
	b.want("triggers", b.triggered(), 0)
	code, _ := b.post(ours, "tail.X", headers...)
	b.want("the delivery itself", code, http.StatusAccepted)
}
