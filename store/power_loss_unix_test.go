//go:build unix

package store_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/storetest"
)

// Whatever a power cut leaves of the writes that no sync has confirmed, every change that
// was acknowledged before it is there, whole (P1). The same images of a disk that ignores
// syncs show that the judge sees what is lost.
func TestAPowerCutTakesNothingThatWasAcknowledged(t *testing.T) {
	dir := filepath.Join(quickDir(t), "home")
	l, err := store.Create(dir, store.Options{})
	must(err)
	x := NewLife(3)
	x.Attach(l)
	x.Live(t, l, 60)
	must(l.Close())
	base := contents(dir)
	p := record(t, dir)
	for _, c := range []struct {
		name    string
		images  int
		ignored bool
	}{{"syncs are heard", storetest.Amount(150, 10_000), false}, {"syncs are ignored", storetest.Amount(60, 600), true}} {
		t.Run(c.name, func(t *testing.T) {
			seed := storetest.Seed(t)
			bad := p.judge(t, base, seed, c.images, c.ignored)
			t.Logf("%d images of %d operations: %d wrong", c.images, len(p.trace), bad)
			if !c.ignored && bad > 0 {
				t.Errorf("%d images lost something", bad)
			}
			if c.ignored && bad*10 < c.images*9 {
				t.Errorf("only %d of %d images are seen to be wrong", bad, c.images)
			}
		})
	}
}

// powerTrace is what a few changes did to the disk, and which of them were acknowledged when.
type powerTrace struct {
	root  string
	trace []files.Op
	// acks holds, for each acknowledged change, the length of the trace at that time; states
	// is what a reader was told at each revision.
	acks   []int
	first  uint64
	states map[string]uint64
}

// record carries out 30 changes and writes down what they ask of the disk.
func record(t *testing.T, dir string) *powerTrace {
	t.Helper()
	p := &powerTrace{root: dir, states: map[string]uint64{}}
	var mu sync.Mutex
	f := &Faults{Each: func(_ int, op files.Op) {
		mu.Lock()
		defer mu.Unlock()
		op.Data = bytes.Clone(op.Data)
		p.trace = append(p.trace, op)
	}}
	l, err := store.Open(dir, store.Options{Machine: f.Machine()})
	must(err)
	defer l.Close()
	must(l.View(ctx, func(r model.Reader) error { p.first = r.Revision(); return nil }))
	state, err := everything(dir)
	must(err)
	p.states[state] = p.first
	p.trace = nil
	for i := range 30 {
		e := objective(fmt.Sprint("power ", i))
		if i%5 == 0 {
			e.Command = model.CreateWorkItem{Objective: "long", Plan: model.Text(strings.Repeat("plan ", 3000))}
		}
		r, err := l.Apply(ctx, e)
		must(err)
		p.acks = append(p.acks, len(p.trace))
		state, err := everything(dir)
		must(err)
		p.states[state] = r.Revision
	}
	return p
}

