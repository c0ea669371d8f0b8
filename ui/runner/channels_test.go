package runner

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
	"vise/ui/config"
)

// channelBench is a home with one agent, a clock, and a server that receives what channels send.
type channelBench struct {
	t      *testing.T
	dir    string
	ledger *store.Ledger
	now    time.Time
	url    string

	mu sync.Mutex
	// got are the bodies, titles their titles; status is the answer.
	got, titles []string
	status      int
	to          string
}

func newChannelBench(t *testing.T) *channelBench {
	t.Helper()
	b := &channelBench{t: t, dir: t.TempDir(), now: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), status: 200}
	l, err := store.NewLedger(t.Context(), kv.NewMemory(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	l.Now = func() time.Time { return b.now }
	b.ledger = l
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.got, b.titles = append(b.got, string(body)), append(b.titles, r.Header.Get("Title"))
		if b.to != "" {
			w.Header().Set("Location", b.to)
		}
		w.WriteHeader(b.status)
	}))
	t.Cleanup(s.Close)
	b.url = s.URL + "/hidden-topic?auth=hidden-token"
	return b
}

func (b *channelBench) do(by model.Actor, c model.Command) model.Receipt {
	b.t.Helper()
	in, err := b.ledger.Apply(b.t.Context(), model.Envelope{Key: home.NewKey(), Actor: by, Agent: "ann", Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return in
}

// asks makes a work item that asks.
func (b *channelBench) asks(question model.Text) model.ItemID {
	id := b.do("agent:ann", model.CreateWorkItem{Objective: "Cache policy"}).WorkItemID
	b.do("agent:ann", model.WaitFor{WorkItemID: id, Reason: question, Wake: model.WakeOperatorInput, Question: question})
	return id
}

// look lets a new process look once after a while.
func (b *channelBench) look(after time.Duration, s config.Config) {
	b.t.Helper()
	b.now = b.now.Add(after)
	c := &Channels{Ledger: home.On(b.ledger, files.Home{}, home.Options{}), Home: b.dir, Now: func() time.Time { return b.now }}
	if busy, err := c.look(b.t.Context(), s); busy || err != nil {
		b.t.Fatalf("busy %v, %v", busy, err)
	}
}

// sent returns the bodies since the last call.
func (b *channelBench) sent() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.got
	b.got = nil
	return out
}

func (b *channelBench) mustSend(why string, want ...string) {
	b.t.Helper()
	got := b.sent()
	if len(got) != len(want) {
		b.t.Fatalf("%s: sent %q, want %d", why, got, len(want))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			b.t.Errorf("%s: sent %q, want %q in it", why, got[i], want[i])
		}
	}
}

func settings(x config.Channel) config.Config {
	c := config.Default()
	c.Channels = map[string]config.Channel{"phone": x}
	return c
}

func TestANeedIsSentOnceAndAgainWhenItIsNews(t *testing.T) {
	b := newChannelBench(t)
	s := settings(config.Channel{Ntfy: config.Address(b.url)})
	b.asks("Before?")
	b.look(time.Minute, s)
	b.mustSend("what needs the operator already")
	id := b.asks("LRU or LFU?")
	other := b.asks("How large?")
	b.look(time.Minute, s)
	b.mustSend("two needs at once", "LRU or LFU?")
	if title := b.titles[0]; title != "vise: 2 ask" {
		t.Errorf("the title is %q", title)
	}
	b.look(time.Minute, s)
	b.look(time.Hour, s)
	b.mustSend("the same needs")
	b.do(model.Operator, model.Acknowledge{WorkItemID: other})
	b.do("agent:ann", model.WaitFor{WorkItemID: id, Reason: "TTL?", Wake: model.WakeOperatorInput, Question: "TTL?"})
	b.look(time.Minute, s)
	b.mustSend("another question", "TTL?")
	b.do(model.Operator, model.Snooze{WorkItemID: id, Until: b.now.Add(time.Hour)})
	b.look(time.Minute, s)
	b.mustSend("a snoozed need")
	b.look(2*time.Hour, s)
	b.mustSend("the end of a snooze", "TTL?")
	b.look(time.Minute, s)
	b.mustSend("the same again")
}

