package runner

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

// counts holds the figures of a server since its start.
type counts struct {
	errors, deliveries, replays atomic.Int64

	mu sync.Mutex // protects the fields below
	// outcomes counts commands by the labels of their kind and outcome.
	outcomes map[string]int64
	// took are the commands by the first bound that they met, and all the seconds together.
	took    [len(bounds)]int64
	seconds float64
}

// bounds are those of the histogram, in seconds: a commit takes a few milliseconds, and a busy ledger is given up after some seconds.
var bounds = [...]float64{0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, math.Inf(1)}

// timedLedger counts the server's own commands.
type timedLedger struct {
	home.Ledger
	*counts
}

// Apply is part of home.Ledger.
func (l timedLedger) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	began := time.Now()
	in, err := l.Ledger.Apply(ctx, e)
	took, outcome := time.Since(began).Seconds(), "ok"
	if known := model.AsError(err); known != nil {
		outcome = string(known.Code)
	} else if err != nil {
		outcome = string(model.CodeInternal)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.outcomes == nil {
		l.outcomes = map[string]int64{}
	}
	l.outcomes[fmt.Sprintf(`{kind=%q,outcome=%q}`, model.CommandName(e.Command), outcome)]++
	l.took[slices.IndexFunc(bounds[:], func(bound float64) bool { return took <= bound })]++
	l.seconds += took
	return in, err
}

// health says that the process lives, whatever the ledger does.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") }

// Check asks the server at Listen, which another process runs without TLS, whether it is ready.
func (s *Server) Check(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Listen+"/readyz", nil)
	if err != nil {
		return err
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return model.Busy("no server answers at %s", model.Text(s.Listen))
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		return model.Busy("the server at %s is not ready", model.Text(s.Listen))
	}
	return nil
}

// ready says whether the ledger can be read and changed, and is up to date.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	var revision uint64
	err := s.Ledger.View(r.Context(), func(f model.Reader) error { revision = f.Revision(); return nil })
	if err != nil {
		answer(w, http.StatusServiceUnavailable, model.Text(err.Error()).String())
		return
	}
	for _, x := range s.conditions(r.Context()) {
		if x.ReadOnly || x.Code == model.CodeLagging || x.Code == model.CodeFull || x.Code == model.CodeDamaged {
			answer(w, http.StatusServiceUnavailable, fmt.Sprintf("%s: %s", x.Code, x.Message))
			return
		}
	}
	answer(w, http.StatusOK, fmt.Sprintf("ok, revision %d", revision))
}

func (s *Server) conditions(ctx context.Context) []model.Condition {
	if s.Conditions == nil {
		return nil
	}
	return s.Conditions(ctx)
}

// maxAgents bounds the agents in the metrics.
const maxAgents = 1000

// metrics writes the metrics in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	var out page
	s.process(&out)
	if err := s.Ledger.View(r.Context(), func(f model.Reader) error { out.ledger(f, s.Now()); return nil }); err != nil {
		s.fail(w, err)
		return
	}
	out.family("vise_condition", "gauge", "Problems that limit the use of the ledger now, such as lagging, read_only, full, clock.")
	told := map[model.Code]bool{}
	for _, x := range s.conditions(r.Context()) {
		if !told[x.Code] {
			told[x.Code] = true
			out.value(fmt.Sprintf(`{code=%q}`, x.Code), 1)
		}
	}
	if s.Sessions != nil {
		live := map[bool]int{}
		for _, x := range s.Sessions() {
			if x.State != home.SessionGone {
				live[x.Driver.PID != 0]++
			}
		}
		out.family("vise_sessions", "gauge", "Sessions of agents' programs that live: driven by vise, or interactive in a terminal.")
		out.value(`{kind="driven"}`, live[true])
		out.value(`{kind="interactive"}`, live[false])
	}
	if s.Machines != nil {
		out.family("vise_host_up", "gauge", "Whether the host is connected.")
		for _, x := range s.Machines() {
			out.value(fmt.Sprintf(`{host=%q}`, x.Name), one(!x.Away))
		}
	}
	if s.Cluster != nil {
		at, _ := s.Cluster(r.Context()) // with an error it still has what each member says
		out.cluster(at)
	}
	out.family("vise_errors_total", "counter", "Errors of the ledger.")
	out.value("", s.counts.errors.Load())
	out.family("vise_deliveries_total", "counter", "Deliveries carried out, and repeated ones.")
	out.value(`{replayed="false"}`, s.counts.deliveries.Load())
	out.value(`{replayed="true"}`, s.counts.replays.Load())
	out.commands(&s.counts)
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

