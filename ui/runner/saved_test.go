package runner

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
	"vise/store/storetest"
)

// faultyHome is a home whose ledger fails at the test's command.
func faultyHome(t *testing.T) (*home.Home, *storetest.Faults) {
	t.Helper()
	f := &storetest.Faults{Backend: kv.NewMemory()}
	l, err := store.NewLedger(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := home.On(l, files.Home{}, home.Options{})
	t.Cleanup(func() { h.Close() })
	return h, f
}

// TestADeliveryThatIsSavedIsSaidToBe makes each transaction of a delivery fail, or loses its outcome: the answer to the
// sender says what was committed, and the repeated delivery counts once.
func TestADeliveryThatIsSavedIsSaidToBe(t *testing.T) {
	for at := 0; at <= 4; at++ { // 0 loses the outcome
		for code, trouble := range storetest.Troubles {
			h, f := faultyHome(t)
			b := &serveBench{t: t, ledger: h.Ledger}
			b.item = b.do("agent:ann", model.CreateWorkItem{Objective: "One"}).WorkItemID
			b.wait = b.do("agent:ann", model.WaitFor{WorkItemID: b.item, Reason: "ci", Wake: model.WakeExternal, Resource: "ci"}).WaitID
			ready := make(chan net.Addr, 1)
			s := &Server{Ledger: h, Now: time.Now, Listen: "127.0.0.1:0", Ready: func(a net.Addr) { ready <- a }, Report: func(error) {}}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.Run(ctx) }()
			b.addr = (<-ready).String()
			b.base = "http://" + b.addr
			url, _ := b.mintFor(model.MintIngress{WorkItemID: b.item})
			committed := func() bool { names, _ := f.Committed(); return slices.Contains(names, "DeliverIngress") }
			lose := 0
			if at == 0 {
				lose = 1
			}
			f.Arm(lose, func(n int, saved bool) error {
				if at > 0 && n >= at || at == 0 && saved {
					return trouble
				}
				return nil
			})
			status, said := b.post(url, "it ran", "X-Delivery-Id: one")
			saved := committed()
			want := saved
			if at == 0 { // unknown: the sender is told to try again
				want = false
			}
			if (status == http.StatusAccepted) != want || status >= 400 && status < 500 {
				t.Errorf("%s at %d: saved %v, and answers %d %s", code, at, saved, status, said)
			}
			f.Arm(0, nil)
			again, said := b.post(url, "it ran", "X-Delivery-Id: one")
			if (again == http.StatusOK) != saved || again != http.StatusOK && again != http.StatusAccepted || b.triggered() != 1 {
				t.Errorf("%s at %d, again: saved before %v, answers %d %s, %d triggers", code, at, saved, again, said, b.triggered())
			}
			cancel()
			<-ended
		}
	}
}

// applying is a home that calls after when a command returns.
type applying struct {
	*home.Home
	after func()
}

func (a applying) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	defer a.after()
	return a.Home.Apply(ctx, e)
}

// TestADriverGoesOnWhereTheAnswerOfACommitIsLost runs a program while the outcome of every commit is lost, and while
// the transactions after each round fail, until its command returns: each round is answered with its receipt, and counts once.
func TestADriverGoesOnWhereTheAnswerOfACommitIsLost(t *testing.T) {
	for name, mode := range map[string]struct{ lose, fails int64 }{"lost": {1 << 20, 0}, "busy after it": {0, 2}, "both": {1 << 20, 2}} {
		h, f := faultyHome(t)
		b := &bench{t: t, dir: t.TempDir(), ledger: h.Ledger}
		id := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
		var failing atomic.Int64
		f.Arm(int(mode.lose), func(int, bool) error {
			if failing.Add(-1) >= 0 {
				return storetest.Troubles[model.CodeBusy]
			}
			return nil
		})
		f.Seen = func(command string) {
			if command == "Round" {
				failing.Store(mode.fails)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		d := b.driver(b.program("rounds"))
		d.Ledger = applying{h, func() { failing.Store(0) }}
		err := d.Run(ctx)
		cancel()
		f.Arm(0, nil)
		if w := b.item(id); err != nil || w.State != model.Completed || !strings.HasPrefix(w.ResultSummary.Raw(), "Report of") {
			t.Errorf("%s: %v, %s is %s with report %q", name, err, id, w.State, w.ResultSummary)
		}
		if n, news := len(b.entries(model.EventReportPromoted)), b.ended(); n != 1 || news.Outcome != model.TurnCompleted {
			t.Errorf("%s: %d reports, the turn ended as %+v", name, n, news)
		}
	}
}