func TestAChannelThatFailsIsTriedAgainLaterAndSaysWhy(t *testing.T) {
	b := newChannelBench(t)
	s := settings(config.Channel{Webhook: config.Address(b.url)})
	b.look(0, s)
	b.asks("LRU or LFU?")
	b.status = 503
	for i, after := range []time.Duration{time.Minute, 61 * time.Second, 121 * time.Second, 241 * time.Second} {
		b.look(after, s)
		b.mustSend("try "+string(rune('1'+i)), "LRU or LFU?")
		b.look(30*time.Second, s)
		b.mustSend("too early")
	}
	x := ChannelStates(b.dir, s.Channels)[0]
	if x.Failures != 4 || x.Why != "answered 503 Service Unavailable" || !x.RetryAt.After(b.now) {
		t.Errorf("its state is %+v", x)
	}
	b.asks("How large?")
	b.status = 204
	b.look(time.Hour, s)
	b.mustSend("when it is well, all at once", `"count":2`)
	if x := ChannelStates(b.dir, s.Channels)[0]; x.Failures != 0 || x.Why != "" || x.Last.IsZero() {
		t.Errorf("its state is %+v", x)
	}
	b.look(time.Minute, s)
	b.mustSend("then nothing")
}

// What a killed process was sending, and what got no answer, may have arrived.
func TestWhatMayHaveArrivedIsNotSentAgain(t *testing.T) {
	b := newChannelBench(t)
	recorded := filepath.Join(t.TempDir(), "recorded")
	s := settings(config.Channel{Command: []string{"/bin/sh", "-c", `cp "$1" "$2"; kill -9 $$`, "sh", filepath.Join(b.dir, "state", "channels.json"), recorded}})
	b.look(0, s)
	b.asks("LRU or LFU?")
	b.look(time.Minute, s)
	if x := ChannelStates(b.dir, s.Channels)[0]; x.Failures != 1 || !strings.HasSuffix(string(x.Why), "; it may have arrived") {
		t.Errorf("its state is %+v", x)
	}
	whileItSent, err := os.ReadFile(recorded)
	if err == nil {
		err = os.WriteFile(filepath.Join(b.dir, "state", "channels.json"), whileItSent, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s = settings(config.Channel{Ntfy: config.Address(b.url)})
	b.look(time.Hour, s)
	b.mustSend("what a killed process was sending")

	came, over := make(chan struct{}, 9), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came <- struct{}{}; <-over }))
	defer silent.Close()
	defer close(over)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-came; cancel() }()
	if again, err := Send(ctx, config.Channel{Webhook: config.Address(silent.URL)}, TestMessage("phone")); again || err == nil {
		t.Errorf("no answer is %v, %v", again, err)
	}
	silent.CloseClientConnections()
	nobody := httptest.NewServer(nil)
	nobody.Close()
	again, err := Send(t.Context(), config.Channel{Webhook: config.Address(nobody.URL + "/hidden")}, TestMessage("phone"))
	if !again || err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("nobody there is %v, %v", again, err)
	}
}

func TestOneProcessSendsAtATime(t *testing.T) {
	b := newChannelBench(t)
	s := settings(config.Channel{Ntfy: config.Address(b.url)})
	b.look(0, s)
	b.asks("LRU or LFU?")
	lock, err := files.LockAtOnce(b.dir, "channels.lock")
	if err != nil {
		t.Fatal(err)
	}
	b.now = b.now.Add(time.Minute)
	c := &Channels{Ledger: home.On(b.ledger, files.Home{}, home.Options{}), Home: b.dir, Now: func() time.Time { return b.now }}
	if busy, err := c.look(t.Context(), s); !busy || err != nil {
		t.Errorf("beside another: busy %v, %v", busy, err)
	}
	lock.Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _, _ = c.look(t.Context(), s) })
	}
	all.Wait()
	b.look(time.Minute, s)
	b.mustSend("eight at once", "LRU or LFU?")
}

