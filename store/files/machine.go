package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Machine is all that a ledger asks of the machine it runs on: file operations that change
// something, the time, the wait for a lock, and who a process is. The nil *Machine is the
// real one and costs a comparison with nil. A test gives a ledger a Machine of its own, and
// so makes any operation fail, or the machine stop at it, on every platform. Its fields are
// set before it is used.
type Machine struct {
	// Clock tells the time; nil asks the system.
	Clock func() time.Time
	// Process tells of a process by its number, and of this one by 0; nil asks the system.
	Process func(pid int) Process
	// Network names the network file system that a directory lies on; nil asks the system.
	Network func(dir string) string
	// Start names the start of the machine, another one each time; nil asks the system.
	Start func() string
	// Gate is asked before each operation, by several goroutines at once. Its error is the
	// operation's, which then does not happen; a *Short lets a part of a write happen.
	Gate func(Op) error
	// Copy gives, with a Gate, a copy of a ledger's file for bbolt to work on, and what
	// carries a commit over to the file, with the size of a page.
	Copy func(*File) (*os.File, func(pageSize int) error, error)
}

// Process is who a process is, as far as the system tells.
type Process struct {
	PID int
	// Start tells a process from a later one with the same number.
	Start string
	// Args are its command line.
	Args []string
	// Stopped: a signal has stopped it, and it does nothing until it goes on.
	Stopped bool
}

// Kind is what an operation does.
type Kind string

// The operations that a Gate is asked about. Reading is none, and giving a lock back is
// none: both happen however a process ends.
const (
	Open     Kind = "open" // of a ledger, for reading too
	create   Kind = "create"
	Write    Kind = "write"
	Truncate Kind = "truncate" // shorter or longer
	Sync     Kind = "sync"
	SyncDir  Kind = "sync directory"
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	Mkdir    Kind = "mkdir"
	chmod    Kind = "chmod"
	Lock     Kind = "lock"
)

// Op is an operation that is about to happen.
type Op struct {
	Kind Kind
	Path string
	// To is a Rename's new name.
	To string
	// At and Data are what a Write writes where; Data is not to be kept. At is a Truncate's
	// size, and negative for a Write at the end.
	At   int64
	Data []byte
}

// Short is a Gate's error that lets the first Bytes of a write happen.
type Short struct {
	Bytes int
	Err   error
}

func (s *Short) Error() string { return s.Err.Error() }
func (s *Short) Unwrap() error { return s.Err }

// Gated reports whether somebody watches the operations.
func (m *Machine) Gated() bool { return m != nil && m.Gate != nil }

// Before asks the Gate.
func (m *Machine) Before(op Op) error {
	if !m.Gated() {
		return nil
	}
	if err := m.Gate(op); err != nil {
		var short *Short
		if errors.As(err, &short) {
			return err
		}
		return &fs.PathError{Op: string(op.Kind), Path: op.Path, Err: err}
	}
	return nil
}

// Now is the time.
func (m *Machine) Now() time.Time {
	if m != nil && m.Clock != nil {
		return m.Clock()
	}
	return time.Now()
}

// ProcessOf describes a process by its number, and of this one by 0.
func (m *Machine) ProcessOf(pid int) Process {
	if m != nil && m.Process != nil {
		return m.Process(pid)
	}
	if pid == 0 {
		pid = os.Getpid()
	}
	return processOf(pid)
}

// Started names the start of the machine: what was written before it and not synced may be gone.
func (m *Machine) Started() string {
	if m != nil && m.Start != nil {
		return m.Start()
	}
	return startOnce()
}

// startOnce reads it once: no process outlives it.
var startOnce = sync.OnceValue(started)

// OpenFile is OpenRegular.
func (m *Machine) OpenFile(path string, flag int, mode fs.FileMode) (*File, error) {
	kind := Open
	if flag&os.O_CREATE != 0 {
		kind = create
	}
	if err := m.Before(Op{Kind: kind, Path: path}); err != nil {
		return nil, err
	}
	f, err := OpenRegular(path, flag, mode)
	return m.file(f, err)
}

