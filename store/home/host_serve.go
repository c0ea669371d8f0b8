package home

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"maps"
	"slices"
	"time"

	"vise/model"
)

// hostServer sends the state of a home to a console on another machine, and carries out the commands from there.
type hostServer struct {
	*Home
	out *bufio.Writer
	// told are the records that were sent, by agent; counted are the counts that were sent; heard is how far events were sent.
	told    map[model.AgentID]map[model.RecordName]uint64
	counted map[model.AgentID]map[model.Tally]int
	heard   model.News
	at      uint64
	begun   bool
	seed    maphash.Seed
}

// ServeHost serves a console on another machine until its input or ctx ends. A user that can start it can do everything that the operator
// can.
func (h *Home) ServeHost(ctx context.Context, in io.Reader, out io.Writer) error {
	defer Mark(h.Dir(), MarkConsole)()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &hostServer{Home: h, out: bufio.NewWriter(out), told: map[model.AgentID]map[model.RecordName]uint64{},
		counted: map[model.AgentID]map[model.Tally]int{}, seed: maphash.MakeSeed()}
	asked := make(chan toHost)
	go func() { // ends with in, or at the first line after ctx
		defer stop()
		for line := range hostLines(in) {
			var x toHost
			if json.Unmarshal(line, &x) != nil {
				return
			}
			select {
			case asked <- x:
			case <-ctx.Done():
				return
			}
		}
	}()
	err := s.serve(ctx, asked)
	if ctx.Err() != nil {
		return nil // the usual end: the console went away
	}
	return err
}

