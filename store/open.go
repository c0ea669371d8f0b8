package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	berrors "go.etcd.io/bbolt/errors"

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/lock"
)

// Options are a frontend's options for opening a ledger.
type Options struct {
	// Plans creates plan files; if nil, none are created.
	Plans PlanFiles
	// Command is the name, such as "vise mcp", that other processes see while they wait for
	// this one.
	Command string
	// MaxSize is the limit of the ledger's file in bytes; 0 means no limit.
	MaxSize int
	// Context ends the waits of opening; nil means no end.
	Context context.Context
	// Cluster opens the backend of a home whose ledger lies on a cluster; if nil, the error is ErrCluster.
	Cluster func(Cluster) (Backend, error)
	// Machine is the machine on which the ledger runs; nil is the real one.
	Machine *files.Machine
}

// Open opens the ledger of the home in dir. If there is no home, the error is ErrNoHome (and
// a *model.Error with code no_home), and nothing was written: see Create.
func Open(dir string, o Options) (*Ledger, error) {
	if OnCluster(dir) {
		return openCluster(dir, o)
	}
	go lock.Prepare() // takes as long as reading the home
	h, err := OpenHome(o.Machine, dir)
	if err != nil {
		return nil, Explain(err)
	}
	b := OpenIn(o.Machine, dir, o.Command)
	b.MaxSize = o.MaxSize
	l := LedgerOn(b, o.Plans)
	l.home, l.Now = h, o.Machine.Now
	l.journal = h.History()
	b.Inspect, b.Committing = l.inspect, l.prepareCopy
	b.Checked = func() bool { since, _ := l.journal.Checked(); return since }
	return l, nil
}

// OpenIn is the file of a ledger in a directory, behind the lock there.
func OpenIn(m *files.Machine, dir, command string) *kv.Bolt {
	return kv.OpenBolt(m, filepath.Join(dir, LedgerFile), lock.On(m, filepath.Join(dir, LockFile), command))
}

// Alone calls fn while this process has the lock of the home, or of what becomes one.
func (h Home) Alone(ctx context.Context, command string, fn func() error) error {
	l := lock.On(h.Machine, h.Path(LockFile), command)
	defer l.Close()
	if err := l.Acquire(ctx); err != nil {
		return err
	}
	defer l.Release()
	return fn()
}

