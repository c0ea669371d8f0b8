package home

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/storetest"
	"vise/store/transfer"
)

// machines are two homes of one ledger on a cluster. The plan file of the item lies in the first.
type machines struct {
	t    *testing.T
	a, b *Home
	item model.ItemID
}

func newMachines(t *testing.T) *machines {
	t.Helper()
	cluster := storetest.StartEtcd(t, 1)
	_, host, _ := strings.Cut(cluster.Endpoints()[0], "://")
	at := store.Cluster{Endpoints: []string{host}, Ledger: "team"}
	m := &machines{t: t}
	for i, h := range []**Home{&m.a, &m.b} {
		dir := filepath.Join(t.TempDir(), "home")
		b, err := etcd.Connect(at)
		must(t, err)
		_, err = store.Join(t.Context(), dir, at, b, i == 0, store.Options{})
		must(t, errors.Join(err, b.Close()))
		*h, err = Open(dir, Options{Cluster: func(c store.Cluster) (store.Backend, error) {
			c.Mirror = true
			return etcd.Connect(c)
		}})
		must(t, err)
		t.Cleanup(func() { (*h).Close() })
	}
	in, err := m.a.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann",
		Command: model.CreateWorkItem{Objective: "Split the rate limiter", Plan: "# Steps\n"}})
	must(t, err)
	m.item = in.WorkItemID
	return m
}

// keeps runs a until the test ends as a console does.
func (m *machines) keeps() {
	ctx, stop := context.WithCancel(m.t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.a.KeepPlans(ctx) })
	m.t.Cleanup(func() { stop(); running.Wait() })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file is what the plan file has.
func (m *machines) file() string {
	m.t.Helper()
	raw, err := os.ReadFile(m.a.files.PlanPath("ann", m.item))
	must(m.t, err)
	return string(raw)
}

// beside are the texts that are kept beside a plan file of a home.
func (m *machines) beside(h *Home) string {
	var all []string
	for _, dir := range []string{h.files.PlanDir("ann", m.item), filepath.Join(h.Dir(), "state", "plans", "ann", string(m.item))} {
		names, _ := filepath.Glob(filepath.Join(dir, "plan.mine-*.md"))
		for _, name := range names {
			raw, err := os.ReadFile(name)
			must(m.t, err)
			all = append(all, string(raw))
		}
	}
	return strings.Join(all, "\x00")
}

// until waits for a condition, which it looks at at each change of the ledger and in between.
func (m *machines) until(what string, is func() bool) {
	m.t.Helper()
	limit, stop := context.WithTimeout(m.t.Context(), 20*time.Second)
	defer stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-limit.Done():
			w, err := m.b.item(m.t.Context(), m.item)
			m.t.Fatalf("not %s: the file has %q, the ledger %q, %v awaited, %v", what, short(m.file()), short(w.PlanArtifact.Preview.Raw()),
				len(w.PlanAwaited), err)
		}
	}
}

func short(s string) string { return s[:min(len(s), 60)] }

// looks makes the machine of the file look at it, as its watcher does, once it has heard of what the other one saved.
func (m *machines) looks() {
	m.t.Helper()
	there, err := m.b.item(m.t.Context(), m.item)
	must(m.t, err)
	m.until("heard", func() bool {
		here, err := m.a.item(m.t.Context(), m.item)
		return err == nil && here.Revision >= there.Revision
	})
	must(m.t, m.a.RefreshPlan(m.t.Context(), model.Envelope{Actor: model.Watcher}, m.item))
}

// agree waits until the ledger describes the file, and nothing is awaited.
func (m *machines) agree() (text, hash string) {
	m.t.Helper()
	m.until("alike", func() bool {
		w, err := m.b.item(m.t.Context(), m.item)
		must(m.t, err)
		plan := m.a.files.Plan("ann", m.item)
		text, hash = string(plan.Raw), plan.Hash
		return plan.Hash == w.PlanArtifact.Hash && len(w.PlanAwaited) == 0
	})
	return text, hash
}