// judge makes images and counts those that are wrong.
func (p *powerTrace) judge(t *testing.T, base map[string][]byte, seed uint64, images int, ignored bool) int {
	var mu sync.Mutex
	var all sync.WaitGroup
	bad, scratch, cuts := 0, quickDir(t), p.cuts(seed, images)
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		all.Go(func() {
			d := newDisk(base, ignored)
			for i := w; i < len(cuts); i += workers {
				c := cuts[i]
				d.until(p, c.at)
				why := p.wrong(filepath.Join(scratch, fmt.Sprint(w)), d.image(c.rng), c.at)
				if why == "" {
					continue
				}
				mu.Lock()
				bad++
				if !ignored {
					t.Errorf("image %d of seed %d, cut at operation %d: %s", c.image, seed, c.at, why)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return bad
}

// cut is where the power goes for an image, and what decides the rest of it.
type cut struct {
	image, at int
	rng       *rand.Rand
}

// cuts are the cuts of a seed's images, in the order of the trace.
func (p *powerTrace) cuts(seed uint64, images int) []cut {
	out := make([]cut, images)
	for i := range out {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		out[i] = cut{i, rng.IntN(len(p.trace) + 1), rng}
	}
	slices.SortFunc(out, func(a, b cut) int { return a.at - b.at })
	return out
}

// wrong says what an image has lost.
func (p *powerTrace) wrong(parent string, files map[string][]byte, at int) string {
	dir := filepath.Join(parent, "home")
	defer os.RemoveAll(dir)
	for name, raw := range files {
		path := filepath.Join(dir, name)
		must(os.MkdirAll(filepath.Dir(path), 0o700))
		must(os.WriteFile(path, raw, 0o600))
	}
	acknowledged := p.first
	for _, a := range p.acks {
		if a <= at {
			acknowledged++
		}
	}
	state, err := everything(dir)
	if err != nil {
		return err.Error()
	}
	revision, known := p.states[state]
	if !known {
		return "the state is none that ever was"
	}
	if revision < acknowledged {
		return fmt.Sprintf("revision %d is left of %d acknowledged", revision, acknowledged)
	}
	l, err := store.Open(dir, store.Options{Machine: started("after the cut")})
	if err != nil {
		return err.Error()
	}
	defer l.Close()
	must(l.View(ctx, func(model.Reader) error { return nil }))
	if h, err := l.CheckCopy(ctx); err != nil || len(h.Problems) > 0 || h.Changes != revision {
		return fmt.Sprintf("its copy is not whole: %+v %v", h, err)
	}
	if h, err := l.Check(ctx); err != nil || !h.Healthy() {
		return fmt.Sprintf("%q %v", h.Problems, err)
	}
	return ""
}

// disk is what has reached a disk, and what is on its way.
type disk struct {
	names   map[string]*inode
	now     map[string]*inode
	renames []func(map[string]*inode)
	ignored bool
	// happened is how many operations of the trace have.
	happened int
}

func newDisk(base map[string][]byte, ignored bool) *disk {
	d := &disk{names: map[string]*inode{}, ignored: ignored}
	for name, raw := range base {
		d.names[name] = &inode{durable: raw, size: int64(len(raw))}
	}
	d.now = maps.Clone(d.names)
	return d
}

type inode struct {
	durable []byte
	pending []files.Op
	size    int64
}

// until has the trace happen up to an operation.
func (d *disk) until(p *powerTrace, at int) {
	for ; d.happened < at; d.happened++ {
		op := p.trace[d.happened]
		d.happen(p.name(op.Path), p.name(op.To), op)
	}
}

// image is one of the many things that a power cut now can leave: of each file, what was
// synced and any subset of the sectors written since; of the directory, what was synced and
// the first few of the changes since.
func (d *disk) image(rng *rand.Rand) map[string][]byte {
	names := maps.Clone(d.names)
	for _, change := range d.renames[:rng.IntN(len(d.renames)+1)] {
		change(names)
	}
	out := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out[name] = names[name].remains(rng)
	}
	return out
}

func (p *powerTrace) name(path string) string {
	rel, err := filepath.Rel(p.root, path)
	if err != nil {
		return path
	}
	return rel
}

func (d *disk) happen(name, to string, op files.Op) {
	switch op.Kind {
	case files.Write, files.Truncate:
		d.file(name).write(op)
	case files.Sync:
		if x := d.file(name); !d.ignored {
			x.durable, x.pending = x.whole(), nil
		}
	case files.SyncDir:
		if !d.ignored {
			for _, change := range d.renames {
				change(d.names)
			}
			d.renames = nil
		}
	case files.Rename:
		x := d.file(name)
		d.change(func(names map[string]*inode) {
			delete(names, name)
			names[to] = x
		})
	case files.Remove:
		d.change(func(names map[string]*inode) { delete(names, name) })
	}
}

func (d *disk) change(fn func(map[string]*inode)) {
	fn(d.now)
	d.renames = append(d.renames, fn)
}

// file is the file of a name, a new one where there is none.
func (d *disk) file(name string) *inode {
	if d.now[name] == nil {
		x := &inode{}
		d.change(func(names map[string]*inode) { names[name] = x })
	}
	return d.now[name]
}

func (x *inode) write(op files.Op) {
	if op.At < 0 {
		op.At = x.size
	}
	x.pending = append(x.pending, op)
	if op.Kind == files.Truncate {
		x.size = op.At
	} else {
		x.size = max(x.size, op.At+int64(len(op.Data)))
	}
}

func (x *inode) whole() []byte {
	out := bytes.Clone(x.durable)
	for _, op := range x.pending {
		out = applied512(out, op, func() bool { return true })
	}
	return out
}

// remains is what a cut leaves: the writes on their way reach the disk in any order, each
// whole, torn or not at all.
func (x *inode) remains(rng *rand.Rand) []byte {
	out := bytes.Clone(x.durable)
	for _, i := range rng.Perm(len(x.pending)) {
		switch rng.IntN(3) {
		case 0:
			out = applied512(out, x.pending[i], func() bool { return true })
		case 1:
			out = applied512(out, x.pending[i], func() bool { return rng.IntN(2) == 0 })
		}
	}
	return out
}

// sector is what a disk writes whole.
const sector = 512

// applied512 carries out an operation on those of its sectors that reach asks for.
func applied512(out []byte, op files.Op, reach func() bool) []byte {
	if op.Kind == files.Truncate {
		if op.At <= int64(len(out)) {
			return out[:op.At]
		}
		return append(out, make([]byte, op.At-int64(len(out)))...)
	}
	for from := 0; from < len(op.Data); from += sector {
		to := min(from+sector, len(op.Data))
		if !reach() {
			continue
		}
		at := int(op.At) + from
		if short := at + to - from - len(out); short > 0 {
			out = append(out, make([]byte, short)...)
		}
		copy(out[at:], op.Data[from:to])
	}
	return out
}

// contents are the files of a home by their names in it.
func contents(dir string) map[string][]byte {
	out := map[string][]byte{}
	must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		must(err)
		out[rel], err = os.ReadFile(path)
		return err
	}))
	return out
}
