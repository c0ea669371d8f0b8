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

// counts holds the figures of a server since its start.
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

// Unwrap lets http.ResponseController reach the connection.
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

// maxAgents bounds the agents in the metrics.
const maxAgents = 1000

// metrics writes the metrics in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	var out page
	if err := s.Ledger.View(r.Context(), func(f model.Reader) error { out.ledger(f); return nil }); err != nil {
		s.fail(w, err)
		return
	}
	out.family("vise_scheduler_commands_total", "counter", "Commands that the scheduler sent.")
	out.value("", s.counts.commands.Load())
	out.family("vise_errors_total", "counter", "Errors of the ledger.")
	out.value("", s.counts.errors.Load())
	out.family("vise_deliveries_total", "counter", "Deliveries carried out, and repeated ones.")
	out.value(`{replayed="false"}`, s.counts.deliveries.Load())
	out.value(`{replayed="true"}`, s.counts.replays.Load())
	out.family("vise_http_requests_total", "counter", "Requests answered, by status.")
	s.counts.mu.Lock()
	for _, code := range slices.Sorted(maps.Keys(s.counts.requests)) {
		out.value(fmt.Sprintf(`{code="%d"}`, code), s.counts.requests[code])
	}
	s.counts.mu.Unlock()
	out.family("vise_goroutines", "gauge", "Goroutines of this process.")
	out.value("", int64(runtime.NumGoroutine()))
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(out.Bytes())
}

// page is a page of metrics; name is the metric family of the values that follow.
type page struct {
	bytes.Buffer
	name string
}

func (p *page) family(name, kind, help string) {
	p.name = name
	fmt.Fprintf(&p.Buffer, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (p *page) value(labels string, n int64) {
	fmt.Fprintf(&p.Buffer, "%s%s %d\n", p.name, labels, n)
}

// ledger writes the figures of the ledger and its agents. Ids need no quoting: they are letters and digits.
func (p *page) ledger(f model.Reader) {
	agents := f.Agents("", maxAgents)
	p.family("vise_ledger_revision", "gauge", "The ledger's revision.")
	p.value("", int64(f.Revision()))
	p.family("vise_work_items", "gauge", "Work items by class.")
	for _, a := range agents {
		for _, c := range model.Classes {
			p.value(fmt.Sprintf(`{agent=%q,class=%q}`, a.ID, c), int64(f.Count(a.ID, model.ClassTally(c))))
		}
	}
	for _, m := range []struct {
		name, kind, help string
		of               func(model.Agent) int64
	}{
		{"vise_needs_operator", "gauge", "Work items that need you.", func(a model.Agent) int64 {
			return int64(f.Count(a.ID, model.TallyNeedsOperator))
		}},
		{"vise_turn_running", "gauge", "Whether a turn of the agent runs.", func(a model.Agent) int64 {
			if a.Turn == nil {
				return 0
			}
			return 1
		}},
		{"vise_turns_total", "counter", "Turns that were started.", func(a model.Agent) int64 { return int64(a.TurnIndex) }},
		{"vise_queued_messages", "gauge", "Messages that wait for a turn.", func(a model.Agent) int64 { return int64(a.QueuedInput) }},
	} {
		p.family(m.name, m.kind, m.help)
		for _, a := range agents {
			p.value(fmt.Sprintf(`{agent=%q}`, a.ID), m.of(a))
		}
	}
}
