package runner

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

// bench is a server on loopback with one item that waits for the outside.
type serveBench struct {
	t      *testing.T
	ledger *store.Ledger
	keys   atomic.Int64
	base   string
	addr   string
	item   model.ItemID
	wait   model.WaitID
}

func newServeBench(t *testing.T) *serveBench {
	b := &serveBench{t: t, ledger: store.NewMem(nil)}
	b.item = b.do("agent:ann", model.CreateWorkItem{Objective: "One"}).WorkItemID
	b.wait = b.do("agent:ann", model.WaitFor{WorkItemID: b.item, Reason: "the build", Wake: model.WakeExternal, Resource: "run-1"}).WaitID
	ready := make(chan net.Addr, 1)
	s := &Server{Ledger: b.ledger, Now: time.Now, Listen: "127.0.0.1:0", Ready: func(a net.Addr) { ready <- a }}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	b.addr = (<-ready).String()
	b.base = "http://" + b.addr
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the server ended with %v", err)
		}
	})
	return b
}

func (b *serveBench) key() string { return fmt.Sprint("k", b.keys.Add(1)) }

func (b *serveBench) do(by model.Actor, c model.Command) model.Receipt {
	b.t.Helper()
	in, err := b.ledger.Apply(context.Background(), model.Envelope{Key: b.key(), Actor: by, Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return in
}

// mint makes a capability for the item's wait and returns its address.
func (b *serveBench) mint(secret string) (url string, id model.IngressID) {
	token, hash := NewToken()
	id = b.do(model.Operator, model.MintIngress{WaitID: b.wait, TokenHash: hash, Secret: secret}).IngressID
	return IngressURL(b.base, id, token), id
}

func (b *serveBench) triggered() int {
	b.t.Helper()
	n := 0
	err := b.ledger.View(context.Background(), func(r model.Reader) error {
		w, _ := r.Wait(b.wait)
		n = w.TriggerCount
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// post sends a body and returns the status and the answer. Headers are "Name: value".
func (b *serveBench) post(url, body string, headers ...string) (int, string) {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer got.Body.Close()
	raw, _ := io.ReadAll(got.Body)
	return got.StatusCode, string(raw)
}

func (b *serveBench) want(what string, got, want int) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("%s: got %d, want %d", what, got, want)
	}
}

func TestADeliveryTriggersItsWaitAndClearsNothing(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	code, _ := b.post(url, `{"conclusion": "success"}`, "User-Agent: forge")
	b.want("delivery", code, http.StatusAccepted)
	err := b.ledger.View(context.Background(), func(r model.Reader) error {
		w, _ := r.Item(b.item)
		x, _ := r.Wait(b.wait)
		if w.BlockedBy == "" || x.TriggerCount != 1 || x.LastTrigger.Payload != `{"conclusion": "success"}` || x.LastTrigger.Source != "webhook forge" {
			t.Errorf("item %+v, wait %+v", w, x)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhoHasNoCapabilityLearnsNothing(t *testing.T) {
	b := newServeBench(t)
	url, id := b.mint("")
	revoked, rid := b.mint("")
	b.do(model.Operator, model.RevokeIngress{IngressID: rid})
	secret, _ := b.mint("s3cret")
	other, _ := NewToken()
	answers := map[string]bool{}
	for what, url := range map[string]string{
		"a wrong token": IngressURL(b.base, id, other), "a short token": url[:len(url)-1], "no token": b.base + ingressPath + string(id),
		"an unknown capability": IngressURL(b.base, "in-nobody", other), "a revoked one": revoked, "no signature": secret,
		"an id that is none": b.base + ingressPath + "%2e%2e%2fx/" + other,
	} {
		code, body := b.post(url, "x")
		b.want(what, code, http.StatusUnauthorized)
		answers[body] = true
	}
	if len(answers) != 1 || b.triggered() != 0 {
		t.Errorf("the answers differ: %v; triggered %d times", answers, b.triggered())
	}
}

func TestATokenMayComeInTheAuthorization(t *testing.T) {
	b := newServeBench(t)
	url, id := b.mint("")
	token := url[strings.LastIndexByte(url, '/')+1:]
	code, _ := b.post(b.base+ingressPath+string(id), "x", "Authorization: Bearer "+token)
	b.want("bearer", code, http.StatusAccepted)
}

func TestAReplayedDeliveryIsOneTrigger(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	var codes [600]atomic.Int32
	var all sync.WaitGroup
	for range 15 {
		all.Go(func() {
			code, _ := b.post(url, "x", "X-GitHub-Delivery: d-1")
			codes[code].Add(1)
		})
	}
	all.Wait()
	b.want("first", int(codes[http.StatusAccepted].Load()), 1)
	b.want("again", int(codes[http.StatusOK].Load()), 14)
	b.want("triggers", b.triggered(), 1)
	code, _ := b.post(url, "another body", "X-GitHub-Delivery: d-1")
	b.want("the same id with another body", code, http.StatusConflict)
	code, _ = b.post(url, "x", "X-GitHub-Delivery: d-2")
	b.want("another id", code, http.StatusAccepted)
	b.want("triggers", b.triggered(), 2)
}

func TestASignatureIsChecked(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("s3cret")
	sign := func(secret, body string) string {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(body))
		return "X-Hub-Signature-256: sha256=" + hex.EncodeToString(mac.Sum(nil))
	}
	code, _ := b.post(url, "x", sign("guess", "x"))
	b.want("a wrong secret", code, http.StatusUnauthorized)
	code, _ = b.post(url, "y", sign("s3cret", "x"))
	b.want("another body", code, http.StatusUnauthorized)
	code, _ = b.post(url, "x", sign("s3cret", "x"))
	b.want("the right one", code, http.StatusAccepted)
	b.want("triggers", b.triggered(), 1)
}

// A signature that names its time is good for five minutes, for one delivery and one body.
func TestASignatureWithATimeGrowsStale(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("s3cret")
	headers := func(at time.Time, signedID, id string) []string {
		stamp := fmt.Sprint(at.Unix())
		mac := hmac.New(sha256.New, []byte("s3cret"))
		mac.Write([]byte(stamp + "." + signedID + ".x"))
		return []string{"X-Vise-Timestamp: " + stamp, "X-Vise-Signature: sha256=" + hex.EncodeToString(mac.Sum(nil)), "X-Delivery-Id: " + id}
	}
	for _, c := range []struct {
		what     string
		age      time.Duration
		signedID string
		want     int
	}{
		{"six minutes old", 6 * time.Minute, "d-1", http.StatusUnauthorized},
		{"six minutes ahead", -6 * time.Minute, "d-1", http.StatusUnauthorized},
		{"signed for another delivery", 0, "d-0", http.StatusUnauthorized},
		{"four minutes old", 4 * time.Minute, "d-1", http.StatusAccepted},
		{"sent again", 0, "d-1", http.StatusOK},
	} {
		code, _ := b.post(url, "x", headers(time.Now().Add(-c.age), c.signedID, "d-1")...)
		b.want(c.what, code, c.want)
	}
	code, _ := b.post(url, "x", append(headers(time.Now(), "d-2", "d-2"), "X-Vise-Timestamp: soon")...)
	b.want("a time that is none", code, http.StatusUnauthorized)
	b.want("triggers", b.triggered(), 1)
}

// A hundred deliveries with one id, a thousand senders that never finish, and bodies of a
// megabyte, cost little memory and trigger once.
func TestAFloodCostsLittleMemory(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	before := memory(t)
	var codes [600]atomic.Int32
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			code, _ := b.post(url, "x", "X-GitHub-Delivery: d-1")
			codes[code].Add(1)
		})
	}
	all.Wait()
	b.want("first", int(codes[http.StatusAccepted].Load()), 1)
	b.want("again, or slowed down", int(codes[http.StatusOK].Load()+codes[http.StatusTooManyRequests].Load()), 99)
	var slow []net.Conn
	for range 1000 {
		c, err := net.Dial("tcp", b.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nX-Slow:")
		slow = append(slow, c)
	}
	grown := memory(t) - before
	for _, c := range slow {
		c.Close()
	}
	t.Logf("%.1f MB more", grown)
	if grown > 30 {
		t.Errorf("%.1f MB more, at most 30 are asked for", grown)
	}
	big := strings.Repeat("x", 1<<20)
	for range 20 {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(big))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := http.DefaultClient.Do(r); err == nil {
			got.Body.Close()
			if got.StatusCode != http.StatusRequestEntityTooLarge && got.StatusCode != http.StatusTooManyRequests {
				t.Errorf("a megabyte was answered %d", got.StatusCode)
			}
		}
	}
	b.want("triggers", b.triggered(), 1)
}

// memory is what this process holds, in megabytes, senders and server together.
func memory(t *testing.T) float64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("nothing tells here what a process holds")
	}
	var size, resident float64
	if _, err := fmt.Sscan(string(raw), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * float64(os.Getpagesize()) / 1e6
}

func TestWhatIsTooMuchOrNoTextIsRefused(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	code, _ := b.post(url, strings.Repeat("x", 64<<10+1))
	b.want("an oversized body", code, http.StatusRequestEntityTooLarge)
	code, _ = b.post(url, "\xff\xfe")
	b.want("a body that is not UTF-8", code, http.StatusBadRequest)
	code, _ = b.post(url, "x", "X-Long: "+strings.Repeat("x", 64<<10))
	b.want("oversized headers", code, http.StatusRequestHeaderFieldsTooLarge)
	got, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	b.want("GET", got.StatusCode, http.StatusMethodNotAllowed)
	b.want("triggers", b.triggered(), 0)
	code, _ = b.post(url, strings.Repeat("x", 64<<10))
	b.want("a body at the limit", code, http.StatusAccepted)
}

func TestABrowserCannotBeMadeToDeliver(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	code, _ := b.post(url, "x", "Host: evil.example")
	b.want("a name that resolves to this machine", code, http.StatusForbidden)
	code, _ = b.post(url, "x", "Sec-Fetch-Site: cross-site", "Origin: http://evil.example")
	b.want("another site's page", code, http.StatusForbidden)
	b.want("triggers", b.triggered(), 0)
}

func TestABurstIsSlowedDown(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	slowed := 0
	for range 2 * burst {
		if code, _ := b.post(url, "x"); code == http.StatusTooManyRequests {
			slowed++
		}
	}
	if slowed == 0 || b.triggered() < burst {
		t.Errorf("%d of %d slowed down, %d triggers", slowed, 2*burst, b.triggered())
	}
}

// Senders that never finish hold neither goroutines nor others up.
func TestSlowSendersAreHungUpOn(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	before := runtime.NumGoroutine()
	var slow []net.Conn
	for range 1000 {
		c, err := net.Dial("tcp", b.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nX-Slow:"); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, c)
	}
	if n := runtime.NumGoroutine() - before; n > 4*maxConnections {
		t.Errorf("%d goroutines more for 1000 slow senders", n)
	}
	// The first is hung up on when its time for headers is over.
	_ = slow[0].SetReadDeadline(time.Now().Add(2 * headerTime))
	if _, err := bufio.NewReader(slow[0]).ReadString('\n'); err != nil && !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
		t.Errorf("a slow sender was not hung up on: %v", err)
	}
	for _, c := range slow {
		c.Close()
	}
	code, _ := b.post(url, "x")
	b.want("a good sender after them", code, http.StatusAccepted)
}

func TestHealthAndMetricsAreForThisMachine(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("")
	b.post(url, "x")
	for path, want := range map[string]string{
		"/healthz": "ok, revision", "/metrics": `vise_work_items{agent="ann",class="triggered_blocked"} 1`,
	} {
		got, err := http.Get(b.base + path)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(got.Body)
		got.Body.Close()
		if got.StatusCode != http.StatusOK || !bytes.Contains(raw, []byte(want)) {
			t.Errorf("%s: %d %s", path, got.StatusCode, raw)
		}
	}
	s := &Server{}
	r, _ := http.NewRequest(http.MethodGet, "/metrics", nil)
	r.RemoteAddr = "203.0.113.7:999"
	w := &recorder{}
	s.local(func(http.ResponseWriter, *http.Request) { t.Error("served to a stranger") })(w, r)
	b.want("from elsewhere", w.code, http.StatusNotFound)
}

type recorder struct{ code int }

func (r *recorder) Header() http.Header         { return http.Header{} }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
func (r *recorder) WriteHeader(code int)        { r.code = code }

func TestAnAddressThatOthersReachNeedsAWord(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:80", "nonsense"} {
		s := &Server{Ledger: store.NewMem(nil), Now: time.Now, Listen: listen}
		err := s.Run(t.Context())
		var e *model.Error
		if !errors.As(err, &e) || e.Field != "listen" {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

func FuzzDeliver(f *testing.F) {
	f.Add("in-1", "token", "body", "d-1", "sha256=00")
	f.Fuzz(func(t *testing.T, id, token, body, delivery, signature string) {
		l := store.NewMem(nil)
		s := &Server{Ledger: l, Now: time.Now, hosts: map[string]bool{"x": true}, Report: func(error) {}}
		r, err := http.NewRequest(http.MethodPost, "http://x/", strings.NewReader(body))
		if err != nil {
			t.Skip()
		}
		r.SetPathValue("id", id)
		r.SetPathValue("token", token)
		r.Header["X-GitHub-Delivery"], r.Header["X-Hub-Signature-256"] = []string{delivery}, []string{signature}
		w := &recorder{}
		s.deliver(w, r)
		if w.code != http.StatusUnauthorized {
			t.Errorf("answered %d", w.code)
		}
	})
}
