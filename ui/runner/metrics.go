package runner

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"vise/model"
)

// counts are what a server has done since it started.
type counts struct {
	commands, errors, deliveries, replays atomic.Int64

	mu       sync.Mutex // protects requests
	requests map[int]int64
}

// counted counts the answers by status.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &status{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(seen, r)
		s.counts.mu.Lock()
		defer s.counts.mu.Unlock()
		if s.counts.requests == nil {
			s.counts.requests = map[int]int64{}
		}
		s.counts.requests[seen.code]++
	})
}

type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// Unwrap lets the limits of a request reach the connection.
func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	var revision uint64
	err := s.Ledger.View(r.Context(), func(f model.Reader) error { revision = f.Revision(); return nil })
	if err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, fmt.Sprintf("ok, revision %d", revision))
}

// maxAgents bounds the agents that metrics tell of.
const maxAgents = 1000

// metrics tells what can be watched, in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	var out page
	if err := s.Ledger.View(r.Context(), func(f model.Reader) error { out.ledger(f); return nil }); err != nil {
		s.fail(w, err)
		return
	}
	out.family("vise_scheduler_commands_total", "counter", "Commands that the scheduler sent.")
	out.value("vise_scheduler_commands_total", "", s.counts.commands.Load())
	out.family("vise_errors_total", "counter", "Errors of the ledger.")
	out.value("vise_errors_total", "", s.counts.errors.Load())
	out.family("vise_deliveries_total", "counter", "Deliveries carried out, and those that had been.")
	out.value("vise_deliveries_total", `{replayed="false"}`, s.counts.deliveries.Load())
	out.value("vise_deliveries_total", `{replayed="true"}`, s.counts.replays.Load())
	out.family("vise_http_requests_total", "counter", "Requests answered, by status.")
	s.counts.mu.Lock()
	for _, code := range slices.Sorted(maps.Keys(s.counts.requests)) {
		out.value("vise_http_requests_total", fmt.Sprintf(`{code="%d"}`, code), s.counts.requests[code])
	}
	s.counts.mu.Unlock()
	out.family("vise_goroutines", "gauge", "Goroutines of this process.")
	out.value("vise_goroutines", "", int64(runtime.NumGoroutine()))
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(out.Bytes())
}

type page struct{ bytes.Buffer }

func (p *page) family(name, kind, help string) {
	fmt.Fprintf(&p.Buffer, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (p *page) value(name, labels string, n int64) {
	fmt.Fprintf(&p.Buffer, "%s%s %d\n", name, labels, n)
}

// ledger tells of the ledger and its agents. Ids need no quoting: they are letters and digits.
func (p *page) ledger(f model.Reader) {
	agents := f.Agents("", maxAgents)
	p.family("vise_ledger_revision", "gauge", "The ledger's revision.")
	p.value("vise_ledger_revision", "", int64(f.Revision()))
	p.family("vise_work_items", "gauge", "Work items by candidate class.")
	for _, a := range agents {
		for _, c := range model.Classes {
			p.value("vise_work_items", fmt.Sprintf(`{agent=%q,class=%q}`, a.ID, c), int64(f.Count(a.ID, model.ClassTally(c))))
		}
	}
	p.family("vise_needs_operator", "gauge", "Work items that need the operator.")
	for _, a := range agents {
		p.value("vise_needs_operator", fmt.Sprintf(`{agent=%q}`, a.ID), int64(f.Count(a.ID, model.TallyNeedsOperator)))
	}
	p.family("vise_turn_running", "gauge", "Whether a turn of the agent runs.")
	for _, a := range agents {
		running := int64(0)
		if a.Turn != nil {
			running = 1
		}
		p.value("vise_turn_running", fmt.Sprintf(`{agent=%q}`, a.ID), running)
	}
	p.family("vise_turns_total", "counter", "Turns that were started.")
	for _, a := range agents {
		p.value("vise_turns_total", fmt.Sprintf(`{agent=%q}`, a.ID), int64(a.TurnIndex))
	}
	p.family("vise_queued_messages", "gauge", "Messages that wait for a turn.")
	for _, a := range agents {
		p.value("vise_queued_messages", fmt.Sprintf(`{agent=%q}`, a.ID), int64(a.QueuedInput))
	}
}