// CreateTemp is os.CreateTemp.
func (m *Machine) CreateTemp(dir, pattern string) (*File, error) {
	if err := m.Before(Op{Kind: create, Path: filepath.Join(dir, pattern)}); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, pattern)
	return m.file(f, err)
}

// Replace gives the file at path, or a new one, the content that fill writes, on the disk and
// whole or not at all.
func (m *Machine) Replace(path string, fill func(*File) error) error {
	dir := filepath.Dir(path)
	f, err := m.CreateTemp(dir, filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	err = errors.Join(fill(f), f.Sync(), f.Close())
	if err == nil {
		err = m.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, m.Remove(f.Name()))
	}
	return m.SyncDir(dir)
}

// WriteFile is Replace with the content at hand.
func (m *Machine) WriteFile(path string, data []byte) error {
	return m.Replace(path, func(f *File) error {
		_, err := f.Write(data)
		return err
	})
}

// do asks the Gate about an operation, and carries it out.
func (m *Machine) do(op Op, carryOut func() error) error {
	if err := m.Before(op); err != nil {
		return err
	}
	return carryOut()
}

// Rename is os.Rename.
func (m *Machine) Rename(from, to string) error {
	return m.do(Op{Kind: Rename, Path: from, To: to}, func() error { return os.Rename(from, to) })
}

// Remove is os.Remove.
func (m *Machine) Remove(path string) error {
	return m.do(Op{Kind: Remove, Path: path}, func() error { return os.Remove(path) })
}

// Mkdir makes a directory unless it is there.
func (m *Machine) Mkdir(path string, mode fs.FileMode) error {
	err := m.do(Op{Kind: Mkdir, Path: path}, func() error { return os.Mkdir(path, mode) })
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Chmod is os.Chmod.
func (m *Machine) Chmod(path string, mode fs.FileMode) error {
	return m.do(Op{Kind: chmod, Path: path}, func() error { return os.Chmod(path, mode) })
}

// SyncDir makes the names in a directory durable, where the system can do that.
func (m *Machine) SyncDir(dir string) error {
	return m.do(Op{Kind: SyncDir, Path: dir}, func() error {
		d, err := OpenDir(dir)
		if err != nil {
			return err
		}
		defer d.Close()
		return syncNames(d)
	})
}

// File is an open file whose changes the Gate is asked about.
type File struct {
	*os.File
	machine *Machine
}

// File is f, whose changes the Gate is asked about from here on.
func (m *Machine) File(f *os.File) *File { return &File{f, m} }

func (m *Machine) file(f *os.File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return &File{f, m}, nil
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	return f.machine.Write(f.Name(), b, -1, func(b []byte, _ int64) (int, error) { return f.File.Write(b) })
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(b []byte, at int64) (int, error) {
	return f.machine.Write(f.Name(), b, at, f.File.WriteAt)
}

// Write asks the Gate about a write that do carries out.
func (m *Machine) Write(path string, b []byte, at int64, do func([]byte, int64) (int, error)) (int, error) {
	err := m.Before(Op{Kind: Write, Path: path, At: at, Data: b})
	var short *Short
	if errors.As(err, &short) {
		n, doErr := do(b[:min(short.Bytes, len(b))], at)
		return n, errors.Join(doErr, &fs.PathError{Op: string(Write), Path: path, Err: short.Err})
	}
	if err != nil {
		return 0, err
	}
	return do(b, at)
}

// ReadFrom implements io.ReaderFrom; the kernel copies from file to file by itself.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if f.machine.Gated() {
		return io.Copy(struct{ io.Writer }{f}, r)
	}
	return f.File.ReadFrom(r)
}

// Truncate is os.File.Truncate.
func (f *File) Truncate(size int64) error {
	return f.machine.do(Op{Kind: Truncate, Path: f.Name(), At: size}, func() error { return f.File.Truncate(size) })
}

// Allocate gives a new file its size, and the space for it on the disk.
func (f *File) Allocate(size int64) error {
	return f.machine.do(Op{Kind: Truncate, Path: f.Name(), At: size}, func() error { return allocate(f.File, size) })
}

// Sync is os.File.Sync.
func (f *File) Sync() error {
	return f.machine.do(Op{Kind: Sync, Path: f.Name()}, f.File.Sync)
}
