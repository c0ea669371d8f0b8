package todos

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vise/model"
	"vise/model/todo"
	"vise/store/storetest"
)

// Tests that need processes run this binary again, in a role that these name.
const (
	roleEnv = "VISE_TODOS_ROLE"
	repoEnv = "VISE_TODOS_REPO"
	stepEnv = "VISE_TODOS_STEP"
	whoEnv  = "VISE_TODOS_WHO"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "worker":
		os.Exit(work())
	case "victim":
		os.Exit(die())
	}
	os.Exit(m.Run())
}

// again starts this binary in a role.
func again(role, repo string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role, repoEnv+"="+repo), env...)
	return cmd
}

// work claims todos until there are none, and prints the ref of each.
func work() int {
	s, err := Open(os.Getenv(repoEnv), review)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		m := agent(os.Getenv(whoEnv))
		t, why, _, err := s.Claim(nil, m, nil)
		var refused *model.Error
		switch {
		case errors.As(err, &refused) && refused.Code == model.CodeBusy:
			continue
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			return 1
		case why != todo.Something:
			return 0
		}
		fmt.Println(t.Ref(), t.AssignedTo)
	}
}

func TestThirtyTwoWorkersClaimAHundredTodosOnceEach(t *testing.T) {
	storetest.Slow(t)
	const workers, todos = 32, 100
	s := newSession(t, review)
	var drafts []todo.Draft
	for i := range todos {
		drafts = append(drafts, draft("todo "+strconv.Itoa(i), todo.Ready))
	}
	mustCreate(t, s, drafts...)
	var running []*exec.Cmd
	outs := make([]bytes.Buffer, workers)
	for i := range workers {
		cmd := again("worker", s.Repo, whoEnv+"=smith-"+strconv.Itoa(i))
		cmd.Stdout, cmd.Stderr = &outs[i], os.Stderr
		must(t, cmd.Start())
		running = append(running, cmd)
	}
	claims := map[string]string{}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("worker %d: %v", i, err)
		}
		for line := range strings.Lines(outs[i].String()) {
			ref, owner, _ := strings.Cut(strings.TrimSpace(line), " ")
			if first, twice := claims[ref]; twice {
				t.Errorf("%s was claimed by %s and by %s", ref, first, owner)
			}
			claims[ref] = owner
		}
	}
	if len(claims) != todos {
		t.Errorf("%d todos were claimed, want %d", len(claims), todos)
	}
	for _, got := range mustLoad(t, s).Todos {
		if got.Status != todo.InProgress || got.AssignedTo.Raw() != claims[string(got.Ref())] || len(got.History) != 2 {
			t.Errorf("%s is %s of %q with %d rows, claimed by %s", got.Ref(), got.Status, got.AssignedTo, len(got.History),
				claims[string(got.Ref())])
		}
	}
}

// die makes one change and kills itself at a step of it.
func die() int {
	s, err := Open(os.Getenv(repoEnv), review)
	if err != nil {
		return 1
	}
	step, nth := os.Getenv(stepEnv), 0
	if name, n, ok := strings.Cut(step, "#"); ok {
		step = name
		nth, _ = strconv.Atoi(n)
	}
	s.at = func(at string) {
		if at != step {
			return
		}
		if nth--; nth < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	switch os.Getenv(whoEnv) {
	case "create":
		_, err = s.Create([]todo.Draft{draft("new", todo.Pending)}, operator())
	case "duplicate":
		m := operator()
		m.To, m.Resolution, m.Reason, m.DuplicateOf = todo.WontFix, todo.Duplicate, "same", "review/001"
		_, err = s.Change("002", m, todo.Judge)
	}
	if err != nil {
		return 1
	}
	return 0
}

// A kill at any step of any write leaves every file whole, old or new, with its whole history. The next change succeeds
// and leaves no other files.
func TestAKillAtAnyStepTearsNothing(t *testing.T) {
	steps := []string{stepCreated, stepWritten, stepSynced, stepRenamed, stepDone}
	for _, what := range []string{"create", "duplicate"} {
		for nth := range 2 {
			for _, step := range steps {
				name := fmt.Sprintf("%s/%s#%d", what, step, nth)
				t.Run(name, func(t *testing.T) { killAt(t, what, fmt.Sprintf("%s#%d", step, nth)) })
			}
		}
	}
}

func killAt(t *testing.T, what, step string) {
	s := newSession(t, review)
	mustCreate(t, s, draft("one", todo.Ready), draft("two", todo.Ready))
	before := mustLoad(t, s)
	err := again("victim", s.Repo, whoEnv+"="+what, stepEnv+"="+step).Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL) {
		t.Fatalf("the victim ended otherwise: %v", err)
	}
	if err == nil && !(what == "create" && strings.HasSuffix(step, "#1")) {
		t.Fatal("the victim survived")
	}
	after := mustLoad(t, s)
	if len(after.Damaged) > 0 {
		t.Errorf("damaged: %+v", after.Damaged)
	}
	for _, was := range before.Todos {
		now, ok := after.Index.Find(was.Ref())
		if !ok || len(now.History) < len(was.History) || now.History[len(now.History)-1].To != now.Status {
			t.Errorf("%s was %s with %d rows and is %s with %d", was.Ref(), was.Status, len(was.History), now.Status, len(now.History))
		}
		if now.Status == todo.WontFix && (now.Resolution != todo.Duplicate || len(now.History) != 2) {
			t.Errorf("%s is half resolved: %+v", was.Ref(), now)
		}
	}
	if _, _, err := s.Start("001", agent("smith"), nil); err != nil {
		t.Errorf("the next change: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(s.Path(), "review", tempPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
