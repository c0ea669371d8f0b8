package watcher

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/fsnotify/fsnotify"

	"vise/model"
	"vise/store/files"
)

const agent model.AgentID = "a"

// TestScripts runs testdata/*.txt: the changes of a home's files, the passing time,
// and what the watcher notifies. The time is the test's own.
//
//	watch ITEM…             make these the watched items; their plans are known as they are
//	write ITEM [silent]     save the input as the plan, with an event unless silent
//	type ITEM times=N       save the input and a number, N times, with a pause of 90 ms after each
//	touch|remove|writing|forbid ITEM [silent]
//	dir created|removed|renamed ITEM
//	know ITEM               tell the watcher that the input is what is known
//	ledger data|meta [silent]   write to the ledger: what a commit writes first, and last
//	noise PATH              write to a file that the watcher ignores
//	trouble|troubles        an error of the source; more than it may have
//	source limit=N|none|absent|end|forget   what the system allows from now on
//	pass DURATION           let time pass; says what the watcher notified, and when
//	state                   what is watched, how, and how many plans were read
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runScript(t, path) })
		})
	}
}

// stage is a watcher on the test's disk, system and time.
type stage struct {
	disk    *fakeDisk
	system  *fakeSystem
	ledger  string // a real file
	watcher *Watcher
	began   time.Time
	changes int64
	pages   []byte // of the ledger

	mu       sync.Mutex // protects notified
	notified []string
	ended    chan struct{} // closed when nothing more is notified
}

func runScript(t *testing.T, path string) {
	home, err := files.NewHome("/home")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{
		disk:   &fakeDisk{Home: home, plans: map[Item]fakePlan{}},
		ledger: filepath.Join(t.TempDir(), "ledger.db"),
		system: newFakeSystem(), ended: make(chan struct{}),
	}
	must(t, s.writeLedger(true))
	defer func() {
		s.watcher.Close()
		<-s.ended
	}()
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		if s.watcher == nil && d.Cmd != "source" {
			s.start()
		}
		return s.do(t, d)
	})
}

func (s *stage) start() {
	s.began = time.Now()
	c := Config{Home: s.disk.Home, Ledger: s.ledger}
	s.watcher = start(context.Background(), c, s.disk, s.system.open)
	go s.listen()
}

// listen records what the watcher notifies.
func (s *stage) listen() {
	defer close(s.ended)
	mode := Mode{}
	for {
		event, err := s.watcher.Next(context.Background())
		if err != nil {
			return
		}
		at := time.Since(s.began)
		s.mu.Lock()
		if event.LedgerMoved {
			s.notified = append(s.notified, fmt.Sprintf("%s ledger moved", at))
		}
		for _, n := range event.Plans {
			s.notified = append(s.notified, fmt.Sprintf("%s %s %s %q", at, n.Item.ID, n.Plan.Condition, n.Plan.Raw))
		}
		if event.Mode != mode {
			mode = event.Mode
			s.notified = append(s.notified, fmt.Sprintf("%s %s", at, mode))
		}
		s.mu.Unlock()
	}
}

func (s *stage) do(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "pass":
		return s.pass(t, d)
	case "type":
		return s.typing(t, d)
	case "watch":
		s.watch(d)
	case "know":
		it := s.item(d)
		s.watcher.Known(it, model.NewPlanArtifact(it.Agent, it.ID, []byte(d.Input), time.Time{}))
	case "write", "replace", "touch", "remove", "writing", "forbid":
		s.change(d)
	case "dir":
		op := map[string]fsnotify.Op{"created": fsnotify.Create, "removed": fsnotify.Remove, "renamed": fsnotify.Rename}
		it := Item{agent, model.ItemID(d.CmdArgs[1].Key)}
		s.system.happen(s.disk.PlanDir(it.Agent, it.ID), op[d.CmdArgs[0].Key])
	case "ledger":
		must(t, s.writeLedger(d.HasArg("meta")))
		if !d.HasArg("silent") {
			s.system.happen(s.ledger, fsnotify.Write)
		}
	case "noise":
		s.system.happen(strings.Replace(d.CmdArgs[0].Key, "LEDGER", filepath.Dir(s.ledger), 1), fsnotify.Write)
	case "trouble":
		s.system.trouble <- errOverflow
	case "troubles":
		for range errorsPerSweep + 1 {
			s.system.trouble <- errOverflow
		}
	case "source":
		s.turn(t, d)
	case "state":
		return s.state()
	default:
		d.Fatalf(t, "no such verb: %s", d.Cmd)
	}
	if s.watcher != nil {
		synctest.Wait()
	}
	return ""
}

