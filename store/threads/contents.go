package threads

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model/thread"
	"vise/store/files"
)

// maxHashed bounds how many bytes are read of files that differ from the index. Beyond it, size and time replace the content.
const maxHashed = 64 << 20

// contentsLimit is how long reading the contents of a work tree can take. A check takes longer.
var contentsLimit = 3 * time.Second

// Contents returns a fingerprint of the files of the work tree around dir, without ignored files and vise's own. It changes when the files
// change, and a commit of them does not change it. It is empty if git did not answer. now is the state of the repository.
func (r Reader) Contents(ctx context.Context, dir string) (contents string, now thread.Git) {
	g, ended := r.quiet(ctx, dir, contentsLimit)
	defer g.cancel()
	if ended != nil {
		return "", *ended
	}
	g.dir = FindRoot(dir)
	status := g.files()
	if !status.ok() {
		return "", g.explain(status)
	}
	now = parseStatus(status.out)
	listed := g.run("ls-files", "--stage", "-z")
	if !listed.ok() || listed.cut || status.cut {
		return "", now
	}
	return contentsOf(g.dir, listed.out, status.out), now
}

// contentsOf makes the fingerprint of a work tree from git's answers.
func contentsOf(dir string, listed, status []byte) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	t := treeHash{root: root, left: maxHashed, newHash: sha1.New}
	entries := map[string]string{}
	for record := range strings.SplitSeq(string(listed), "\x00") {
		facts, name, ok := strings.Cut(record, "\t")
		mode, blob, _ := strings.Cut(facts, " ")
		if blob, _, _ = strings.Cut(blob, " "); len(blob) == 2*sha256.Size {
			t.newHash = sha256.New
		}
		if ok && !thread.OwnState(name, false) {
			entries[name] = mode + " " + blob
		}
	}
	for record := range strings.SplitSeq(string(status), "\x00") {
		name, _ := changedFile(record)
		// A repository inside is listed as its directory. A file that is as in the index is listed already.
		if name == "" || strings.HasSuffix(name, "/") || thread.OwnState(name, record[0] == '?') || record[0] == '1' && record[3] == '.' {
			continue
		}
		t.put(entries, name, entries[name])
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		fmt.Fprintf(all, "%s\t%s\x00", entries[name], name)
	}
	return "sha256:" + hex.EncodeToString(all.Sum(nil))
}

// treeHash hashes files as git does.
type treeHash struct {
	root    *os.Root
	left    int64
	newHash func() hash.Hash
}

// put sets an entry to the file in the work tree, or removes it if there is no file. was is the entry of the index.
func (t *treeHash) put(entries map[string]string, name, was string) {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		delete(entries, name)
		return
	}
	mode := "100644"
	if info.Mode()&0o100 != 0 {
		mode = "100755"
	}
	entry := fmt.Sprintf("%s %s %d %d", was, info.Mode(), info.Size(), info.ModTime().UnixNano())
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		if to, err := t.root.Readlink(filepath.FromSlash(name)); err == nil {
			entry = "120000 " + t.blob(strings.NewReader(to), int64(len(to)))
		}
	case info.Mode().IsRegular() && info.Size() <= t.left:
		t.left -= info.Size()
		if f, err := files.OpenPlain(t.root, filepath.FromSlash(name), os.O_RDONLY); err == nil {
			entry = mode + " " + t.blob(f, info.Size())
			f.Close()
		}
	}
	entries[name] = entry
}

// blob returns the object id that git would give a file with this content.
func (t *treeHash) blob(content io.Reader, size int64) string {
	h := t.newHash()
	fmt.Fprintf(h, "blob %d\x00", size)
	_, _ = io.Copy(h, io.LimitReader(content, size)) // a read error only gives another id
	return hex.EncodeToString(h.Sum(nil))
}
