package threads

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
)

// Bounds of reading a diff: the time, the number of files, the bytes of one file's lines, and the bytes of all untracked files that are
// read to count their lines.
const (
	diffLimit     = 20 * time.Second
	maxDiffFiles  = 5000
	maxDiffBytes  = 1 << 20
	maxCountBytes = 8 << 20
)

// Diff compares the work tree around dir with the commit began, at which work began. If began is empty, it compares with the commit at
// which HEAD left its base branch. With space, white space counts.
func (r Reader) Diff(ctx context.Context, dir, began string, space bool) (d thread.Diff) {
	d.Dir = model.Text(dir)
	if _, err := os.Stat(dir); err != nil {
		d.Problem = "the work tree " + d.Dir + " is not there any more"
		return d
	}
	g, ended := r.quiet(ctx, dir, diffLimit)
	defer g.cancel()
	if ended != nil {
		d.Problem = ended.Words()
		return d
	}
	top := g.run("rev-parse", "--show-toplevel")
	if !top.ok() {
		d.Problem = g.explain(top).Words()
		return d
	}
	g.dir = strings.TrimSuffix(string(top.out), "\n")
	d.Dir = model.Text(g.dir)
	if d.Base, d.Began, d.Since = g.base(began); d.Base == "" {
		d.Problem = "there is no commit to compare with"
		return d
	}
	listed := g.run(diffArgs(space, "--raw", "--numstat", "-z", d.Base, "--")...)
	others := g.run("ls-files", "--others", "--exclude-standard", "-z")
	for _, r := range []result{listed, others} {
		if !r.ok() {
			d.Problem = g.explain(r).Words()
			return d
		}
	}
	d.Files = parseDiff(records(listed))
	for _, name := range records(others) {
		if name != "" {
			d.Files = append(d.Files, thread.DiffFile{Status: '?', Path: model.Text(name)})
		}
	}
	d.Files = slices.DeleteFunc(d.Files, func(f thread.DiffFile) bool { return thread.OwnState(f.Path.Raw(), f.Status == '?') })
	slices.SortStableFunc(d.Files, func(a, b thread.DiffFile) int { return cmp.Compare(a.Path, b.Path) })
	d.More = max(len(d.Files)-maxDiffFiles, 0)
	d.Files = d.Files[:len(d.Files)-d.More]
	look(g.dir, d.Files)
	return d
}

// records are what git -z prints, without an incomplete record at its end.
func records(r result) []string {
	list := strings.Split(string(r.out), "\x00")
	if r.cut {
		list = list[:len(list)-1]
	}
	return list
}

// diffArgs returns the arguments of a diff that runs no program of the repository, whatever its configuration says.
func diffArgs(space bool, args ...string) []string {
	out := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--no-abbrev", "--find-renames",
		"--ignore-submodules=dirty", "--submodule=short", "--unified=3", "--inter-hunk-context=0", "-O/dev/null"}
	if !space {
		out = append(out, "--ignore-all-space", "--ignore-blank-lines")
	}
	return append(out, args...)
}

// base returns the commit to compare with. If HEAD does not descend from began, after a rebase, base is the common ancestor of both.
func (g git) base(began string) (commit string, recorded bool, since model.Text) {
	if thread.IsCommit(began) {
		if at := g.says("merge-base", began, "HEAD"); at != "" {
			return at, true, ""
		}
	}
	for _, ref := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "@{upstream}",
		"refs/heads/main", "refs/heads/master"} {
		if at := g.says("merge-base", ref, "HEAD"); at != "" {
			return at, false, model.Text(g.says("rev-parse", "--abbrev-ref", ref))
		}
	}
	if at := g.says("rev-parse", "--verify", "--quiet", "HEAD"); at != "" {
		return at, false, ""
	}
	return g.says("hash-object", "-t", "tree", "/dev/null"), false, "" // the repository has no commit yet
}