func (s *stage) item(d *datadriven.TestData) Item {
	return Item{agent, model.ItemID(d.CmdArgs[0].Key)}
}

func (s *stage) pass(t *testing.T, d *datadriven.TestData) string {
	span, err := time.ParseDuration(d.CmdArgs[0].Key)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return strings.Join(s.passFor(span), "\n")
}

func (s *stage) passFor(span time.Duration) []string {
	<-time.After(span)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	notified := s.notified
	s.notified = nil
	return notified
}

// typing saves a plan n times, with a pause after each.
func (s *stage) typing(t *testing.T, d *datadriven.TestData) string {
	var n int
	d.ScanArgs(t, "times", &n)
	input := d.Input
	var notified []string
	for i := range n {
		d.Input = fmt.Sprintf("%s%d", input, i+1)
		s.change(d)
		notified = append(notified, s.passFor(90*time.Millisecond)...)
	}
	return strings.Join(notified, "\n")
}

func (s *stage) watch(d *datadriven.TestData) {
	known := map[Item]model.PlanArtifact{}
	for _, a := range d.CmdArgs {
		it := Item{agent, model.ItemID(a.Key)}
		known[it] = model.PlanArtifact{}
		if p, ok := s.disk.at(it); ok {
			known[it] = model.NewPlanArtifact(it.Agent, it.ID, []byte(p.text), time.Time{})
		}
	}
	s.watcher.Set(known)
}

func (s *stage) change(d *datadriven.TestData) {
	it := s.item(d)
	s.changes++
	p, _ := s.disk.at(it)
	p.changed, p.unsettled, p.condition = s.changes, d.Cmd == "writing", ""
	op := fsnotify.Write
	switch d.Cmd {
	case "write", "type":
		p.text = d.Input
	case "replace":
		p.text, op = d.Input, fsnotify.Create
	case "forbid":
		p.condition, op = model.PlanUnreadable, fsnotify.Chmod
	case "touch":
		op = fsnotify.Chmod
	}
	if d.Cmd == "remove" {
		op = fsnotify.Remove
	}
	s.disk.put(it, p, op != fsnotify.Remove)
	if !d.HasArg("silent") {
		s.system.happen(s.disk.PlanPath(it.Agent, it.ID), op)
	}
}

func (s *stage) turn(t *testing.T, d *datadriven.TestData) {
	s.system.locked(func() {
		switch d.CmdArgs[0].Key {
		case "none":
			s.system.openErr = syscall.EMFILE
		case "absent":
			s.system.openErr = syscall.ENOSYS
		case "end":
			close(s.system.events)
		case "forget":
			clear(s.system.added)
		case "limit":
			s.system.openErr = nil
			d.ScanArgs(t, "limit", &s.system.limit)
		}
	})
}

// writeLedger writes pages like bbolt: a meta page, whose turn it is, with the transaction's number and a checksum, or a page of data.
func (s *stage) writeLedger(meta bool) error {
	const page = 4096
	if s.pages == nil {
		s.pages = make([]byte, 3*page)
	}
	s.changes++
	if !meta {
		binary.NativeEndian.PutUint64(s.pages[2*page:], uint64(s.changes))
		return os.WriteFile(s.ledger, s.pages, 0o600)
	}
	const magic, header, size = 0xED0CDAED, 16, 64
	m := s.pages[int(s.changes%2)*page+header:][:size]
	binary.NativeEndian.PutUint32(m, magic)
	binary.NativeEndian.PutUint32(m[8:], page)
	binary.NativeEndian.PutUint64(m[48:], uint64(s.changes))
	sum := fnv.New64a()
	sum.Write(m[:size-8])
	binary.NativeEndian.PutUint64(m[size-8:], sum.Sum64())
	return os.WriteFile(s.ledger, s.pages, 0o600)
}

func (s *stage) state() string {
	dirs := strings.Split(strings.ReplaceAll(s.system.list(), filepath.Dir(s.ledger), "LEDGER"), "\n")
	slices.Sort(dirs) // by the shown names, wherever temporary files are
	return fmt.Sprintf("%s, %d reads\n%s", s.watcher.Mode(), s.disk.count(0), strings.Join(dirs, "\n"))
}
