package files

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
)

// savesDir is a directory beside a plan. It holds saved texts of the plan, each compressed in a file named by the hash of the text. A file
// whose text has another hash is ignored, so that no file there is trusted.
const savesDir = "saves"

const (
	saveEnd   = ".gz"
	hashStart = "sha256:"
	hashSize  = 64
	// saveAge is the age at which the unfinished file of a killed process is deleted.
	saveAge = time.Hour
)

// saveName is the name of the file for a text with that hash; empty if the hash is invalid.
func saveName(hash string) string {
	digits, ok := strings.CutPrefix(hash, hashStart)
	if !ok || len(digits) != hashSize || strings.Trim(digits, "0123456789abcdef") != "" {
		return ""
	}
	return digits + saveEnd
}

// KeepSave stores a saved text of a plan beside the plan. It does not sync, so a power cut may lose the text.
func (h Home) KeepSave(agent model.AgentID, id model.ItemID, hash string, raw []byte) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	_, err = z.Write(raw)
	if err = errors.Join(err, z.Close()); err != nil {
		return err
	}
	return h.addSave(agent, id, hash, b.Bytes())
}

// addSave writes a compressed text beside a plan.
func (h Home) addSave(agent model.AgentID, id model.ItemID, hash string, packed []byte) error {
	name := saveName(hash)
	if name == "" || len(packed) > model.MaxPlanSaveBytes {
		return fmt.Errorf("save %q of %d bytes cannot be kept", hash, len(packed))
	}
	dir, err := h.itemDir(agent, id)
	if err != nil {
		return err
	}
	defer dir.Close()
	saves, err := makeDir(h.machine, dir, savesDir, false)
	if err != nil {
		return err
	}
	defer saves.Close()
	return put(h.machine, saves, name, packed, fileMode, false, (*os.Root).Rename)
}

// Saves returns the hashes of the stored texts of an item's plan, with the sizes of their files.
func (h Home) Saves(agent model.AgentID, id model.ItemID) map[string]int64 {
	sizes := map[string]int64{}
	_ = h.eachSave(agent, id, func(_ *os.Root, info fs.FileInfo) { // an unreadable directory has no saves
		hash := hashStart + strings.TrimSuffix(info.Name(), saveEnd)
		if saveName(hash) == info.Name() && refuse(info, model.MaxPlanBytes) == nil {
			sizes[hash] = info.Size()
		}
	})
	return sizes
}

// savesSeen is how many files beside one plan are examined.
const savesSeen = 4096

func (h Home) eachSave(agent model.AgentID, id model.ItemID, visit func(*os.Root, fs.FileInfo)) error {
	dir, err := h.savesOf(agent, id)
	if err != nil {
		return UnlessGone(err)
	}
	defer dir.Close()
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	list, err := d.ReadDir(savesSeen)
	for _, e := range list {
		if info, err := dir.Lstat(e.Name()); err == nil {
			visit(dir, info)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func (h Home) savesOf(agent model.AgentID, id model.ItemID) (*os.Root, error) {
	return h.guarded(validIDs(agent, id), append(below(agent, id), savesDir))
}

// ReadSave returns the stored text of an item's plan with that hash, or nil.
func (h Home) ReadSave(agent model.AgentID, id model.ItemID, hash string) []byte {
	dir, err := h.savesOf(agent, id)
	if err != nil || saveName(hash) == "" {
		return nil
	}
	defer dir.Close()
	packed, _, _ := readSettled(dir, saveName(hash)) // nothing, if it cannot be read
	return unpacked(packed, hash)
}

// unpacked returns the uncompressed text, or nil if it does not have that hash.
func unpacked(packed []byte, hash string) []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(z, model.MaxPlanBytes+1))
	if err != nil || len(raw) > model.MaxPlanBytes || model.NewPlanArtifact("", "", raw, time.Time{}).Hash != hash {
		return nil
	}
	return raw
}

// DropSaves deletes the texts with these hashes, and the unfinished files of killed processes.
func (h Home) DropSaves(agent model.AgentID, id model.ItemID, hashes []string) {
	old := h.machine.Now().Add(-saveAge)
	drop := map[string]bool{}
	for _, hash := range hashes {
		drop[saveName(hash)] = true
	}
	_ = h.eachSave(agent, id, func(dir *os.Root, info fs.FileInfo) {
		unfinished, _ := filepath.Match(".vise-*.tmp", info.Name())
		if drop[info.Name()] || unfinished && info.ModTime().Before(old) {
			remove(h.machine, dir, info.Name())
		}
	})
}

// Beside names the files that belong to an item's plan: long reports by their names, and saves by their hashes. An error says that there
// may be more.
func (h Home) Beside(agent model.AgentID, id model.ItemID) (names []string, err error) {
	dir, err := h.itemDir(agent, id)
	if err != nil {
		return nil, UnlessGone(err)
	}
	defer dir.Close()
	found, err := fs.ReadDir(dir.FS(), ".")
	for _, e := range found {
		if model.IsReportFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, errors.Join(err, h.eachSave(agent, id, func(_ *os.Root, info fs.FileInfo) {
		if hash := hashStart + strings.TrimSuffix(info.Name(), saveEnd); saveName(hash) == info.Name() {
			names = append(names, hash)
		}
	}))
}

// CreateFile writes a file as ReadFile returned it, if it does not exist.
func (h Home) CreateFile(agent model.AgentID, id model.ItemID, name string, raw []byte) (created bool, err error) {
	switch {
	case !IsSave(name):
		created, err = h.createFile(agent, id, cmp.Or(name, planFile), string(raw), true)
	case unpacked(raw, name) == nil:
		err = errors.New("it is another text")
	default:
		err = h.addSave(agent, id, name, raw)
		created = err == nil
	}
	if err != nil {
		err = fmt.Errorf("%s of %s/%s: %w", cmp.Or(name, planFile), agent, id, err)
	}
	return created, err
}

// IsSave reports whether a name from Beside is a save's.
func IsSave(name string) bool { return saveName(name) != "" }