// Two machines save a plan at the same time, again and again. One text wins each time. The other is refused to its author, or kept beside
// the file; and the history says so.
func TestAPlanEditedOnTwoMachinesLosesNoText(t *testing.T) {
	m := newMachines(t)
	m.keeps()
	wins := map[string]int{}
	seed := storetest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range storetest.Amount(100, 1000) {
		text, base := m.agree()
		mine := []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}
		errs := make([]error, 2)
		before := m.beside(m.a)
		var both sync.WaitGroup
		for j, h := range []*Home{m.a, m.b} {
			pause := time.NewTimer(time.Duration(rng.Int64N(int64(8 * time.Millisecond))))
			both.Go(func() {
				<-pause.C
				errs[j] = h.SavePlan(t.Context(), "ann", m.item, base, text+mine[j]+"\n")
			})
		}
		both.Wait()
		now, _ := m.agree()
		for j, err := range errs {
			switch added := strings.TrimPrefix(m.beside(m.a), before); {
			case errors.Is(err, &model.Error{Code: model.CodeStale}):
				wins["refused "+mine[j][:1]]++
				if now == text+mine[j]+"\n" {
					t.Fatalf("round %d: %s was refused, and won", i, mine[j])
				}
			case err != nil:
				t.Fatalf("round %d: %v", i, err)
			case now == text+mine[j]+"\n":
				wins["won "+mine[j][:1]]++
			case strings.Contains(added, mine[j]+"\n"):
				wins["beside "+mine[j][:1]]++
			default:
				t.Fatalf("round %d: %s was saved and is lost; the plan is %q, beside it is %q", i, mine[j], now, added)
			}
		}
		if now == text {
			t.Fatalf("round %d: nobody won", i)
		}
	}
	t.Logf("%v", wins)
	var said int
	must(t, m.b.View(t.Context(), func(r model.Reader) error {
		for _, e := range r.Entries(m.item, 100_000) {
			if strings.Contains(e.Describe().String(), "is kept beside it in plan.mine-") {
				said++
			}
		}
		return nil
	}))
	if said != wins["beside b"] || wins["won a"]+wins["won b"] == 0 {
		t.Errorf("%d were kept beside the file, and %d said so", wins["beside b"], said)
	}
}

// An edit on another machine reaches the file, and a save of the file is read there.
func TestEditsReachTheFileAndSavesTheOtherMachine(t *testing.T) {
	m := newMachines(t)
	m.keeps()
	var there, back []time.Duration
	for i := range storetest.Amount(30, 300) {
		_, base := m.agree()
		text := fmt.Sprintf("# Steps\n\n%d\n%s", i, strings.Repeat("measure\n", i%3*1000))
		began := time.Now()
		must(t, m.b.SavePlan(t.Context(), "ann", m.item, base, text))
		m.until("in the file", func() bool { return m.file() == text })
		there = append(there, time.Since(began))

		m.agree()
		text += "more\n"
		must(t, os.WriteFile(m.a.files.PlanPath("ann", m.item), []byte(text), 0o600))
		began = time.Now()
		m.looks()
		m.until("read on the other machine", func() bool { return string(m.b.Plan(t.Context(), "ann", m.item).Raw) == text })
		back = append(back, time.Since(began))
	}
	for name, took := range map[string][]time.Duration{"into the file": there, "to the other machine": back} {
		slices.Sort(took)
		t.Logf("%s: p50 %v, most %v", name, took[len(took)/2], took[len(took)-1])
		if p := took[len(took)/2]; p > time.Second {
			t.Errorf("%s: %v", name, p)
		}
	}
	if saves, err := m.a.PlanSaves(t.Context(), "ann", m.item); err != nil || len(saves) < 30 {
		t.Errorf("%d saves, %v", len(saves), err)
	}
}