// Create creates a home with an empty ledger in dir and opens it. If a home is in use there,
// the error is fs.ErrExist.
func Create(dir string, o Options) (*Ledger, error) {
	if err := vacant(o.Machine, dir); err != nil {
		return nil, Explain(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	h := Home{Dir: dir, Machine: o.Machine}
	if err := h.Guard(); err != nil {
		return nil, Explain(err)
	}
	err := h.Alone(cmp.Or(o.Context, context.Background()), o.Command, func() error { return createIn(o.Machine, dir) })
	if err != nil {
		return nil, Explain(fmt.Errorf("home %s: %w", dir, err))
	}
	return Open(dir, o)
}

// vacant refuses a directory with a home.
func vacant(m *files.Machine, dir string) error {
	_, err := OpenHome(m, dir)
	switch {
	case err == nil:
		return &fs.PathError{Op: "create home", Path: dir, Err: fs.ErrExist}
	case errors.Is(err, ErrNoHome):
		return nil
	}
	return err
}

// createIn creates home and ledger, again if an earlier creation was not finished. The ledger
// comes last; with it the home is in use.
func createIn(m *files.Machine, dir string) error {
	if err := vacant(m, dir); err != nil {
		return err
	}
	h := NewHome(m, dir, NewID())
	return cmp.Or(h.Make(), h.CreateLedger(h.Path(LedgerFile)))
}

// CreateLedger creates an empty ledger of this home in a file.
func (h Home) CreateLedger(path string) error {
	l := LedgerOn(nil, nil)
	l.home = h
	return kv.CreateBolt(h.Machine, path, l.initialize)
}

// KnownFormat refuses a home in another format.
func (h Home) KnownFormat() error { return knownFormat("the home "+h.Dir, h.FormatName) }

// initialize writes the content of an empty ledger.
func (l *Ledger) initialize(t Txn) error {
	f := NewFacts(t)
	f.PutJSON(KeyHome, l.home.ID)
	f.PutJSON(KeyFormat, formatName)
	f.PutJSON(KeySchema, l.schema())
	f.PutHead(Head{})
	return f.Err
}

// inspect runs on every file before it is used. The file must be this home's ledger, and no
// older than this home has seen.
func (l *Ledger) inspect(t Txn) error {
	f := NewFacts(t)
	var id string
	f.JSON(KeyHome, &id)
	l.learnSchema(f)
	h := f.Head()
	switch {
	case f.Err != nil:
		return f.Err
	case id != l.home.ID:
		return kv.Refuse(kv.RestoreHint, "%s is the ledger of another home (%s, not %s)", l.home.Path(LedgerFile), model.Text(id),
			l.home.ID)
	}
	l.bound.Store(0)                          // after a restore, home.json has another bound
	if l.age.Load() > 0 && l.home.Dir != "" { // the newer program may have given the home another layout since it was opened
		if _, err := OpenHome(l.home.Machine, l.home.Dir); err != nil {
			return err
		}
	}
	return l.meet(t, h)
}

// noteEvery is how many changes one write of home.json covers, because that write costs a
// sync.
const noteEvery = 256

// noteBounds writes to home.json, before a commit, the ledger's revision and a bound that the
// ledger does not pass before the next write. A restore can then tell the most that may be
// lost, and an older file in the ledger's place is noticed. noteBounds first syncs the copy
// up to this revision. The caller holds the lock. An error here does not stop a change.
func (l *Ledger) noteBounds(now, next uint64) error {
	if l.bound.Load() >= next {
		return nil
	}
	h, err := OpenHome(l.home.Machine, l.home.Dir)
	if err != nil {
		return err
	}
	if h.Bound < next {
		if err := l.journal.Sync(); err != nil {
			return err
		}
		h.Revision, h.Bound = max(h.Revision, now), next-1+noteEvery
		if err := h.Save(); err != nil {
			return err
		}
		_ = l.Reserve() // Maintain tries again, and reports the error
	}
	l.bound.Store(h.Bound)
	return nil
}

// Explain turns an error of the lower layers into one with a stable code and a hint. A
// refusal by the rules and the end of a context stay as they are.
func Explain(err error) error {
	var known *model.Error
	var refusal *kv.Refusal
	var busy *kv.Busy
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &busy):
		e := model.Busy("the ledger is busy").Because(err)
		if errors.Is(busy.Cause, context.Canceled) {
			e.Message = "interrupted while the ledger is busy"
		}
		e.Holder = holderOf(busy.Holder)
		if busy.Holder.Stopped {
			return e.WithHint("that process is stopped: kill -CONT %d lets it go on, kill %d ends it; nothing is lost", busy.Holder.PID,
				busy.Holder.PID)
		}
		return e.WithHint("try again; nothing was changed")
	case errors.Is(err, berrors.ErrTimeout):
		return model.Busy("another program has the ledger open").Because(err).WithHint("close it, then try again")
	case errors.As(err, &refusal):
		return model.Refused("this home cannot be used as it is").At("home").Because(refusal).WithHint("%s", refusal.Hint)
	case errors.As(err, new(*files.Irregular)):
		return Explain(kv.Refuse("look at it, then move it away; "+kv.RestoreHint, "%v", err))
	case errors.Is(err, ErrNoHome):
		return model.Refuse(model.CodeNoHome, "vise has no home yet").Because(err).WithHint("run vise admin init")
	case errors.Is(err, kv.ErrDamaged):
		return model.Refuse(model.CodeDamaged, "the ledger is damaged").Because(err).WithHint(kv.RestoreHint + "; vise doctor says more")
	case errors.Is(err, errNewer):
		return model.Refuse(model.CodeNewer, "the ledger was written by a newer vise, and is only read").WithHint("install the newer vise")
	case files.ReadOnly(err):
		return model.Refuse(model.CodeReadOnly, "not permitted").Because(err).
			WithHint("make it writable (chown, chmod, mount), or name another home: --home")
	case kv.Full(err):
		return model.Refuse(model.CodeFull, "there is no space for the ledger to grow").Because(err).
			WithHint("free some space; the change was not saved, all before it was")
	}
	return err
}

// holderOf is a lock's holder for frontends; nil if the holder is unknown.
func holderOf(h lock.Holder) *model.Holder {
	if h.PID == 0 {
		return nil
	}
	state := "running"
	if h.Stopped {
		state = "stopped"
	}
	return &model.Holder{PID: h.PID, Command: h.Command, State: state, Since: h.Since}
}

