package todos

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"vise/model/todo"
	"vise/store/files"
)

// known is what a read found in the files of a session, kept for the next program.
type known struct {
	// Base is the session's todos directory. Program is the program that read the files: another program can read them differently.
	Base    string
	Program files.Stat
	Files   []knownFile
}

// knownFile is a file that was settled when it was read.
type knownFile struct {
	Dir, File string
	Stat      files.Stat
	Todo      *todo.Todo
	Damage    *Damage
}

const (
	// worthKeeping is how many files must have been read before the result is written: reading 100 files takes as long as writing it.
	worthKeeping = 100
	// knownAge is how long the result for a session is kept.
	knownAge = 30 * 24 * time.Hour
	maxKnown = 64 << 20
)

// seenFile is a file as a load found it, and the result of reading it.
type seenFile struct {
	files.Stat
	loaded
	// settled says that the last write was long enough ago: any later write changes the file's times.
	settled bool
}

// settling is how long before a read a file's last write must be. It is longer than the resolution of any file system's clock.
const settling = 2 * time.Second

// readIf reads a file, unless it is the same as at the last read. fresh says that it was read and was settled.
func readIf(root *os.Root, dir, name string, info fs.FileInfo, before seenFile) (f seenFile, fresh bool) {
	now := seenFile{Stat: statOf(info)}
	if before.settled && before.Stat == now.Stat {
		return before, false
	}
	now.loaded, _ = loadFile(root, dir, name, info)
	now.settled = now.Stat != files.Stat{} && time.Since(time.Unix(0, now.Modified)) > settling
	return now, now.settled
}

// program is the executable file of this program.
var program = sync.OnceValue(func() files.Stat {
	path, err := os.Executable()
	if err != nil {
		return files.Stat{}
	}
	return files.StatPath(path)
})

// knownIn is the file in dir that keeps the result for a session.
func knownIn(dir, base string) string {
	sum := sha256.Sum256([]byte(base))
	return filepath.Join(dir, hex.EncodeToString(sum[:8]))
}

// LoadKnown is Load that opens only files whose size, times or inode changed since a program kept its result in dir. ProveKnown checks the
// kept results.
func (s *Session) LoadKnown(dir string) (Snapshot, error) {
	path := knownIn(dir, s.Path())
	before := Snapshot{whole: true}
	if k, err := readKnown(path); err == nil && k.Base == s.Path() && k.Program == program() {
		before.seen = k.seen()
	}
	snap, err := s.load(&before, false)
	if err == nil && snap.fresh >= worthKeeping {
		s.remember(dir, path, snap.seen) // if it cannot be written, the next program reads the files
	}
	snap.seen = nil
	return snap, err
}

func (k known) seen() map[place]seenFile {
	out := make(map[place]seenFile, len(k.Files))
	for _, f := range k.Files {
		out[place{f.Dir, f.File}] = seenFile{Stat: f.Stat, loaded: loaded{f.Todo, f.Damage}, settled: true}
	}
	return out
}

// checksum is CRC32C.
func checksum(raw []byte) uint32 {
	return crc32.Checksum(raw, crc32.MakeTable(crc32.Castagnoli)) // the table is made once, at the first call
}

// readKnown reads a kept result: a checksum, then gob.
func readKnown(path string) (k known, err error) {
	raw, err := files.ReadSmall(path, maxKnown)
	if err != nil {
		return k, err
	}
	if len(raw) < 4 || binary.LittleEndian.Uint32(raw) != checksum(raw[4:]) {
		return k, fmt.Errorf("%s is not whole: %w", path, os.ErrInvalid)
	}
	err = gob.NewDecoder(bytes.NewReader(raw[4:])).Decode(&k)
	return k, err
}

// remember writes a result and removes old ones.
func (s *Session) remember(dir, path string, seen map[place]seenFile) {
	k := known{Base: s.Path(), Program: program()}
	for at, f := range seen {
		if f.settled {
			k.Files = append(k.Files, knownFile{at.dir, at.file, f.Stat, f.todo, f.damage})
		}
	}
	out := bytes.NewBuffer(make([]byte, 4))
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) || gob.NewEncoder(out).Encode(k) != nil {
		return
	}
	raw := out.Bytes()
	binary.LittleEndian.PutUint32(raw, checksum(raw[4:]))
	if len(raw) > maxKnown || files.WriteAtomic(path, raw) != nil {
		return
	}
	others, _ := os.ReadDir(dir)
	for _, f := range others {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > knownAge {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// Proof is the result of ProveKnown.
type Proof struct {
	// Files is how many files were read again and compared. Wrong names the kept results that differ from the files.
	Files int
	Wrong []string
}

// ProveKnown reads again each file that dir keeps and that has not changed, and compares. It removes a kept result that is wrong, comes
// from another program, or belongs to a removed session.
func ProveKnown(dir string) (p Proof) {
	all, _ := os.ReadDir(dir)
	for _, f := range all {
		path := filepath.Join(dir, f.Name())
		k, err := readKnown(path)
		wrong := 0
		if err == nil && k.Program == program() && path == knownIn(dir, k.Base) {
			wrong, err = p.compare(k)
		} else if err == nil {
			err = os.ErrInvalid
		}
		if err != nil || wrong > 0 {
			_ = os.Remove(path)
		}
	}
	return p
}

func (p *Proof) compare(k known) (wrong int, err error) {
	s, err := OpenAt(k.Base)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	now, err := s.load(&Snapshot{whole: true}, false)
	for _, f := range k.Files {
		seen, ok := now.seen[place{f.Dir, f.File}]
		if !ok || seen.Stat != f.Stat {
			continue
		}
		p.Files++
		if !reflect.DeepEqual(seen.loaded, loaded{f.Todo, f.Damage}) {
			wrong++
			p.Wrong = append(p.Wrong, filepath.Join(k.Base, f.Dir, f.File))
		}
	}
	return wrong, err
}