// Nobody watches the file while it is saved here and there. Whoever looks first keeps both texts.
func TestBothTextsAreKeptIfTheFileWasSavedToo(t *testing.T) {
	m := newMachines(t)
	_, base := m.agree()
	must(t, m.b.SavePlan(t.Context(), "ann", m.item, base, "of the other machine"))
	must(t, os.WriteFile(m.a.files.PlanPath("ann", m.item), []byte("of the file"), 0o600))
	for range 2 {
		m.looks()
	}
	if text, _ := m.agree(); text != "of the file" || m.beside(m.a) != "of the other machine" {
		t.Errorf("the plan is %q, beside it is %q", text, m.beside(m.a))
	}
	err := m.b.SavePlan(t.Context(), "ann", m.item, base, "of the other machine again")
	if !errors.Is(err, &model.Error{Code: model.CodeStale}) {
		t.Fatalf("over another plan: %v", err)
	}
	path, err := m.b.files.SaveCopy("ann", m.item, []byte("of the other machine again"))
	if err != nil || m.beside(m.b) != "of the other machine again" || m.b.files.Has("ann", m.item) {
		t.Errorf("%s, %v, beside it is %q", path, err, m.beside(m.b))
	}
	// Another edit, while the file has the one before.
	_, base = m.agree()
	must(t, m.b.SavePlan(t.Context(), "ann", m.item, base, "one"))
	must(t, os.WriteFile(m.a.files.PlanPath("ann", m.item), []byte("one"), 0o600))
	must(t, m.b.SavePlan(t.Context(), "ann", m.item, m.b.Plan(t.Context(), "ann", m.item).Hash, "two"))
	m.looks()
	if text, _ := m.agree(); text != "two" || strings.Contains(m.beside(m.a), "one") {
		t.Errorf("the plan is %q", text)
	}
}

// A hook that hears of an edit of the plan brings it to the ledger. A report that is too long for its record makes a directory where the item
// was completed; the plan stays on the other machine.
func TestAHookBringsAPlanAndALongReportDoesNotMoveIt(t *testing.T) {
	m := newMachines(t)
	path := m.a.files.PlanPath("ann", m.item)
	must(t, os.WriteFile(path, []byte("by an agent"), 0o600))
	w, err := m.a.item(t.Context(), m.item)
	must(t, err)
	must(t, m.a.RefreshEdited(t.Context(), w, []string{path}))
	if text, _ := m.agree(); text != "by an agent" {
		t.Errorf("the plan is %q", text)
	}
	for _, c := range []model.Command{model.CompleteWorkItem{WorkItemID: m.item},
		model.ReportWorkItem{WorkItemID: m.item, Text: model.Text(strings.Repeat("a long report\n", model.MaxReport/10))}} {
		_, err := m.b.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann", Command: c})
		must(t, err)
	}
	if plan := m.b.Plan(t.Context(), "ann", m.item); !m.b.files.Has("ann", m.item) || plan.Condition != model.PlanElsewhere ||
		string(plan.Raw) != "by an agent" {
		t.Errorf("the plan is %s: %q", plan.Condition, plan.Raw)
	}
}

func TestLongPlansAreReadOnOtherMachinesUpToAMebibyte(t *testing.T) {
	m := newMachines(t)
	save := func(size int) (string, string) {
		t.Helper()
		text := strings.Repeat("a line of a long plan\n", size/22+1)[:size]
		must(t, os.WriteFile(m.a.files.PlanPath("ann", m.item), []byte(text), 0o600))
		m.looks()
		m.agree()
		plan := m.b.Plan(t.Context(), "ann", m.item)
		if plan.Condition != model.PlanElsewhere || plan.Path != "" {
			t.Errorf("%d bytes: %s at %q", size, plan.Condition, plan.Path)
		}
		return text, string(plan.Raw)
	}
	for _, size := range []int{600_000, model.MaxPlanBody} {
		text, read := save(size)
		if read != text {
			t.Errorf("of %d bytes %d are read", size, len(read))
		}
		must(t, m.b.SavePlan(t.Context(), "ann", m.item, m.b.Plan(t.Context(), "ann", m.item).Hash, "b"+text[1:]))
		m.looks()
		if m.file() != "b"+text[1:] {
			t.Errorf("of %d bytes the file has %d", size, len(m.file()))
		}
	}
	_, read := save(model.MaxPlanBody + 1)
	plan := m.b.Plan(t.Context(), "ann", m.item)
	if len(read) != model.PreviewRunes || !strings.Contains(plan.Reason, "more than 1 MiB") || plan.IsWhole(model.Text(read)) {
		t.Errorf("of more than 1 MiB %d bytes are read: %s", len(read), plan.Reason)
	}
	err := m.b.SavePlan(t.Context(), "ann", m.item, plan.Hash, strings.Repeat("x", model.MaxPlanBody+1))
	if !errors.Is(err, &model.Error{Code: model.CodeInvalid}) {
		t.Errorf("more than 1 MiB from another machine: %v", err)
	}
}