func TestAChannelHasItsNeedsAndItsHours(t *testing.T) {
	b := newChannelBench(t)
	s := settings(config.Channel{Ntfy: config.Address(b.url), QuietHours: "08:00-11:00"})
	s.Channels["all"] = config.Channel{Webhook: config.Address(b.url), Needs: nil}
	at := time.Date(2026, 1, 2, 9, 0, 0, 0, time.Local)
	b.now = at
	b.look(0, s)
	b.asks("LRU or LFU?")
	b.look(time.Minute, s)
	b.mustSend("one has quiet hours", `"channel":"all"`)
	b.look(2*time.Hour, s)
	b.mustSend("they are over", "LRU or LFU?")
	done := b.do("agent:ann", model.CreateWorkItem{Objective: "Done without a word"}).WorkItemID
	b.do("agent:ann", model.CompleteWorkItem{WorkItemID: done})
	b.look(time.Minute, s)
	b.mustSend("what does not wait for a word")
}

func TestSecretsAndHostileWordsStayWhereTheyAre(t *testing.T) {
	b := newChannelBench(t)
	s := settings(config.Channel{Webhook: config.Address(b.url)})
	b.look(0, s)
	b.asks("which\x1b]0;owned\x07 \u202eone?\r\nX-Evil: 1")
	b.status, b.to = 302, b.url
	b.look(time.Minute, s)
	got := b.sent()
	var m Message
	if len(got) != 1 || json.Unmarshal([]byte(got[0]), &m) != nil {
		t.Fatalf("a redirection is followed, or the message does not read: %q", got)
	}
	if strings.ContainsAny(m.Title+m.Body+m.Needs[0].Says, "\x1b\x07\r\u202e") || strings.Contains(m.Body, "\nX-Evil") {
		t.Errorf("the message drives who reads it: %+v", m)
	}
	raw, err := os.ReadFile(filepath.Join(b.dir, "state", "channels.json"))
	if err != nil {
		t.Fatal(err)
	}
	state, _ := json.Marshal(ChannelStates(b.dir, s.Channels))
	if shown := string(raw) + string(state); strings.Contains(shown, "hidden") || !strings.Contains(shown, "302") {
		t.Errorf("it tells %s", shown)
	}
}

func TestAProgramSendsWhenItEndsWell(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	run := func(ctx context.Context, script string, more ...string) (again bool, err error) {
		return Send(ctx, config.Channel{Command: append([]string{"/bin/sh", "-c", script, "sh"}, more...)}, TestMessage("phone"))
	}
	if again, err := run(t.Context(), `{ printf '%s\n' "$1"; cat; } > "$2"`, "{title}", out); again || err != nil {
		t.Errorf("it is %v, %v", again, err)
	}
	raw, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(raw), "vise: a test of channel phone\n{") {
		t.Errorf("it got %q, %v", raw, err)
	}
	if again, err := run(t.Context(), "exit 3"); !again || err == nil || err.Error() != "ended with 3" {
		t.Errorf("it is %v, %v", again, err)
	}
	if again, err := run(t.Context(), "kill -9 $$"); again || err == nil {
		t.Errorf("it is %v, %v", again, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if again, err := run(ctx, "sleep 600 & sleep 600"); again || err == nil {
		t.Errorf("it is %v, %v", again, err)
	}
	if again, err := Send(t.Context(), config.Channel{Command: []string{filepath.Join(dir, "none")}}, TestMessage("x")); !again || err == nil {
		t.Errorf("it is %v, %v", again, err)
	}
}