// parseDiff reads git diff --raw --numstat -z: all raw records, then all numstat records.
func parseDiff(fields []string) (list []thread.DiffFile) {
	at := map[model.Text]int{}
	next := func() (s string) {
		if len(fields) > 0 {
			s, fields = fields[0], fields[1:]
		}
		return s
	}
	for len(fields) > 0 {
		head := next()
		if !strings.HasPrefix(head, ":") {
			countLines(list, at, head, next)
			continue
		}
		parts := strings.Fields(head)
		if len(parts) < 5 || parts[4] == "" {
			continue
		}
		f := thread.DiffFile{Status: parts[4][0], Path: model.Text(next()), Print: head}
		if f.Status == 'R' || f.Status == 'C' {
			f.Old, f.Path = f.Path, model.Text(next())
		}
		at[f.Path] = len(list)
		list = append(list, f)
	}
	return slices.DeleteFunc(list, func(f thread.DiffFile) bool {
		modes := strings.Fields(f.Print)
		return !f.Binary && f.Added+f.Removed == 0 && f.Status == 'M' && modes[0] == ":"+modes[1] // only white space or times differ
	})
}

// countLines reads a record of --numstat: added lines, removed lines, and the file's name, or an empty name followed by the old and the new
// one.
func countLines(list []thread.DiffFile, at map[model.Text]int, record string, next func() string) {
	parts := strings.SplitN(record, "\t", 3)
	if len(parts) < 3 {
		return
	}
	name := parts[2]
	if name == "" {
		next()
		name = next()
	}
	i, ok := at[model.Text(name)]
	if !ok {
		return
	}
	f := &list[i]
	f.Print += record
	if f.Binary = parts[0] == "-"; !f.Binary {
		f.Counted = true
		f.Added, _ = strconv.Atoi(parts[0])
		f.Removed, _ = strconv.Atoi(parts[1])
	}
}

// look reads size and time of each file in the work tree, which identify its state, and counts the lines of untracked files.
func look(dir string, list []thread.DiffFile) {
	left := int64(maxCountBytes)
	for i := range list {
		f := &list[i]
		info, err := os.Lstat(filepath.Join(dir, f.Path.Raw())) // raw: a path to open, not shown
		if err != nil {
			continue
		}
		f.Print += fmt.Sprint(" ", info.Size(), info.ModTime().UnixNano())
		if f.Status != '?' || !info.Mode().IsRegular() || info.Size() > min(left, maxDiffBytes) {
			continue
		}
		left -= info.Size()
		if raw, err := readBelow(dir, f.Path.Raw()); err == nil { // raw: a path to open, not shown
			f.Binary = bytes.IndexByte(raw, 0) >= 0
			f.Counted, f.Added = !f.Binary, bytes.Count(raw, []byte{'\n'})
			if n := len(raw); n > 0 && raw[n-1] != '\n' && f.Counted {
				f.Added++
			}
		}
	}
}

// readBelow reads the beginning of a regular file below dir. It follows no link that leaves dir.
func readBelow(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := files.OpenPlain(root, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxDiffBytes))
}

// Hunks reads the changed lines of a file of a diff.
func (r Reader) Hunks(ctx context.Context, d thread.Diff, f thread.DiffFile, space bool) (x thread.Hunks) {
	dir, path := d.Dir.Raw(), f.Path.Raw() // raw: for git and to open, not shown
	if f.Status == '?' {
		raw, err := readBelow(dir, path)
		switch {
		case files.IsGone(err):
			x.Problem = "it is not there any more"
		case err != nil:
			x.Problem = model.Text(err.Error())
		case bytes.IndexByte(raw, 0) >= 0:
			x.Problem = "it is no text"
		default:
			x = thread.AddedHunks(raw)
			x.Cut = x.Cut || len(raw) == maxDiffBytes
		}
		return x
	}
	g, ended := r.quiet(ctx, dir, diffLimit)
	defer g.cancel()
	if ended != nil {
		x.Problem = ended.Words()
		return x
	}
	args := diffArgs(space, d.Base, "--", path)
	if f.Old != "" {
		args = append(args, f.Old.Raw()) // raw: for git, not shown
	}
	g.most = maxDiffBytes
	patch := g.run(args...)
	if !patch.ok() {
		x.Problem = g.explain(patch).Words()
		return x
	}
	x = thread.ParseHunks(patch.out)
	x.Cut = x.Cut || patch.cut
	return x
}

// File reads a file of a work tree, at most its first MiB, and its hash. A missing file has neither.
func (r Reader) File(dir, name string) (raw []byte, hash string, err error) {
	raw, err = readBelow(dir, name)
	if files.IsGone(err) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	return raw, "sha256:" + model.Hash(string(raw)), nil
}
