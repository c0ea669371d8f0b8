package todos

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vise/model/todo"
	"vise/store/files"
)

// known is what a read found in the files of a session, kept for the next program. A list of 2,000 files takes a third of the time with it.
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

// program is the executable file of this program.
var program = sync.OnceValue(func() files.Stat {
	path, err := os.Executable()
	if err != nil {
		return files.Stat{}
	}
	return files.StatPath(path)
})

// knownIn is the file in dir that keeps the result for a session: a checksum, then gob.
func knownIn(dir, base string) string {
	sum := sha256.Sum256([]byte(base))
	return filepath.Join(dir, hex.EncodeToString(sum[:8]))
}

// LoadKnown is Load that opens only files whose size, times or inode changed since a program kept its result in dir.
func (s *Session) LoadKnown(dir string) (Snapshot, error) {
	path := knownIn(dir, s.Path())
	before := Snapshot{whole: true, seen: map[place]seenFile{}}
	raw, _ := files.ReadSmall(path, maxKnown)
	if k := (known{}); len(raw) > 4 && binary.LittleEndian.Uint32(raw) == checksum(raw[4:]) &&
		gob.NewDecoder(bytes.NewReader(raw[4:])).Decode(&k) == nil && k.Base == s.Path() && k.Program == program() {
		for _, f := range k.Files {
			before.seen[place{f.Dir, f.File}] = seenFile{Stat: f.Stat, loaded: loaded{f.Todo, f.Damage}, settled: true}
		}
	}
	snap, err := s.load(&before, false)
	if err == nil && snap.fresh >= worthKeeping {
		s.remember(dir, path, snap.seen) // if it cannot be written, the next program reads the files
	}
	snap.seen = nil
	return snap, err
}

// checksum is CRC32C.
func checksum(raw []byte) uint32 {
	return crc32.Checksum(raw, crc32.MakeTable(crc32.Castagnoli)) // the table is made once, at the first call
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
