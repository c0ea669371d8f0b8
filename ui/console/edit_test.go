package console

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
)

// fakeBuffers keep copies in a map, and plans where the readers find them.
type fakeBuffers struct {
	plans  *fakePlans
	mu     sync.Mutex // protects copies while effects run
	copies map[string]string
}

func (p *fakeBuffers) Copy(_ context.Context, name, text string) (string, error) {
	path := "/edits/" + name + ".md"
	p.mu.Lock()
	defer p.mu.Unlock()
	p.copies[path] = text
	return path, nil
}
func (p *fakeBuffers) Read(_ context.Context, path string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.copies[path], nil
}
func (p *fakeBuffers) Drop(_ context.Context, path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.copies, path)
}
func (p *fakeBuffers) SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error {
	if p.plans.Plan(ctx, agent, id).Artifact.Hash != base {
		return model.Refuse(model.CodeStale, "moved")
	}
	p.plans.put(id, text)
	return nil
}
func (p *fakeBuffers) SaveCopy(_ context.Context, _ model.AgentID, _ model.ItemID, text string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.copies["/beside"] = text
	return "/beside", nil
}

// edits makes the editor, which the tests do not have, leave a text.
func (wd *world) edits(p *fakeBuffers, id model.ItemID, mine string) {
	wd.t.Helper()
	path := "/edits/" + string(id) + ".md"
	base, open := p.copies[path]
	if !open {
		wd.t.Fatalf("no copy of the plan of %s among %q", id, p.copies)
	}
	p.copies[path] = mine
	hash := model.NewPlanArtifact(testAgent, id, []byte(base), time.Time{}).Hash
	wd.send(writtenMsg{edit: planEdit{agent: testAgent, item: id, base: base, hash: hash, path: path, mine: mine, plan: true}})
	wd.settle()
}

// editing is a console in which the editor has opened the plan "base" of item a.
func editing(t *testing.T) (*world, *fakeBuffers) {
	p := &fakeBuffers{copies: map[string]string{}}
	wd := newWorld(t, 100, 30, func(o *Options) { o.EditBuffers = p })
	p.plans = wd.plans
	wd.change("create a Rotate signing keys")
	wd.change("plan a base")
	wd.settle()
	wd.press("e")
	wd.settle()
	return wd, p
}

// An undecided conflict is decided later: the next edit continues with the kept text, and overwrites only what was
// there when it began.
func TestAnEditGoesOnWithTheTextOfAConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, p := editing(t)
		defer wd.end()
		wd.change("plan a theirs")
		wd.settle()
		wd.edits(p, wd.names["a"], "mine")
		wd.press("esc")
		wd.settle()
		if kept := wd.drafts.kept["plan:"+string(wd.names["a"])]; !strings.Contains(kept, `"mine"`) {
			t.Fatalf("a console that starts now would not know the text: %q", kept)
		}
		wd.press("e")
		if screen := strings.Join(wd.frame(), "\n"); !strings.Contains(screen, "1 continue your kept text") {
			t.Fatalf("the kept text is not offered:\n%s", screen)
		}
		wd.press("1")
		wd.settle()
		path := "/edits/" + string(wd.names["a"]) + ".md"
		if p.copies[path] != "mine" {
			t.Fatalf("the editor has %q", p.copies)
		}
		x := planEdit{agent: testAgent, item: wd.names["a"], base: "base", path: path, mine: "mine, and more", plan: true, goesOn: true}
		x.hash = model.NewPlanArtifact(testAgent, x.item, []byte(x.base), time.Time{}).Hash
		wd.send(writtenMsg{edit: x})
		wd.settle()
		if got := string(wd.plans.Plan(t.Context(), testAgent, x.item).Text); got != "theirs" {
			t.Errorf("what somebody else wrote was overwritten: %q", got)
		}
		wd.press("m")
		wd.settle()
		if got := string(wd.plans.Plan(t.Context(), testAgent, x.item).Text); got != "mine, and more" || len(wd.drafts.kept) > 0 {
			t.Errorf("the plan is %q, the drafts %q", got, wd.drafts.kept)
		}
	})
}

// Whatever the operator chooses in a conflict, both texts still exist afterwards.
func TestNoTextIsLostWhenAPlanMovesUnderItsEditor(t *testing.T) {
	for _, c := range []struct{ key, plan, aside, says string }{
		{"", "mine", "", "Plan saved"},
		{"m", "mine", "theirs", "Yours is saved"},
		{"t", "theirs", "mine", "stays as it is"},
		{"s", "theirs", "mine", "beside"},
		{"esc", "theirs", "mine", "kept"},
	} {
		t.Run(c.key, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd, p := editing(t)
				defer wd.end()
				id := wd.names["a"]
				if c.key != "" {
					wd.change("plan a theirs")
					wd.settle()
				}
				wd.edits(p, id, "mine")
				if c.key != "" {
					wd.press("d")
					if screen := strings.Join(wd.frame(), "\n"); !strings.Contains(screen, "+ mine") || !strings.Contains(screen, "+ theirs") {
						t.Errorf("the difference shows not both:\n%s", screen)
					}
					if c.key == "esc" { // the first one closes the difference
						wd.press("esc")
						if screen := strings.Join(wd.frame(), "\n"); strings.Contains(screen, "+ mine") || !strings.Contains(screen, "Keep mine") {
							t.Errorf("esc did not close the difference alone:\n%s", screen)
						}
					}
					wd.press(c.key)
					wd.settle()
				}
				if got := string(wd.plans.Plan(t.Context(), testAgent, id).Text); got != c.plan {
					t.Errorf("the plan is %q, want %q", got, c.plan)
				}
				aside := ""
				for _, text := range p.copies {
					aside += text
				}
				if aside != c.aside {
					t.Errorf("kept aside: %q, want %q", p.copies, c.aside)
				}
				if screen := strings.Join(wd.frame(), "\n"); !strings.Contains(screen, c.says) {
					t.Errorf("the screen does not say %q:\n%s", c.says, screen)
				}
			})
		})
	}
}

