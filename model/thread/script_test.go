package thread_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"vise/model"
	"vise/model/thread"
)

// TestScripts runs the rules, one script for each. Each command runs a second after the previous one; git is in the
// state that the script last set.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/rules", func(t *testing.T, path string) {
		s := &script{
			at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), repo: map[thread.ID]thread.Thread{},
			git: thread.Git{State: thread.GitOK, Branch: "main", Head: commit("base")}, lines: thread.Lineages{},
		}
		datadriven.RunTest(t, path, s.run)
	})
}

// commit makes a commit id of a script's short name.
func commit(name string) string { return fmt.Sprintf("%x%0*d", name, 40-2*len(name), 0) }

type script struct {
	at      time.Time
	repo    map[thread.ID]thread.Thread
	pointer thread.Pointer
	git     thread.Git
	lines   thread.Lineages
}

func (s *script) Pointer() thread.Pointer { return s.pointer }
func (s *script) Thread(id thread.ID) (thread.Thread, bool, error) {
	t, ok := s.repo[id]
	return t, ok, nil
}
func (s *script) Threads() ([]thread.Thread, error) {
	var out []thread.Thread
	for _, t := range s.repo {
		out = append(out, t)
	}
	return out, nil
}

// scene has every saved branch that the script did not remove.
func (s *script) scene() thread.Stamp {
	for _, t := range s.repo {
		if t.Git != nil {
			ref := thread.BranchRef + t.Git.Branch.Raw()
			s.lines[ref] = cmp.Or(s.lines[ref], thread.Reachable)
		}
	}
	return thread.Stamp{At: thread.FormatTime(s.at), Actor: "a", Source: "cli", Git: s.git, Lineages: s.lines}
}

func (s *script) run(_ *testing.T, d *datadriven.TestData) string {
	s.at = s.at.Add(time.Second)
	arg := func(key string) string {
		for _, a := range d.CmdArgs {
			if a.Key == key && len(a.Vals) > 0 {
				return a.Vals[0]
			}
		}
		return ""
	}
	switch d.Cmd {
	case "git":
		s.setGit(d, arg)
		return ""
	case "file":
		return s.file(thread.ID(arg("id")), d.Input)
	case "pointer":
		s.pointer = thread.ReadPointer([]byte(d.Input))
		if d.HasArg("gone") {
			s.pointer = thread.Pointer{}
		}
		return ""
	case "show":
		return s.show(thread.ID(arg("id")))
	case "list":
		return s.list()
	case "prepare":
		p, err := thread.Prepare(s, s.scene())
		if said, bad := thread.ParsePatch([]byte(d.Input)); err == nil && bad == nil {
			p, err = p.Overlay(said)
		}
		if d.HasArg("full") {
			return said(err) + indented(p.View())
		}
		return said(err) + digest(p)
	case "doctor":
		return s.doctor(d.HasArg("apply"))
	}
	c, err := s.command(d, arg)
	if err != nil {
		return said(err)
	}
	return s.do(c)
}

func (s *script) setGit(d *datadriven.TestData, arg func(string) string) {
	if state := arg("state"); state != "" {
		s.git = thread.Git{State: thread.GitState(state)}
		return
	}
	if branch := arg("gone"); branch != "" {
		s.lines[thread.BranchRef+branch] = thread.Gone
		return
	}
	if line := arg("lineage"); line != "" {
		s.lines[commit(arg("of"))] = thread.Lineage(line)
		return
	}
	s.git = thread.Git{State: thread.GitOK, Branch: model.Text(arg("branch")), Head: commit(arg("head")),
		Dirty: d.HasArg("dirty"), Detached: d.HasArg("detached")}
}

func (s *script) file(id thread.ID, raw string) string {
	t, err := thread.Read(id, []byte(raw))
	if err != nil {
		return said(err)
	}
	s.repo[id] = t
	var b strings.Builder
	for _, p := range t.Problems() {
		fmt.Fprintf(&b, "problem: %s %s stop=%v\n", p.Kind, p.Field, p.Stop)
	}
	return b.String()
}

func (s *script) command(d *datadriven.TestData, arg func(string) string) (thread.Command, error) {
	var p thread.Patch
	var err error
	if d.Cmd != "finalize" && d.Cmd != "mark" {
		var layers [][]byte
		if d.Input != "" {
			layers = append(layers, []byte(d.Input))
		}
		p, err = thread.ParsePatch(layers...)
	}
	id := arg("id")
	switch d.Cmd {
	case "start":
		return thread.Start{Goal: model.Text(strings.ReplaceAll(arg("goal"), "_", " ")), Task: id, Initial: p, Force: d.HasArg("force")}, err
	case "update":
		return thread.Update{Task: id, Patch: p, Rebind: d.HasArg("rebind")}, err
	case "resume":
		return thread.Resume{Task: id, Rebind: d.HasArg("rebind")}, err
	case "close":
		return thread.Close{Task: id, Status: thread.Status(arg("status")), Patch: p, Rebind: d.HasArg("rebind")}, err
	case "mark": // the input is the expected output
		return thread.Follow{Thread: thread.ID(id), Wanted: thread.Wanted{Status: thread.Status(arg("status")), Next: model.Text(d.Input),
			Todo: model.Text(strings.ReplaceAll(arg("todo"), "_", " "))}}, nil
	case "finalize":
		o, err := thread.ParseOutcome([]byte(d.Input))
		return thread.Finalize{Outcome: o, Task: id}, err
	}
	return nil, fmt.Errorf("no command %s", d.Cmd)
}

