package storetest

import (
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// MemoryDir is a private directory in memory where the system has one: what is simulated needs
// no disk to be waited for.
func MemoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "vise-test-*")
	if err != nil {
		dir, err = os.MkdirTemp("", "vise-test-*")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// CopyOf is a copy of a home in memory, with the permissions of a home.
func CopyOf(t testing.TB, home string) string {
	t.Helper()
	dir := MemoryDir(t)
	err := os.CopyFS(dir, os.DirFS(home))
	if err == nil {
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				return os.Chmod(path, 0o700)
			}
			return os.Chmod(path, 0o600)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Damage is a ledger's file with one thing wrong with it.
func Damage(raw []byte, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, seed))
	raw = append([]byte{}, raw...)
	at := rng.IntN(len(raw))
	page := at &^ 4095
	switch rng.IntN(7) {
	case 0:
		return raw[:at]
	case 1:
		raw[at] ^= 1 << rng.IntN(8)
	case 2:
		for i := range raw[page : page+4096] {
			raw[page+i] = 0
		}
	case 3:
		for i := range raw[page : page+4096] {
			raw[page+i] = byte(rng.Uint32())
		}
	case 4:
		other := rng.IntN(len(raw)) &^ 4095
		copy(raw[page:page+4096], raw[other:other+4096])
	case 5:
		Circle(raw, rng.IntN)
	default:
		for range 16 {
			raw[page+rng.IntN(64)] ^= byte(rng.Uint32())
		}
	}
	return raw
}

// Circle makes each branch page of a ledger's file a child of itself, the one that which names of
// so many, and returns how many pages that were.
func Circle(raw []byte, which func(children int) int) (pages int) {
	const size, header, element, branch = 4096, 16, 16, 1
	u := binary.NativeEndian
	for id := 2; (id+1)*size <= len(raw); id++ {
		page := raw[id*size:]
		if children := int(u.Uint16(page[10:])); u.Uint64(page) == uint64(id) && u.Uint16(page[8:]) == branch && children > 0 {
			u.PutUint64(page[header+which(children)*element+8:], uint64(id))
			pages++
		}
	}
	return pages
}