// Plans that the ledger has not whole are offered by the machine that has their files: those of a ledger that came to the cluster, and those
// that were saved while nothing watched.
func TestAMachineOffersThePlansThatTheLedgerLacks(t *testing.T) {
	m := newMachines(t)
	text := strings.Repeat("a line of a long plan\n", 1000)
	must(t, os.WriteFile(m.a.files.PlanPath("ann", m.item), []byte(text), 0o600))
	plan := m.a.files.Plan("ann", m.item)
	_, err := m.a.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Watcher,
		Command: model.RefreshPlan{WorkItemID: m.item, Plan: plan.PlanArtifact}})
	must(t, err)
	if there := m.b.Plan(t.Context(), "ann", m.item); there.IsWhole(model.Text(there.Raw)) || there.Reason == "" {
		t.Fatal("the ledger has it")
	}
	m.keeps()
	m.until("offered", func() bool { return string(m.b.Plan(t.Context(), "ann", m.item).Raw) == text })
	w, err := m.b.item(t.Context(), m.item)
	if err != nil || w.PlanArtifact.Hash != plan.Hash {
		t.Errorf("it is described as %+v, %v", w.PlanArtifact, err)
	}
}

// The whole plan of an item that was completed a week ago is in the archive of one machine. The others show its beginning, and where the rest is.
func TestThePlanOfACompletedItemIsShownFromTheArchive(t *testing.T) {
	m := newMachines(t)
	text := strings.Repeat("a line of a long plan\n", 1000)
	must(t, os.WriteFile(m.a.files.PlanPath("ann", m.item), []byte(text), 0o600))
	m.looks()
	_, err := m.a.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann",
		Command: model.CompleteWorkItem{WorkItemID: m.item}})
	must(t, err)
	m.until("completed", func() bool {
		w, err := m.b.item(t.Context(), m.item)
		return err == nil && w.State == model.Completed
	})
	if plan := m.b.Plan(t.Context(), "ann", m.item); string(plan.Raw) != text {
		t.Errorf("at first, of %d bytes %d are shown: %s", len(text), len(plan.Raw), plan.Reason)
	}
	ctx, stop := context.WithCancel(t.Context())
	m.a.Ledger.Now = func() time.Time { return time.Now().Add(8 * 24 * time.Hour) }
	var archiving sync.WaitGroup
	archiving.Go(func() { transfer.RunArchive(ctx, m.a.Ledger, func(err error) { t.Error(err) }) })
	defer archiving.Wait()
	defer stop()
	m.until("in the archive", func() bool {
		plan := m.b.Plan(t.Context(), "ann", m.item)
		return plan.Condition == model.PlanElsewhere && len(plan.Raw) == model.PreviewRunes &&
			strings.Contains(plan.Reason, "in the archive: "+store.ArchiveIn(m.a.Dir())+" on ")
	})
	must(t, os.CopyFS(store.ArchiveIn(m.b.Dir()), os.DirFS(store.ArchiveIn(m.a.Dir()))))
	if plan := m.b.Plan(t.Context(), "ann", m.item); string(plan.Raw) != text || plan.Reason != "" {
		t.Errorf("of %d bytes %d are shown: %s", len(text), len(plan.Raw), plan.Reason)
	}
}