func (s *script) do(c thread.Command) string {
	change, err := c.Do(s, s.scene())
	if err != nil {
		return said(err)
	}
	return s.store(change)
}

func (s *script) store(c thread.Change) string {
	var b strings.Builder
	for _, w := range c.Receipt.Warnings() {
		fmt.Fprintf(&b, "warning: %v\n", w)
	}
	for _, e := range c.Events {
		fmt.Fprintf(&b, "event: %s\n", e.Line())
	}
	for _, t := range c.Threads {
		raw, err := t.Write()
		if err != nil {
			return said(err)
		}
		if s.repo[t.ID], err = thread.Read(t.ID, raw); err != nil {
			return said(err)
		}
	}
	if c.Point != nil {
		s.pointer = thread.ReadPointer(c.Point.Write())
		fmt.Fprintf(&b, "pointer: %q\n", s.pointer.ID)
	}
	if c.Receipt.NotKept != "" {
		fmt.Fprintf(&b, "not kept: %v\n", c.Receipt.NotKept)
	}
	if c.Empty() {
		b.WriteString("nothing written\n")
	}
	return b.String()
}

func (s *script) show(id thread.ID) string {
	t, ok := s.repo[id]
	if !ok {
		return "none\n"
	}
	raw, err := t.Write()
	if err != nil {
		return said(err)
	}
	return string(raw)
}

func (s *script) list() string {
	all, _ := s.Threads()
	var b strings.Builder
	for _, t := range thread.Newest(all) {
		fmt.Fprintf(&b, "%s [%s] %v\n", t.ID, t.Status, t.Goal)
	}
	fmt.Fprintf(&b, "pointer: %q\n", s.pointer.ID)
	return b.String()
}

func (s *script) doctor(apply bool) string {
	found, err := thread.Diagnose(s, nil)
	if err != nil {
		return said(err)
	}
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s %s: %s; repair %s: %s\n", f.Kind, f.Thread, f.Message, f.Repair, f.Steps)
	}
	if !apply {
		return b.String()
	}
	for _, f := range found {
		if f.Repair == thread.SetAside {
			delete(s.repo, f.Thread)
			found = slices.DeleteFunc(found, func(g thread.Finding) bool { return g == f })
		}
	}
	return b.String() + s.do(thread.Repair{Findings: found})
}

func said(err error) string {
	var e *model.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return fmt.Sprintf("error %s: %s (field %q, hint %q)\n", e.Code, e.Error(), e.Field, e.Hint)
	}
	return fmt.Sprintf("error: %v\n", err)
}

// digest is the answer of prepare, without the threads themselves.
func digest(p thread.Prepared) string {
	var b strings.Builder
	name := func(label string, t *thread.Thread, j thread.BranchCheck) {
		if t != nil {
			fmt.Fprintf(&b, "%s: %s [%s] %s %v\n", label, t.ID, thread.Freshness(*t, p.Now), j.Reason, j.Line())
		}
	}
	name("active", p.Active, p.Check)
	name("recent", p.Recent, p.RecentCheck)
	for _, k := range p.Parked {
		fmt.Fprintf(&b, "parked: %s %s %v\n", k.Thread.ID, k.Check.Reason, k.Check.Line())
		for _, r := range k.Check.Remedies(k.Thread.ID) {
			fmt.Fprintf(&b, "  %s: %v\n", r.Kind, r.Command)
		}
	}
	for _, g := range p.CarryoverGaps() {
		fmt.Fprintf(&b, "gap: %s %s %v (seen %d times)\n", g.Kind, g.Severity, g.NextAction, g.Count)
	}
	if g := thread.Strongest(p.CarryoverGaps()); g != nil {
		fmt.Fprintf(&b, "strongest: %s\n", g.Kind)
	}
	if p.Active != nil {
		for _, v := range p.Active.Verified {
			fmt.Fprintf(&b, "%s: %v\n", p.Active.GradeOf(v, p.Git), v)
		}
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// indented writes a view on several lines.
func indented(v thread.View) string {
	raw, err := v.MarshalJSON()
	if err != nil {
		return said(err)
	}
	return pretty(raw)
}