func (s *hostServer) serve(ctx context.Context, asked <-chan toHost) error {
	beat := time.NewTicker(hostBeat)
	defer beat.Stop()
	moved := make(chan error, 1)
	follow := func(pause time.Duration) {
		after := s.at
		go func() {
			Pause(ctx, pause)
			_, err := s.Follow(ctx, after)
			moved <- err
		}()
	}
	took, err := s.tell(ctx)
	follow(took)
	for err == nil {
		select {
		case err = <-moved:
			if err == nil {
				took, err = s.tell(ctx)
				follow(tellShare * took)
			}
		case x := <-asked:
			err = s.answer(ctx, x)
		case <-beat.C:
			err = s.write(fromHost{})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// tellShare bounds the share of time that is spent on sending the state while commits come without a pause.
const tellShare = 4

func (s *hostServer) write(x fromHost) error {
	raw, err := json.Marshal(x)
	if err == nil {
		_, err = s.out.Write(append(raw, '\n'))
	}
	return errors.Join(err, s.out.Flush())
}

// answer carries out a command and sends the changed state before the answer, or it sends a plan.
func (s *hostServer) answer(ctx context.Context, x toHost) error {
	if x.Plan != "" {
		return s.write(fromHost{Plan: s.plan(ctx, x.Plan)})
	}
	a := hostAnswer{Key: x.Key}
	c, err := model.DecodeCommand(x.Command, x.Input)
	if err == nil && x.Key == "" {
		err = model.Invalid("the command has no key")
	}
	if err == nil {
		a.Receipt, err = s.Apply(ctx, model.Envelope{Key: x.Key, Actor: model.Operator, Agent: x.Agent, Command: c})
	}
	if err != nil {
		a.Error = &model.Error{Code: model.CodeInternal, Message: model.Text(err.Error()).String()}
		if known := model.AsError(err); known != nil {
			x := *known
			x.Message, x.Candidates = known.Error(), nil
			a.Error = &x
		}
	}
	if _, err := s.tell(ctx); err != nil {
		return err
	}
	return s.write(fromHost{Answer: &a})
}

func (s *hostServer) plan(ctx context.Context, id model.ItemID) *HostPlan {
	out := &HostPlan{WorkItemID: id, Artifact: model.PlanArtifact{Condition: model.PlanMissing}}
	var w model.WorkItem
	if err := s.View(ctx, func(r model.Reader) error { w, _ = r.Item(id); return nil }); err != nil || w.ID == "" {
		out.Reason = "there is no such work item"
		return out
	}
	p := s.whole(ctx, w, s.orElsewhere(w, s.files.Plan(w.AgentID, w.ID)))
	out.Artifact, out.Reason = p.PlanArtifact, p.Reason
	switch {
	case p.Condition == model.PlanOK && len(p.Raw) > maxHostPlan:
		out.Artifact.Condition, out.Reason = model.PlanTooLarge, "it is too large to be shown from another machine"
	case p.Condition == model.PlanOK, p.Condition == model.PlanElsewhere:
		out.Text = string(p.Raw)
	}
	return out
}

// tell sends the part of the state that was not sent yet.
func (s *hostServer) tell(ctx context.Context) (took time.Duration, err error) {
	var out fromHost
	began := time.Now()
	err = s.View(ctx, func(r model.Reader) error {
		out = s.news(r)
		return nil
	})
	took = time.Since(began)
	if err != nil || s.begun && out.Revision == s.at {
		return took, err
	}
	if !s.begun {
		out.Protocol, out.HomeID, out.Home, s.begun = hostProtocol, s.Ledger.Home().ID, s.Dir(), true
	}
	s.at = out.Revision
	for err == nil && len(out.Records) > 0 {
		part := fromHost{Protocol: out.Protocol, HomeID: out.HomeID, Home: out.Home, More: true}
		n := 0
		for size := 0; n < len(out.Records) && size < hostPart; n++ {
			size += len(out.Records[n].Record)
		}
		part.Records, out.Records = out.Records[:n], out.Records[n:]
		out.Protocol, out.HomeID, out.Home = 0, "", ""
		err = s.write(part)
	}
	return took, errors.Join(err, s.write(out))
}

// news returns what changed since its last call, for the agents that have changes.
func (s *hostServer) news(r model.Reader) fromHost {
	out := fromHost{Revision: r.Revision(), Counts: map[model.AgentID]map[model.Tally]int{}}
	moved, all := map[model.AgentID]bool{}, !s.begun
	if !all {
		var known bool
		out.Entries, s.heard, known = s.heard.Next(r, hostEvents)
		all = !known // if events are missing, their agents are not known
	}
	if all {
		out.Entries, s.heard = r.HistoryBefore("", model.Position{}, hostEvents), model.NewsFrom(r, "")
		slices.Reverse(out.Entries)
	}
	for _, e := range out.Entries {
		moved[e.AgentID] = true
	}
	needs := itemsInNeed(r)
	for _, a := range r.Agents("", hostAgents) {
		if !all && !moved[a.ID] && a.Turn == nil && s.told[a.ID] != nil {
			continue
		}
		s.newsOf(r, a, needs[a.ID], &out)
	}
	return out
}

// newsOf adds the changes of one agent.
func (s *hostServer) newsOf(r model.Reader, a model.Agent, needs []model.ItemID, out *fromHost) {
	now := map[model.RecordName]uint64{}
	for _, x := range recordsOf(r, a, needs) {
		raw, err := json.Marshal(x)
		if err != nil {
			continue // a record that was read can always be encoded
		}
		sum := maphash.Bytes(s.seed, raw)
		if was, known := s.told[a.ID][x.Name()]; !known || was != sum {
			out.Records = append(out.Records, hostRecord{x.Name().Kind, raw})
		}
		now[x.Name()] = sum
	}
	for name := range s.told[a.ID] {
		if _, stays := now[name]; !stays {
			out.Gone = append(out.Gone, name)
		}
	}
	counts := map[model.Tally]int{}
	for _, t := range hostTallies() {
		if n := r.Count(a.ID, t); n > 0 {
			counts[t] = n
		}
	}
	if was, known := s.counted[a.ID]; !known || !maps.Equal(was, counts) {
		out.Counts[a.ID] = counts
	}
	s.told[a.ID], s.counted[a.ID] = now, counts
}

// hostTallies are the counts that a host sends for each agent.
func hostTallies() []model.Tally {
	out := []model.Tally{model.TallyOpen, model.TallyCompleted, model.TallyNeedsOperator, model.ClassTally(model.ReportOffered)}
	for _, c := range model.Classes {
		out = append(out, model.ClassTally(c))
	}
	for _, n := range model.Needs {
		out = append(out, model.NeedTally(n))
	}
	return out
}

// itemsInNeed returns the items of the inbox by agent, including items that finished long ago.
func itemsInNeed(r model.Reader) map[model.AgentID][]model.ItemID {
	out := map[model.AgentID][]model.ItemID{}
	for _, need := range append(slices.Clone(model.Needs), model.Snoozed) {
		n := 0
		r.Inbox(need, func(x model.Inboxed) bool {
			if !x.OfAgent() {
				out[x.AgentID] = append(out[x.AgentID], x.ID)
			}
			n++
			return n < hostNeeds
		})
	}
	return out
}

// recordsOf returns the records of an agent that a console shows, each once.
func recordsOf(r model.Reader, a model.Agent, needs []model.ItemID) []model.Record {
	g := gathered{Reader: r, seen: map[model.RecordName]bool{}}
	g.add(a)
	addAll(&g, r.ItemWaits(a.ID, ""))
	addAll(&g, r.QueuedMessages(a.ID, hostWithin))
	addAll(&g, r.RunningTasks(a.ID, hostWithin))
	addAll(&g, r.OpenDelegations(a.ID, hostWithin))
	ids := slices.Clone(needs)
	if a.CurrentWorkItemID != "" {
		ids = append(ids, a.CurrentWorkItemID)
		if t, ok := r.Trace(a.ID, a.CurrentWorkItemID); ok { // the finished replies
			g.add(t)
		}
	}
	for _, c := range append(slices.Clone(model.Classes), model.ReportOffered) {
		limit := hostOpen
		if c == model.CompletedRecent {
			limit = hostFinished
		}
		for _, row := range r.Rows(a.ID, c, nil, limit) {
			ids = append(ids, row.ID)
		}
	}
	for _, id := range ids {
		g.item(a.ID, id)
	}
	return g.out
}

// gathered collects records, each once.
type gathered struct {
	model.Reader
	seen map[model.RecordName]bool
	out  []model.Record
}

func (g *gathered) add(x model.Record) {
	if !g.seen[x.Name()] {
		g.seen[x.Name()] = true
		g.out = append(g.out, x)
	}
}

func addAll[R model.Record](g *gathered, all []R) {
	for _, x := range all {
		g.add(x)
	}
}

// item adds an item with the records that its row and its detail need.
func (g *gathered) item(agent model.AgentID, id model.ItemID) {
	w, ok := g.Item(id)
	if !ok || g.seen[w.Name()] {
		return
	}
	w.Links, w.PlanArtifact.Path = model.Links{}, "" // paths on this machine
	g.add(w)
	addAll(g, g.Waits(agent, id, hostWithin))
	addAll(g, g.ItemWaits(agent, id))
	addAll(g, g.Delegations(agent, id))
	for _, kind := range []model.RecordKind{model.KindAttempt, model.KindOffers, model.KindSeen, model.KindBrief} {
		if x, ok := g.Record(model.RecordName{Kind: kind, Key: string(id)}); ok {
			g.add(x)
		}
	}
	if n := len(w.Replies); n > 0 {
		if m, ok := g.Message(w.Replies[n-1].MessageID); ok {
			g.add(m)
		}
	}
}

// hostLines returns the lines of a stream; a line longer than maxHostLine ends it.
func hostLines(in io.Reader) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		s := bufio.NewScanner(in)
		s.Buffer(make([]byte, 0, 64<<10), maxHostLine)
		for s.Scan() {
			if !yield(bytes.Clone(s.Bytes())) {
				return
			}
		}
	}
}
