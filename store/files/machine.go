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

// Machine is what a ledger needs from its machine: file operations that change something, the
// time, the wait for a lock, and the description of a process. The nil *Machine is the real
// machine and costs a comparison with nil. A test uses its own Machine to make any operation
// fail, or to stop the machine there, on every platform. The fields are set before the first
// use.
type Machine struct {
	// Clock returns the time; nil asks the system.
	Clock func() time.Time
	// Process describes the process with a number, or this process for 0; nil asks the system.
	Process func(pid int) Process
	// Network names the network file system of a directory; nil asks the system.
	Network func(dir string) string
	// Start identifies the start of the machine, differently each time; nil asks the system.
	Start func() string
	// Gate is called before each operation, by several goroutines concurrently. If it returns an
	// error, the operation fails with that error and does not happen. With a *Short, a part of a
	// write happens.
	Gate func(Op) error
	// Copy is used with a Gate. It returns a copy of a ledger's file for bbolt, and a function
	// that transfers a commit to the file, given the size of a page.
	Copy func(*File) (*os.File, func(pageSize int) error, error)
}

// Process describes a process, as far as the system reports it.
type Process struct {
	PID int
	// Start tells the process from a later one with the same number.
	Start string
	// Args are its command line.
	Args []string
	// Stopped reports that a signal stopped the process. It does nothing until it continues.
	Stopped bool
}

// Kind is the kind of an operation.
type Kind string

// The operations for which a Gate is called. Reading and releasing a lock are not among them,
// because both happen however a process ends.
const (
	Open     Kind = "open" // of a ledger, also for reading
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

// Op is an operation before it happens.
type Op struct {
	Kind Kind
	Path string
	// To is the new name for a Rename.
	To string
	// At is the offset of a Write, negative for a Write at the end, or the size for a Truncate.
	// Data is what a Write writes; the Gate must not keep it.
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

// Gated reports whether the machine has a Gate.
func (m *Machine) Gated() bool { return m != nil && m.Gate != nil }

// Before calls the Gate.
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

// Now is the current time.
func (m *Machine) Now() time.Time {
	if m != nil && m.Clock != nil {
		return m.Clock()
	}
	return time.Now()
}

// ProcessOf describes the process with a number, or this process for 0.
func (m *Machine) ProcessOf(pid int) Process {
	if m != nil && m.Process != nil {
		return m.Process(pid)
	}
	if pid == 0 {
		pid = os.Getpid()
	}
	return processOf(pid)
}

// Started identifies the start of the machine. Data that was written before it and not synced
// may be lost.
func (m *Machine) Started() string {
	if m != nil && m.Start != nil {
		return m.Start()
	}
	return Boot()
}

// Boot identifies the present start of the system. It is empty where the system does not tell it, and is read once, because no process
// outlives it.
var Boot = sync.OnceValue(started)

// OpenFile is OpenRegular with the Gate.
func (m *Machine) OpenFile(path string, flag int) (*File, error) {
	kind := Open
	if flag&os.O_CREATE != 0 {
		kind = create
	}
	if err := m.Before(Op{Kind: kind, Path: path}); err != nil {
		return nil, err
	}
	f, err := OpenRegular(path, flag)
	if err != nil {
		return nil, err
	}
	return m.File(f), nil
}

// Replace creates or replaces the file at path with the content that fill writes, all or
// nothing, and syncs it.
func (m *Machine) Replace(path string, fill func(*File) error) error {
	dir, end := filepath.Dir(path), ".*.new"
	if err := m.Before(Op{Kind: create, Path: path + end}); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, filepath.Base(path)+end)
	if err != nil {
		return err
	}
	f := m.File(file)
	err = errors.Join(fill(f), f.Sync(), f.Close())
	if err == nil {
		err = m.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, m.Remove(f.Name()))
	}
	return m.SyncDir(dir)
}

// WriteFile is Replace with data as the content.
func (m *Machine) WriteFile(path string, data []byte) error {
	return m.Replace(path, func(f *File) error {
		_, err := f.Write(data)
		return err
	})
}

// do calls the Gate for an operation, and then carries it out.
func (m *Machine) do(op Op, carryOut func() error) error {
	if err := m.Before(op); err != nil {
		return err
	}
	return carryOut()
}

// Rename is os.Rename with the Gate.
func (m *Machine) Rename(from, to string) error {
	return m.do(Op{Kind: Rename, Path: from, To: to}, func() error { return os.Rename(from, to) })
}

// Remove is os.Remove with the Gate.
func (m *Machine) Remove(path string) error {
	return m.do(Op{Kind: Remove, Path: path}, func() error { return os.Remove(path) })
}

// Mkdir creates a directory for its owner alone, unless it exists.
func (m *Machine) Mkdir(path string) error {
	err := m.do(Op{Kind: Mkdir, Path: path}, func() error { return os.Mkdir(path, dirMode) })
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Chmod is os.Chmod with the Gate.
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
		return d.Sync()
	})
}

// File is an open file. Its changes call the Gate.
type File struct {
	*os.File
	machine *Machine
}

// File returns f as a File on the machine.
func (m *Machine) File(f *os.File) *File { return &File{f, m} }

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	return f.machine.Write(f.Name(), b, -1, func(b []byte, _ int64) (int, error) { return f.File.Write(b) })
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(b []byte, at int64) (int, error) {
	return f.machine.Write(f.Name(), b, at, f.File.WriteAt)
}

// Write calls the Gate for a write, which do then carries out.
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

// ReadFrom implements io.ReaderFrom. Without a Gate the kernel copies from file to file.
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

// Allocate sets the size of a new file, and allocates the space on the disk.
func (f *File) Allocate(size int64) error {
	return f.machine.do(Op{Kind: Truncate, Path: f.Name(), At: size}, func() error { return allocate(f.File, size) })
}

// Sync is os.File.Sync.
func (f *File) Sync() error {
	return f.machine.do(Op{Kind: Sync, Path: f.Name()}, f.File.Sync)
}