// Home is the directory of a ledger and its related files.
type Home struct {
	Dir string `json:"-"`
	// ID is in the ledger too, so that a ledger of another home is not mistaken for this
	// home's.
	ID string `json:"id"`
	// Format is the layout of the home, and FormatName that of the home and its ledger. (A vise without names refuses a later Format.)
	Format     int       `json:"format"`
	FormatName string    `json:"format_name"`
	Created    time.Time `json:"created"`
	// Revision is a revision that the ledger has reached. A ledger below it is an older one.
	Revision uint64 `json:"revision"`
	// Bound is a revision that the ledger has not passed. It is raised before a change that
	// would pass it.
	Bound uint64 `json:"bound,omitempty"`
	// Since is the revision at which the ledger came from another place: see status.
	Since uint64 `json:"since,omitempty"`
	// Moving is the place to which the ledger moves or has moved.
	Moving string `json:"moving,omitempty"`

	Machine *files.Machine `json:"-"`
}

// homeFormat is the layout of a home that this program writes. Formats 1 and 2 had no name.
const homeFormat = 3

// NewHome is a home that is not made yet.
func NewHome(m *files.Machine, dir, id string) Home {
	return Home{Dir: dir, ID: id, FormatName: formatName, Created: m.Now().UTC(), Machine: m}
}

// maxHomeFile is the limit of home.json in bytes. The file usually has about two hundred.
const maxHomeFile = 64 << 10

// The files and directories of a home.
const (
	HomeFile     = "home.json"
	LedgerFile   = "ledger.db"
	LockFile     = "ledger.lock"
	JournalDir   = "journal"
	SnapshotsDir = "snapshots"
	asideDir     = "aside"
	AgentsDir    = "agents"
	SpoolDir     = "spool"
)

var homeDirs = []string{JournalDir, SnapshotsDir, AgentsDir, SpoolDir, "state", "log"}

// DefaultHome is the directory of a user's home: $VISE_HOME, or vise in the data directory of
// the XDG convention. getenv is os.Getenv.
func DefaultHome(getenv func(string) string) (string, error) {
	if dir := getenv("VISE_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vise"), nil
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", kv.Refuse("set VISE_HOME to a directory", "it is not known where your home is: %v", err)
	}
	return filepath.Join(dir, ".local", "share", "vise"), nil
}

// OpenHome reads the home in dir and makes its files private. If no home was created, it
// returns ErrNoHome and writes nothing.
func OpenHome(m *files.Machine, dir string) (Home, error) {
	h := Home{Dir: dir, Machine: m}
	if OnCluster(dir) {
		return Home{}, kv.Refuse("vise admin fleet status says where", "the home %s has its ledger on a cluster, not in a file", dir)
	}
	raw, err := files.ReadSmall(h.Path(HomeFile), maxHomeFile)
	if files.IsGone(err) {
		return Home{}, h.absent()
	}
	if err != nil {
		return Home{}, err
	}
	h = Home{}
	err = json.Unmarshal(raw, &h)
	h.Dir, h.Machine = dir, m
	if err != nil || h.ID == "" {
		return Home{}, kv.Refuse(kv.RestoreHint, "%s cannot be read as a home: %v", h.Path(HomeFile), err)
	}
	if h.Format > homeFormat {
		return Home{}, kv.Refuse("install a newer vise", "the home %s has format %d, and this vise knows %d", dir, h.Format, homeFormat)
	}
	if !h.Used() {
		return Home{}, h.absent() // its creation was not finished
	}
	if err := h.KnownFormat(); err != nil {
		return Home{}, err
	}
	return h, h.Guard()
}

// Make creates the directories of a home and its home.json. The caller holds the lock.
func (h Home) Make() error {
	for _, d := range homeDirs {
		if err := h.Machine.Mkdir(h.Path(d)); err != nil {
			return err
		}
	}
	h.Format, h.FormatName = max(h.Format, homeFormat), formatName
	return h.Save()
}

func (h Home) Path(name string) string { return filepath.Join(h.Dir, name) }

// FileTime is how a time stands in the name of a file.
const FileTime = "20060102T150405Z"

// Aside returns an unused path for a file of the home that is replaced.
func (h Home) Aside(what, end string) string {
	path := h.Path(filepath.Join(asideDir, what+"-"+h.Machine.Now().UTC().Format(FileTime)))
	for n := 1; ; n++ {
		name := path + end
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", path, n, end)
		}
		if _, err := os.Lstat(name); files.IsGone(err) {
			return name
		}
	}
}

