package runner

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/store/storetest"
)

// An agent with a work tree of its own works there, and so does an agent that it makes. They begin at once, and the tree is made once.
func TestAnAgentWorksInTheWorkTreeOfItsOwn(t *testing.T) {
	storetest.Needs(t, "git")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir += "/repo"
	for _, args := range [][]string{
		{"init", "-q", dir}, {"-C", dir, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, bytes.TrimSpace(out))
		}
	}
	b := newBench(t)
	b.do(model.Operator, model.AddAgent{AgentID: "ann"})
	made := b.do("agent:ann", model.SpawnAgent{Preset: model.PublicNamed, InitialMessage: "hello", WorkspaceMode: model.WorkspaceWorktree}).AgentID
	grandchild := model.SpawnAgent{Preset: model.PublicNamed, InitialMessage: "hello", AgentID: "grandchild"}
	if _, err := home.Send(t.Context(), b.ledger, model.AgentActor(made), made, grandchild); err != nil {
		t.Fatal(err)
	}
	d := b.driver(b.program("acp-opens"))
	d.Dir = dir
	// What the script does when its session goes on fails here, after its directory is known.
	if err := d.Run(t.Context()); err != nil && !model.HasCode(err, model.CodeAgentFailed) {
		t.Fatal(err)
	}
	// The script's sessions all have one id, so the last one is the only one that is kept.
	for _, s := range home.SessionsIn(b.dir, time.Now).Driven() {
		if s.Dir != dir+"-ann-1" || d.DirOf(made) != s.Dir || d.DirOf("grandchild") != s.Dir {
			t.Errorf("%s ran in %s; they are said to run in %q and %q", s.Agent, s.Dir, d.DirOf(made), d.DirOf("grandchild"))
		}
	}
	out, err := exec.Command("git", "-C", dir, "worktree", "list").Output()
	if n := bytes.Count(out, []byte("\n")); err != nil || n != 2 || !bytes.Contains(out, []byte("[ann-1]")) {
		t.Errorf("the work trees are %s %v", out, err)
	}
}
