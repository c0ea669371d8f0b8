package runner

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/acp"
	"vise/ui/config"
)

// answering drives a program that asks, and answers its first permission once it is asked for.
func (b *bench) answering(p Program, answer model.PermissionAnswer) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	d := b.driver(p)
	d.Once = false
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	for revision, isAnswered := uint64(0), false; ; {
		var asked []model.Permission
		var a model.Agent
		b.view(func(r model.Reader) {
			revision = r.Revision()
			a, _ = r.Agent("ann")
			asked = a.Permissions
		})
		if isAnswered = isAnswered || len(asked) > 0; len(asked) > 0 && asked[0].Answer == "" {
			b.do(model.Operator, model.AnswerPermission{AgentID: "ann", PermissionID: asked[0].ID, Answer: answer})
			continue
		}
		if isAnswered && a.Turn == nil {
			break
		}
		if _, err := b.ledger.Follow(ctx, revision); err != nil {
			b.t.Fatal(err)
		}
	}
	cancel()
	<-ended
}

func (b *bench) said() (words []string) {
	b.t.Helper()
	return wordsOf(b.parts())
}

func wordsOf(parts []acp.Part) (words []string) {
	for _, p := range parts {
		if p.Kind == acp.PartWords {
			words = append(words, p.Text.Raw())
		}
	}
	return words
}

// parts is the story of the only session.
func (b *bench) parts() []acp.Part {
	b.t.Helper()
	s := home.SessionsIn(b.dir, time.Now).Driven()
	if len(s) != 1 {
		b.t.Fatalf("%d sessions", len(s))
	}
	return b.story(s[0])
}

func (b *bench) story(s home.Session) []acp.Part {
	b.t.Helper()
	entries, _, err := acp.ReadLog(acp.LogPath(b.dir, "ann", s.ID), 0)
	if err != nil {
		b.t.Fatal(err)
	}
	var story acp.Story
	for _, e := range entries {
		story.Add(e)
	}
	return story.Parts
}

func TestAPermissionIsAskedAndItsAnswerReachesTheProgram(t *testing.T) {
	for answer, want := range map[model.PermissionAnswer]string{
		model.PermitOnce: "selected yes", model.PermitAlways: "selected ever", model.PermitDeny: "selected no",
	} {
		b := newBench(t)
		b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
		b.answering(b.program("acp-asks"), answer)
		if got := b.said(); !slices.Contains(got, "The answer was "+want) {
			t.Errorf("%s: the program said %q", answer, got)
		}
		b.view(func(r model.Reader) {
			if a, _ := r.Agent("ann"); len(a.Permissions) > 0 {
				t.Errorf("%s: it still asks %+v", answer, a.Permissions)
			}
		})
	}
}

func TestATurnThatWaitsForAPersonCountsNoTime(t *testing.T) {
	storetest.Slow(t)
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	p := b.program("acp-asks")
	p.Turn.Timeout = config.Span(1500 * time.Millisecond)
	end := b.attended(p)
	defer end()
	var asked model.Permission
	b.until(func(r model.Reader) bool {
		a, _ := r.Agent("ann")
		for _, asked = range a.Permissions {
			return true
		}
		return false
	})
	<-time.After(3 * time.Second)
	b.do(model.Operator, model.AnswerPermission{AgentID: "ann", PermissionID: asked.ID, Answer: model.PermitOnce})
	b.until(func(r model.Reader) bool { a, _ := r.Agent("ann"); return a.TurnIndex > 1 || a.Turn == nil })
	if n := model.DataOf[model.TurnNews](b.entries(model.EventTurnEnded)[0]); n.Outcome != model.TurnCompleted {
		t.Errorf("the turn ended as %+v", n)
	}
}

func TestWhatNobodyCanAnswerIsRefusedAtOnceAndNoted(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	b.drive(b.program("acp-asks"))
	if got := b.said(); !slices.Contains(got, "The answer was selected no") {
		t.Errorf("the program said %q", got)
	}
	b.view(func(r model.Reader) {
		if a, _ := r.Agent("ann"); len(a.Permissions) != 1 || !a.Permissions[0].Refused {
			t.Errorf("noted %+v", a.Permissions)
		}
	})
}

func TestAProgramThatEndsKeepsItsLastWords(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	if err := b.drive(b.program("acp-exits")); err == nil {
		t.Error("the driver reports no failure")
	}
	news := b.ended()
	if got := b.said(); news.Outcome != model.TurnFailed || news.Code != model.ProgramFailed || !strings.Contains(news.Reason.Raw(), "no credit") ||
		!slices.Equal(got, []string{"Last words."}) {
		t.Errorf("it said %q; the turn ended as %+v", got, news)
	}
}

func TestAStoppedAgentIsCancelledAndItsWordsStay(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	d := b.driver(b.program("acp-cancel"))
	d.Once, d.Alone = false, true
	ended := make(chan error, 1)
	go func() { ended <- d.Run(t.Context()) }()
	await(func() bool { return len(home.SessionsIn(b.dir, time.Now).Turns()) > 0 })
	stopped := model.Stopped
	b.do(model.Operator, model.UpdateAgent{AgentID: "ann", Posture: &stopped})
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got, news := b.said(), b.ended(); news.Code != model.TurnStopped || !slices.Equal(got, []string{"I think.", "I stopped."}) {
		t.Errorf("it said %q; the turn ended as %+v", got, news)
	}
}
