package threads

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vise/store/storetest"
)

// numbered returns n lines; some have another text.
func numbered(n int, instead map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if text, ok := instead[i]; ok {
			b.WriteString(text)
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// TestSharedLines compares one file in two work trees of a repository, one of which has one more commit.
func TestSharedLines(t *testing.T) {
	storetest.Slow(t)
	r := storetest.RepoWithCommit(t)
	r.Write("a b.txt", numbered(30, nil))
	r.Commit("lines")
	began := r.Git("rev-parse", "HEAD")
	dir := filepath.Join(t.TempDir(), "b")
	r.Git("worktree", "add", "-q", "-b", "other", dir)
	b := r.At(dir)
	if CommonDir(r.Dir) == "" || CommonDir(r.Dir) != CommonDir(dir) {
		t.Fatalf("%s is not one repository with %s", CommonDir(r.Dir), CommonDir(dir))
	}
	for _, x := range []struct {
		name, mine, theirs, want string
	}{
		{"the same line", numbered(30, map[int]string{5: "mine\n"}), numbered(30, map[int]string{5: "theirs\n"}), "[{5 5}] [{5 5}] true"},
		{"other lines", numbered(30, map[int]string{5: "mine\n"}), numbered(30, map[int]string{25: "theirs\n"}), "[] [] true"},
		{"moved by an insertion above", numbered(30, map[int]string{1: "new\nnew\nline 1\n", 20: "mine\n"}),
			numbered(30, map[int]string{20: "theirs\nand more\n"}), "[{22 22}] [{20 21}] true"},
		{"an insertion beside a change", numbered(30, map[int]string{10: "line 10\nmine\n"}), numbered(30, map[int]string{11: "theirs\n"}),
			"[{11 11}] [{11 11}] true"},
		{"dropped lines", numbered(30, map[int]string{8: "", 9: ""}), numbered(30, map[int]string{9: "theirs\n"}), "[{7 8}] [{9 9}] true"},
		{"one is as it was", numbered(30, nil), numbered(30, map[int]string{9: "theirs\n"}), "[] [] true"},
		{"no text", "a\x00b", numbered(30, map[int]string{9: "theirs\n"}), "[] [] false"},
	} {
		r.Write("a b.txt", x.mine)
		b.Write("a b.txt", x.theirs)
		if x.name == "other lines" {
			b.Commit("more")
		}
		mine, theirs, known := Reader{}.Shared(t.Context(), Side{r.Dir, began}, Side{dir, ""}, "a b.txt")
		if got := fmt.Sprint(mine, theirs, known); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
	r.Write("new.txt", "one\ntwo\n")
	b.Write("new.txt", "one\n")
	if mine, theirs, known := (Reader{}).Shared(t.Context(), Side{r.Dir, began}, Side{dir, ""}, "new.txt"); fmt.Sprint(mine, theirs, known) != "[{1 2}] [{1 1}] true" {
		t.Errorf("a file that is new in both: %v %v %v", mine, theirs, known)
	}
}