func (p *page) value(labels string, n any) {
	fmt.Fprintf(&p.Buffer, "%s%s %v\n", p.name, labels, n)
}

// process writes what this process is and uses.
func (s *Server) process(p *page) {
	p.family("vise_build_info", "gauge", "The version of vise and of Go.")
	p.value(fmt.Sprintf(`{version=%q,goversion=%q}`, s.Version, runtime.Version()), 1)
	p.family("vise_start_time_seconds", "gauge", "When this process began to serve, in Unix seconds.")
	p.value("", s.began.Unix())
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	p.family("vise_memory_bytes", "gauge", "Memory that this process has from the system.")
	p.value("", memory.Sys)
	p.family("vise_goroutines", "gauge", "Goroutines of this process.")
	p.value("", runtime.NumGoroutine())
}

// commands writes how the server's own commands ended, and how long they took.
func (p *page) commands(c *counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.family("vise_commands_total", "counter", "Commands of this server, by kind and outcome: ok or the error's code.")
	for labels, n := range c.outcomes {
		p.value(labels, n)
	}
	p.family("vise_command_seconds", "histogram", "How long the commands of this server took.")
	n := int64(0)
	for i, bound := range bounds {
		n += c.took[i]
		p.value(fmt.Sprintf(`_bucket{le="%v"}`, bound), n)
	}
	p.value("_sum", c.seconds)
	p.value("_count", n)
}

// cluster writes what the members of a cluster say.
func (p *page) cluster(at store.ClusterStatus) {
	for _, m := range []struct {
		name, help string
		of         func(store.ClusterMember) any
	}{
		{"up", "Whether the member answers.", func(x store.ClusterMember) any { return one(x.Error == "") }},
		{"used_bytes", "What is in use of the member's quota.", func(x store.ClusterMember) any { return x.Used }},
		{"quota_bytes", "The member's quota.", func(x store.ClusterMember) any { return x.Quota }},
	} {
		p.family("vise_cluster_member_"+m.name, "gauge", m.help)
		for _, x := range at.Members {
			p.value(fmt.Sprintf(`{endpoint=%q}`, x.Endpoint), m.of(x))
		}
	}
	p.family("vise_cluster_shards", "gauge", "The shards of agents that each scheduler looks at.")
	for _, x := range at.Schedulers {
		p.value(fmt.Sprintf(`{scheduler=%q}`, x.Name), x.Shards)
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// ledger writes the figures of the ledger and its agents. Ids need no quoting: they are letters and digits.
func (p *page) ledger(f model.Reader, now time.Time) {
	agents := f.Agents("", maxAgents)
	p.family("vise_ledger_revision", "gauge", "The ledger's revision.")
	p.value("", f.Revision())
	p.family("vise_work_items", "gauge", "Work items by class.")
	for _, a := range agents {
		for _, c := range model.Classes {
			p.value(fmt.Sprintf(`{agent=%q,class=%q}`, a.ID, c), f.Count(a.ID, model.ClassTally(c)))
		}
	}
	p.family("vise_needs", "gauge", "What needs you, by kind.")
	for _, a := range agents {
		for _, need := range model.Needs {
			p.value(fmt.Sprintf(`{agent=%q,need=%q}`, a.ID, need), f.Count(a.ID, model.NeedTally(need)))
		}
	}
	oldest := now
	for _, x := range model.Inbox(f, now, maxAgents) {
		if x.Since.Before(oldest) {
			oldest = x.Since
		}
	}
	p.family("vise_oldest_need_seconds", "gauge", "How long the oldest of what needs you has waited.")
	p.value("", now.Sub(oldest).Seconds())
	for _, m := range []struct {
		name, kind, help string
		of               func(model.Agent) any
	}{
		{"vise_needs_operator", "gauge", "Work items that need you.", func(a model.Agent) any {
			return f.Count(a.ID, model.TallyNeedsOperator)
		}},
		{"vise_turn_running", "gauge", "Whether a turn of the agent runs.", func(a model.Agent) any { return one(a.Turn != nil) }},
		{"vise_turns_total", "counter", "Turns that were started.", func(a model.Agent) any { return a.TurnIndex }},
		{"vise_queued_messages", "gauge", "Messages that wait for a turn.", func(a model.Agent) any { return a.QueuedInput }},
		{"vise_cost_dollars", "gauge", "What the turns of the newest day (UTC) cost.", func(a model.Agent) any { return a.Pace.Cost }},
	} {
		p.family(m.name, m.kind, m.help)
		for _, a := range agents {
			p.value(fmt.Sprintf(`{agent=%q}`, a.ID), m.of(a))
		}
	}
}