// absent returns the error for a missing home.json: the home has lost it, or the home was
// never created.
func (h Home) absent() error {
	switch {
	case !h.Used():
		return noHome(h.Dir)
	case !h.hadLedger():
		return kv.Refuse("if its ledger lies on a cluster, run the same vise admin fleet join again; otherwise "+kv.RestoreHint,
			"the home %s has lost its %s or its %s", h.Dir, ClusterFile, HomeFile)
	}
	return kv.Refuse(kv.RestoreHint, "the home %s has lost its %s", h.Dir, HomeFile)
}

// Used reports whether the home has a trace of earlier work.
func (h Home) Used() bool { return h.hadLedger() || h.has(AgentsDir) }

// hadLedger reports whether the home has a trace of a ledger in a file.
func (h Home) hadLedger() bool {
	_, err := os.Lstat(h.Path(LedgerFile))
	return err == nil || h.Revision > 0 || h.Bound > 0 || h.has(JournalDir, SnapshotsDir)
}

// has reports whether one of some directories has an entry.
func (h Home) has(directories ...string) bool {
	for _, d := range directories {
		if entries, err := files.ReadDir(h.Path(d)); err == nil && len(entries) > 0 {
			return true
		}
	}
	return false
}

// Save writes home.json.
func (h Home) Save() error { return h.write(HomeFile, h) }

// write writes a file of the home as JSON, all or nothing.
func (h Home) write(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return h.Machine.WriteFile(h.Path(name), append(raw, '\n'))
}

// Guard refuses a home that others could have written to, or on a file system where locks
// do not work. It makes a home private that others can only read.
func (h Home) Guard() error {
	if os.Getenv("VISE_ALLOW_NETWORK_FS") != "1" {
		if name := h.network(); name != "" {
			return kv.Refuse("choose a local directory, or set VISE_ALLOW_NETWORK_FS=1",
				"the home %s lies on %s, where locks and memory maps do not keep several processes apart", h.Dir, name)
		}
	}
	for _, name := range []string{".", HomeFile, LedgerFile, LockFile} {
		if err := h.private(name); err != nil && !files.IsGone(err) {
			return err
		}
	}
	return nil
}

// private checks a file of the home, or the home itself, which may be a link.
func (h Home) private(name string) error {
	path, look, mode := h.Path(name), os.Lstat, fs.FileMode(0o600)
	if name == "." {
		look, mode = os.Stat, 0o700
	}
	info, err := look(path)
	if err != nil {
		return err
	}
	if name != "." && !info.Mode().IsRegular() {
		return files.NotRegular(path)
	}
	owner, foreign, open := files.Others(info)
	switch {
	case foreign:
		return kv.Refuse("use a home of your own", "%s belongs to user %d", path, owner)
	case open&0o022 != 0:
		return kv.Refuse("look at what changed there, then chmod go-rwx it", "others can write to %s", path)
	case open == 0:
		return nil
	}
	if err := h.Machine.Chmod(path, mode); !errors.Is(err, syscall.EROFS) { // doctor reports a read-only file system
		return err
	}
	return nil
}

// Read reads home.json into h, without the checks of openHome. h stays as it is if there is no such file.
func (h *Home) Read() error {
	raw, err := files.ReadSmall(h.Path(HomeFile), maxHomeFile)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, h)
}

// About is what a ledger says of itself.
type About struct {
	// Home is the id of its home.
	Home            string
	Epoch, Revision uint64
	Status

	format string
}

// AboutOn reads what the ledger on a backend says of itself. All is empty if there is none.
func AboutOn(ctx context.Context, b Backend) (a About, err error) {
	err = ReadFacts(ctx, b, func(f *Facts) error {
		a.Status, a.Epoch, a.Revision = f.Status(), f.Epoch(), f.Head().Revision
		f.JSON(KeyHome, &a.Home)
		f.JSON(KeyFormat, &a.format)
		return nil
	})
	return a, err
}

// Identify is AboutOn for the file of a ledger at path. It refuses a ledger in another format.
func Identify(path string) (About, error) {
	a, err := AboutOn(context.Background(), kv.Copy{Path: path})
	return a, cmp.Or(err, knownFormat(path, a.format))
}

// MakeDir makes the directory of a home.
func MakeDir(m *files.Machine, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return m.Mkdir(dir)
}
