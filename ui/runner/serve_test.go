package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

// bench is a server on the loopback device with one item that waits for something outside.
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
	s.Sessions = func() []home.Session {
		return []home.Session{{State: home.SessionWorks, Driver: model.Process{PID: 1}}, {State: home.SessionRests}, {State: home.SessionAsks},
			{State: home.SessionGone}, {State: home.SessionGone, Driver: model.Process{PID: 1}}}
	}
	s.Machines = func() []model.HostState { return []model.HostState{{Name: "build"}, {Name: "laptop", Away: true}} }
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
func (b *serveBench) mint(signing model.Signing, secret string) (url string, id model.IngressID) {
	return b.mintFor(model.MintIngress{WorkItemID: b.item, Signing: signing, Secret: secret})
}

func (b *serveBench) mintFor(m model.MintIngress) (url string, id model.IngressID) {
	b.t.Helper()
	token, hash := NewToken()
	m.TokenHash = hash
	id = b.do(model.Operator, m).IngressID
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
	url, _ := b.mint("", "")
	code, _ := b.post(url, `{"conclusion": "success"}`, "X-GitHub-Event: push")
	b.want("delivery", code, http.StatusAccepted)
	err := b.ledger.View(context.Background(), func(r model.Reader) error {
		w, _ := r.Item(b.item)
		x, _ := r.Wait(b.wait)
		if w.BlockedBy == "" || x.TriggerCount != 1 || x.LastTrigger.Payload != `{"conclusion": "success"}` || x.LastTrigger.Source != "webhook push" {
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
	url, id := b.mint("", "")
	revoked, rid := b.mint("", "")
	b.do(model.Operator, model.RevokeIngress{IngressID: rid})
	secret, _ := b.mint(model.SignGitHub, "s3cret")
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

// A token whose hash only begins like the right one is refused.
func TestATokenIsComparedWhole(t *testing.T) {
	b := newServeBench(t)
	url, id := b.mint("", "")
	hash := hashToken(url[strings.LastIndexByte(url, '/')+1:])
	for {
		other, h := NewToken()
		if h[:2] != hash[:2] || h == hash {
			continue
		}
		code, _ := b.post(IngressURL(b.base, id, other), "x")
		b.want("a token with the same first digits", code, http.StatusUnauthorized)
		break
	}
	b.want("triggers", b.triggered(), 0)
}

func TestATokenMayComeInTheAuthorization(t *testing.T) {
	b := newServeBench(t)
	url, id := b.mint("", "")
	token := url[strings.LastIndexByte(url, '/')+1:]
	code, _ := b.post(b.base+ingressPath+string(id), "x", "Authorization: Bearer "+token)
	b.want("bearer", code, http.StatusAccepted)
}

func TestAReplayedDeliveryIsOneTrigger(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
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

// A hundred deliveries with one id, a thousand senders that never finish, and bodies of a megabyte, need little memory
// and trigger once.
func TestAFloodCostsLittleMemory(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
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

// memory is the memory of this process, in megabytes, senders and server together.
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
	url, _ := b.mint("", "")
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
	url, _ := b.mint("", "")
	code, _ := b.post(url, "x", "Host: evil.example")
	b.want("a name that resolves to this machine", code, http.StatusForbidden)
	code, _ = b.post(url, "x", "Host: evil.example"+b.base[strings.LastIndexByte(b.base, ':'):])
	b.want("the same with our port", code, http.StatusForbidden)
	code, _ = b.post(url, "x", "Sec-Fetch-Site: cross-site", "Origin: http://evil.example")
	b.want("another site's page", code, http.StatusForbidden)
	b.want("triggers", b.triggered(), 0)
}

func TestABurstIsSlowedDown(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
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

func TestHealthAndMetricsAreForThisMachine(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
	b.post(url, "x")
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": "ok, revision", "/metrics": `vise_work_items{agent="ann",class="triggered_blocked"} 1`,
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
	if err := (&Server{Listen: strings.TrimPrefix(b.base, "http://")}).Check(t.Context()); err != nil {
		t.Errorf("a server that is ready: %v", err)
	}
	if err := (&Server{Listen: "127.0.0.1:1"}).Check(t.Context()); !model.HasCode(err, model.CodeBusy) {
		t.Errorf("no server: %v", err)
	}
	s := &Server{}
	r, _ := http.NewRequest(http.MethodGet, "/metrics", nil)
	r.RemoteAddr = "203.0.113.7:999"
	w := &recorder{}
	s.local(func(http.ResponseWriter, *http.Request) { t.Error("served to a stranger") })(w, r)
	b.want("from elsewhere", w.code, http.StatusNotFound)
}

func TestItIsReadyOnlyWhileTheLedgerCanBeChanged(t *testing.T) {
	held := model.Condition{}
	s := &Server{Ledger: store.NewMem(nil), Conditions: func(context.Context) []model.Condition { return []model.Condition{held} }}
	for _, x := range []struct {
		held model.Condition
		want int
	}{
		{model.Condition{Code: model.CodeClock}, http.StatusOK},
		{model.Condition{Code: model.CodeLagging}, http.StatusServiceUnavailable},
		{model.Condition{Code: model.CodeFull}, http.StatusServiceUnavailable},
		{model.Condition{Code: model.CodeNewer, ReadOnly: true}, http.StatusServiceUnavailable},
	} {
		held = x.held
		ready, lives := &recorder{}, &recorder{}
		r, _ := http.NewRequest(http.MethodGet, "/", nil)
		s.ready(ready, r)
		if s.health(lives, r); ready.code != x.want || lives.code != http.StatusOK {
			t.Errorf("%s: ready %d, lives %d", x.held.Code, ready.code, lives.code)
		}
	}
}

// An address of this machine that others can reach is served to this machine too, under that address alone.
func TestHealthAnswersAtTheMachinesOwnAddress(t *testing.T) {
	s := &Server{Now: time.Now}
	ask := func(host, from string) int {
		r, _ := http.NewRequest(http.MethodGet, "/healthz", nil)
		r.Host, r.RemoteAddr = host, from
		at := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 5), Port: 8473}
		w := &recorder{}
		s.handler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
		return w.code
	}
	own, other := ask("203.0.113.5:8473", "203.0.113.5:999"), ask("203.0.113.5:8473", "203.0.113.7:999")
	if named := ask("evil.example:8473", "203.0.113.5:999"); own != http.StatusOK || other != http.StatusNotFound || named != http.StatusForbidden {
		t.Errorf("from here %d, from another machine %d, under a name %d", own, other, named)
	}
}

// metricLine is a sample in the text format of Prometheus.
var metricLine = regexp.MustCompile(`^([a-z_]+)(\{([a-z]+="[^"]*",?)*\})? [0-9.e+-]+$`)

func TestMetricsTellOfCommandsInTheFormatOfPrometheus(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
	b.post(url, "x")
	got, err := http.Get(b.base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	raw, _ := io.ReadAll(got.Body)
	typed, name := map[string]bool{}, ""
	for line := range strings.Lines(strings.TrimSpace(string(raw))) {
		line = strings.TrimSpace(line)
		if f := strings.Fields(line); f[0] == "#" {
			if name = f[2]; f[1] == "TYPE" && typed[name] {
				t.Errorf("%s is there twice", name)
			}
			typed[name] = f[1] == "TYPE"
		} else if m := metricLine.FindStringSubmatch(line); m == nil || !typed[name] || !strings.HasPrefix(m[1], name) {
			t.Errorf("not a sample of %s: %s", name, line)
		}
	}
	for _, want := range []string{`vise_commands_total{kind="DeliverIngress",outcome="ok"} 1`, `vise_command_seconds_bucket{le="+Inf"} `,
		"vise_build_info{", `vise_needs{agent="ann",need="triggered"} 1`, "vise_oldest_need_seconds ", "vise_cost_dollars{",
		`vise_sessions{kind="driven"} 1`, `vise_sessions{kind="interactive"} 2`, `vise_host_up{host="build"} 1`, `vise_host_up{host="laptop"} 0`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in\n%s", want, raw)
		}
	}
}

type recorder struct{ code int }

func (r *recorder) Header() http.Header         { return http.Header{} }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
func (r *recorder) WriteHeader(code int)        { r.code = code }

func TestAnAddressThatOthersReachNeedsAWord(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:80", "nonsense"} {
		s := &Server{Ledger: store.NewMem(nil), Now: time.Now, Listen: listen}
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second) // a server that listens would go on
		err := s.Run(ctx)
		stop()
		var e *model.Error
		if !errors.As(err, &e) || e.Field != "listen" || strings.Contains(e.Hint, "--cert and --key") {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

func TestAnAddressInUseIsSaid(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := &Server{Ledger: store.NewMem(nil), Now: time.Now, Listen: l.Addr().String()}
	var e *model.Error
	if err := s.Run(t.Context()); !errors.As(err, &e) || e.Field != "listen" || !strings.Contains(e.Hint, "another address") {
		t.Errorf("got %v", err)
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
		r.RemoteAddr = "192.0.2.1:1"
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
