package storetest

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"vise/store/files"
)

// Power is what some changes do to the disk of a home, and when each was acknowledged, so that
// the power can be cut at any moment of it.
type Power struct {
	root string
	base map[string][]byte // nil for a directory
	mu   sync.Mutex        // protects what follows
	ops  []files.Op
	acks []int // for each acknowledged change, how many operations came before
}

// NewPower watches the home in dir.
func NewPower(dir string) *Power { return &Power{root: dir} }

// Machine is the machine whose operations are written down.
func (p *Power) Machine() *files.Machine {
	return &files.Machine{Copy: CopyForBbolt, Gate: func(op files.Op) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		op.Data = bytes.Clone(op.Data)
		p.ops = append(p.ops, op)
		return nil
	}}
}

// Begin takes the home as it is for what the disk holds, and forgets how it came to be.
func (p *Power) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.base, p.ops, p.acks = Contents(p.root), nil, nil
	must(filepath.WalkDir(p.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			rel, _ := filepath.Rel(p.root, path)
			p.base[rel] = nil
		}
		return err
	}))
}

// Acknowledged notes that a change has been.
func (p *Power) Acknowledged() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.acks = append(p.acks, len(p.ops))
}

// Cuts makes so many images of what a power cut can leave, of a disk that heeds syncs or ignores
// them, has wrong judge each as a home, told how many changes had been acknowledged by then, and
// counts those that are. What is wrong is an error where syncs are heeded.
func (p *Power) Cuts(t testing.TB, images int, ignored bool, wrong func(dir string, acknowledged int) string) (bad int) {
	seed, scratch := Seed(t), MemoryDir(t)
	var mu sync.Mutex
	var all sync.WaitGroup
	cuts, workers := p.cuts(seed, images), runtime.GOMAXPROCS(0)
	for w := range workers {
		all.Go(func() {
			d, dir := newDisk(p.root, p.base, ignored), filepath.Join(scratch, string(rune('a'+w)), "home")
			for i := w; i < len(cuts); i += workers {
				c := cuts[i]
				d.until(p, c.at)
				write(dir, d.image(c.rng))
				why := wrong(dir, p.acknowledgedBy(c.at))
				must(os.RemoveAll(dir))
				if why == "" {
					continue
				}
				mu.Lock()
				bad++
				if !ignored {
					t.Errorf("image %d of seed %d, cut at operation %d of %d: %s", c.image, seed, c.at, len(p.ops), why)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	t.Logf("%d images of %d operations: %d wrong", images, len(p.ops), bad)
	return bad
}

func (p *Power) acknowledgedBy(at int) (n int) {
	for _, a := range p.acks {
		if a <= at {
			n++
		}
	}
	return n
}

// write makes files of what an image holds.
func write(dir string, image map[string][]byte) {
	for name, raw := range image {
		path := filepath.Join(dir, name)
		must(os.MkdirAll(filepath.Dir(path), 0o700))
		must(os.WriteFile(path, raw, 0o600))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// cut is where the power goes for an image, and what decides the rest of it.
type cut struct {
	image, at int
	rng       *rand.Rand
}

// cuts are the cuts of a seed's images, in the order of the operations.
func (p *Power) cuts(seed uint64, images int) []cut {
	out := make([]cut, images)
	for i := range out {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		out[i] = cut{i, rng.IntN(len(p.ops) + 1), rng}
	}
	slices.SortFunc(out, func(a, b cut) int { return a.at - b.at })
	return out
}

// disk is what has reached a disk, and what is on its way.
type disk struct {
	root    string
	names   map[string]*inode
	now     map[string]*inode
	changes []change // of names, on their way
	ignored bool
	// happened is how many operations have.
	happened int
}

// change is one of the names in a directory.
type change struct {
	dir string
	do  func(map[string]*inode)
}

func newDisk(root string, base map[string][]byte, ignored bool) *disk {
	d := &disk{root: root, names: map[string]*inode{}, ignored: ignored}
	for name, raw := range base {
		d.names[name] = &inode{isDir: raw == nil, durable: raw, size: int64(len(raw))}
	}
	d.now = maps.Clone(d.names)
	return d
}

// until has the operations happen up to one.
func (d *disk) until(p *Power, at int) {
	for ; d.happened < at; d.happened++ {
		op := p.ops[d.happened]
		d.happen(d.name(op.Path), d.name(op.To), op)
	}
}

func (d *disk) name(path string) string {
	rel, err := filepath.Rel(d.root, path)
	if err != nil {
		return path
	}
	return rel
}

// image is one of the many things that a power cut now can leave: of each file, what was
// synced and any subset of the sectors written since; of the directories, what was synced and
// the first few of the changes since. What lies in a directory that is gone is gone.
func (d *disk) image(rng *rand.Rand) map[string][]byte {
	names := maps.Clone(d.names)
	for _, c := range d.changes[:rng.IntN(len(d.changes)+1)] {
		c.do(names)
	}
	out := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if x := names[name]; !x.isDir && reached(names, filepath.Dir(name)) {
			out[name] = x.remains(rng)
		}
	}
	return out
}

// reached: the directory is there, and so are those that it lies in.
func reached(names map[string]*inode, dir string) bool {
	return dir == "." || names[dir] != nil && reached(names, filepath.Dir(dir))
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
			d.changes = slices.DeleteFunc(d.changes, func(c change) bool {
				if c.dir == name {
					c.do(d.names)
				}
				return c.dir == name
			})
		}
	case files.Mkdir:
		if d.now[name] == nil {
			d.change(name, func(names map[string]*inode) { names[name] = &inode{isDir: true} })
		}
	case files.Rename:
		x := d.file(name)
		d.change(name, func(names map[string]*inode) {
			delete(names, name)
			names[to] = x
		})
	case files.Remove:
		d.change(name, func(names map[string]*inode) { delete(names, name) })
	}
}

// change is of the names in the directory of name; what is renamed stays in it.
func (d *disk) change(name string, do func(map[string]*inode)) {
	do(d.now)
	d.changes = append(d.changes, change{filepath.Dir(name), do})
}

// file is the file of a name, a new one where there is none.
func (d *disk) file(name string) *inode {
	if d.now[name] == nil {
		x := &inode{}
		d.change(name, func(names map[string]*inode) { names[name] = x })
	}
	return d.now[name]
}

type inode struct {
	isDir   bool
	durable []byte
	pending []files.Op
	size    int64
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

// Contents are the files of a home by their names in it.
func Contents(dir string) map[string][]byte {
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