// A plan that may not be saved, as on a cluster that permits only reading, is kept, and the screen says where.
func TestAPlanThatIsRefusedIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, _ := editing(t)
		defer wd.end()
		for _, refusal := range []error{model.Refuse(model.CodeRefused, "not permitted"),
			model.Refuse(model.CodeRefused, "not permitted").WithHint("ask the administrator"), errors.New("not permitted")} {
			wd.send(savedMsg{edit: planEdit{agent: testAgent, item: wd.names["a"], path: "/edits/mine.md", mine: "mine", plan: true}, err: refusal})
			wd.settle()
			screen := strings.Join(wd.frame(), "\n")
			if !strings.Contains(screen, "Not permitted") || !strings.Contains(screen, "/edits/mine.md") {
				t.Errorf("%v: the screen says:\n%s", refusal, screen)
			}
		}
	})
}

func TestADialogsTextCanBeWrittenInTheEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakeBuffers{copies: map[string]string{}}
		wd := newWorld(t, 100, 30, func(o *Options) { o.EditBuffers = p })
		defer wd.end()
		wd.change("create a Rotate signing keys")
		wd.settle()
		wd.press("c")
		wd.write("so far")
		wd.press("ctrl+o")
		wd.settle()
		if got := p.copies["/edits/text.md"]; got != "so far" {
			t.Fatalf("the editor begins with %q", got)
		}
		wd.send(writtenMsg{edit: planEdit{base: "so far", path: "/edits/text.md", mine: "so far, so good\n"}})
		if screen := strings.Join(wd.frame(), "\n"); !strings.Contains(screen, "> so far, so good") {
			t.Errorf("the field does not have it:\n%s", screen)
		}
	})
}

// A killed console loses at most the last half second of typing.
func TestADraftIsOnDiskWhileItIsTyped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 100, 30, nil)
		defer wd.end()
		wd.change("create a Rotate signing keys")
		wd.settle()
		wd.press("c")
		wd.write("half a report")
		wd.pass(2 * idleBeat)
		if got := wd.drafts.kept["complete:"+string(wd.names["a"])]; got != "half a report" {
			t.Errorf("kept: %q", wd.drafts.kept)
		}
		wd.press("ctrl+s")
		wd.settle()
		if len(wd.drafts.kept) != 0 {
			t.Errorf("kept after it was carried out: %q", wd.drafts.kept)
		}
	})
}

// A plan on another machine is edited like one here, over the plan that was read, if all of it can be read.
func TestAPlanOnAnotherMachineIsEditedIfItIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakeBuffers{copies: map[string]string{}}
		wd := newWorld(t, 100, 30, func(o *Options) { o.EditBuffers = p })
		defer wd.end()
		p.plans = wd.plans
		wd.change("create a Rotate signing keys")
		wd.change("plan a base")
		id := wd.names["a"]
		there := PlanText{Artifact: model.NewPlanArtifact(testAgent, id, []byte("base\x1b[2J, and more"), time.Time{}), Text: "base",
			Reason: "The ledger keeps its beginning."}
		there.Artifact.Condition = model.PlanElsewhere
		show := func() string {
			wd.plans.mu.Lock()
			wd.plans.bad = map[model.ItemID]PlanText{id: there}
			wd.plans.mu.Unlock()
			wd.plans.news <- News{Items: []model.ItemID{id}}
			wd.settle()
			wd.press("e")
			wd.settle()
			return strings.Join(wd.frame(), "\n")
		}
		if screen := show(); !strings.Contains(screen, "only its beginning can be read here") || len(p.copies) > 0 {
			t.Errorf("a copy of the beginning is edited: %q\n%s", p.copies, screen)
		}
		there.Text, there.Reason = "base\x1b[2J, and more", ""
		there.Artifact.Hash += "0"
		if screen := show(); !strings.Contains(screen, "base·[2J, and more") || !strings.Contains(screen, "plan.md is on another machine") {
			t.Errorf("the plan is not shown:\n%s", screen)
		}
		if p.copies["/edits/"+string(id)+".md"] != there.Text.Raw() {
			t.Errorf("the editor has %q", p.copies)
		}
	})
}
