package home

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vise/model"
	"vise/store/files"
	"vise/store/storetest"
)

// saved makes the watcher record a plan that somebody saved.
func (x *trial) saved(text string) {
	x.t.Helper()
	x.write(text)
	if err := x.RefreshPlan(x.t.Context(), model.Envelope{Actor: model.Watcher}, x.item); err != nil {
		x.t.Fatal(err)
	}
}

func (x *trial) write(text string) {
	x.t.Helper()
	if err := os.WriteFile(x.files.PlanPath("ann", x.item), []byte(text), 0o600); err != nil {
		x.t.Fatal(err)
	}
}

// texts are the saves with the kept text of each: "1 one, 2 -".
func (x *trial) texts() string {
	x.t.Helper()
	saves, err := x.PlanSaves(x.t.Context(), "ann", x.item)
	if err != nil {
		x.t.Fatal(err)
	}
	var out []string
	for _, s := range saves {
		got, err := x.SavedText(x.t.Context(), "ann", x.item, s)
		if s.Kept != (err == nil) {
			x.t.Errorf("save %d is kept: %v; read: %v", s.N, s.Kept, err)
		}
		text := got.Raw()
		if errors.Is(err, &model.Error{Code: model.CodeNotFound}) {
			text = "-"
		}
		out = append(out, fmt.Sprint(s.N, " ", text))
	}
	return strings.Join(out, ", ")
}

func TestEverySaveOfAPlanCanBeReadAgain(t *testing.T) {
	x := newTrial(t)
	for _, text := range []string{"two", "three", "two", "four"} {
		x.saved(text)
	}
	x.keeper.idle.Wait()
	if got, want := x.texts(), "1 one, 2 two, 3 three, 4 two, 5 four"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if kept := x.files.Saves("ann", x.item); len(kept) != 3 {
		t.Errorf("%d texts are kept: the same is kept once, and the first is in the journal", len(kept))
	}
}

// The todos of a save are those of the item at that time.
func TestASavesTodosAreThoseOfItsTime(t *testing.T) {
	x := newTrial(t)
	list := []model.Todo{{Text: "Port", State: model.TodoPending}}
	x.do(model.UpdateWorkItem{WorkItemID: x.item, TodoList: &list})
	x.saved("two")
	list = []model.Todo{{Text: "Port", State: model.TodoCompleted}}
	x.do(model.UpdateWorkItem{WorkItemID: x.item, TodoList: &list})
	x.saved("three")
	x.keeper.idle.Wait()
	saves, _ := x.PlanSaves(t.Context(), "ann", x.item)
	var got []string
	for _, s := range saves {
		todos, err := x.SavedTodos(t.Context(), x.item, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, todo := range todos {
			got = append(got, fmt.Sprint(s.N, " ", todo.State))
		}
	}
	if want := []string{"2 pending", "3 completed"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A save was recorded, but its process ended before it kept the text. The next reader keeps it, if it is still the
// plan.
func TestASaveWhoseProcessEndedIsKeptWhileItIsThePlan(t *testing.T) {
	x := newTrial(t)
	for _, text := range []string{"two", "three"} {
		x.saved(text)
		x.keeper.idle.Wait()
		x.files.DropSaves("ann", x.item, slices.Collect(keysOf(x.files.Saves("ann", x.item))))
	}
	if got, want := x.texts(), "1 one, 2 -, 3 three"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	x.keeper.idle.Wait()
	x.saved("four")
	x.keeper.idle.Wait()
	if got, want := x.texts(), "1 one, 2 -, 3 three, 4 four"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func keysOf(m map[string]int64) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// However often a plan is saved, at most 200 of its texts are kept, and the newest is one of them.
func TestKeptSavesAreBounded(t *testing.T) {
	storetest.Slow(t)
	x := newTrial(t)
	for n := range model.MaxPlanSaves + 60 {
		x.saved(fmt.Sprint("text ", n))
		x.keeper.idle.Wait()
		if kept := len(x.files.Saves("ann", x.item)); kept > model.MaxPlanSaves {
			t.Fatalf("%d texts are kept after %d saves", kept, n)
		}
	}
	got := x.texts()
	for _, part := range []string{"1 one, 2 -, 3 -, 4 -, 5 text 3, 6 -", "100 -, 101 text 99, 102 -, 103 text 101", ", 260 text 258, 261 text 259"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not among the saves", part)
		}
	}
}

// Nobody waits until a text is kept: a receipt comes while the disk accepts nothing. If saves come faster than texts
// are kept, the oldest waiting ones are dropped.
func TestNobodyWaitsForASaveToBeKept(t *testing.T) {
	storetest.Slow(t)
	x := newTrial(t)
	began, stuck := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(began) })
	x.files = x.files.On(&files.Machine{Gate: func(op files.Op) error {
		if strings.Contains(op.Path, "/saves") {
			begin()
			<-stuck
		}
		return nil
	}})
	x.saved("two")
	<-began
	x.write("three")
	x.do(model.UpdateWorkItem{WorkItemID: x.item, PlanStatus: new(model.Ready)})
	big := strings.Repeat("x", mostWaiting/4-1)
	for n := range 6 {
		x.saved(fmt.Sprint(n, big))
	}
	if k := &x.keeper; k.bytes != mostWaiting {
		t.Errorf("%d texts of %d bytes wait", len(k.waiting), k.bytes)
	}
	close(stuck)
	x.keeper.idle.Wait()
	var kept []string
	for part := range strings.SplitSeq(x.texts(), ", ") {
		kept = append(kept, part[:min(len(part), 5)])
	}
	if got, want := strings.Join(kept, ", "), "1 one, 2 two, 3 -, 4 -, 5 -, 6 2xx, 7 3xx, 8 4xx, 9 5xx"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
