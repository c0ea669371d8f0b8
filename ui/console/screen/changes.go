package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/model/thread"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// Changes is what is known of the files that the work on an item changed, and the place of the keys in them.
type Changes struct {
	thread.Diff
	// Known: the diff was read. Space: white space counts.
	Known, Space bool
	// Unfolded are the files whose lines are shown, by their paths, with what was read of them.
	Unfolded map[model.Text]Unfolded
	// Left is how many cells the lines are moved to the left.
	Left int
	List[ChangeRow]
	// at is the place of each file in Files.
	at map[model.Text]int
}

// Unfolded are the lines of a file, which had this print when they were read.
type Unfolded struct {
	thread.Hunks
	Print string
}

// ChangeRow names a row of the changes: a line of a hunk of a file; without a line (-1) the hunk's head; without a hunk
// (-1) the file itself, or with line 0 what is said below it.
type ChangeRow struct {
	File       model.Text
	Hunk, Line int
}

// Laid is x with its rows in order. The cursor stays where it can.
func (x Changes) Laid() Changes {
	x.at = make(map[model.Text]int, len(x.Files))
	var order []ChangeRow
	for i, f := range x.Files {
		x.at[f.Path] = i
		order = append(order, ChangeRow{f.Path, -1, -1})
		open, unfolded := x.Unfolded[f.Path]
		if !unfolded {
			continue
		}
		for h, hunk := range open.List {
			order = append(order, ChangeRow{f.Path, h, -1})
			for l := range hunk.Lines {
				order = append(order, ChangeRow{f.Path, h, l})
			}
		}
		if x.note(f) != "" {
			order = append(order, ChangeRow{f.Path, -1, 0})
		}
	}
	x.List = x.Show(order)
	return x
}

// File is the file that a row is about.
func (x Changes) File(r ChangeRow) (thread.DiffFile, bool) {
	i, ok := x.at[r.File]
	if !ok {
		return thread.DiffFile{}, false
	}
	return x.Files[i], true
}

// ToFile moves the cursor to the next file, or to the one before; at the end it stays.
func (x Changes) ToFile(n int) Changes {
	return x.seek(n, func(r ChangeRow) bool { return r.Hunk < 0 && r.Line < 0 })
}

// ToHunk moves the cursor to the next hunk of any file, or to the one before.
func (x Changes) ToHunk(n int) Changes {
	return x.seek(n, func(r ChangeRow) bool { return r.Hunk >= 0 && r.Line < 0 })
}

func (x Changes) seek(n int, is func(ChangeRow) bool) Changes {
	for i := x.At() + n; i >= 0 && i < len(x.Order); i += n {
		if is(x.Order[i]) {
			x.Cursor = x.Order[i]
			break
		}
	}
	return x
}

// note is what is said below an unfolded file; empty: its lines say all.
func (x Changes) note(f thread.DiffFile) string {
	open := x.Unfolded[f.Path]
	switch {
	case open.Problem != "":
		return open.Problem.String()
	case f.Binary:
		return "It is no text."
	case open.Cut:
		return "There is more than is shown here."
	case len(open.List) == 0 && f.Status == 'M':
		return "Its mode or its white space changed, no more."
	case len(open.List) == 0:
		return "It has no lines that differ."
	}
	return ""
}

// changes is the page of what the work changed.
func (v Detail) changes(w, h int) []string {
	x := v.Changes
	switch {
	case !x.Known:
		return []string{" " + v.Muted.Paint("Reading…")}
	case x.Problem != "":
		return v.Warned(sentence(x.Problem.String()), w)
	}
	out := v.changesHead(w)
	if len(x.Files) == 0 {
		return append(out, " "+v.Muted.Paint("Nothing changed."))
	}
	from, to := x.Window(h - len(out))
	for _, r := range x.Order[from:to] {
		out = append(out, v.changeRow(r, w))
	}
	return out
}

// ChangesHeight is how many rows of the changes are shown.
func (v Detail) ChangesHeight() int {
	w, h := v.Inner()
	return max(h-headRows-len(v.changesHead(w)), 1)
}

// changesHead says how much changed, and since when.
func (v Detail) changesHead(w int) []string {
	x := v.Changes
	added, removed := 0, 0
	for _, f := range x.Files {
		added, removed = added+f.Added, removed+f.Removed
	}
	n := len(x.Files) + x.More
	s := fmt.Sprintf("%s +%d −%d since ", model.Counted(n, "file"), added, removed)
	commit := x.Base[:min(len(x.Base), shortCommit)]
	switch {
	case x.Began:
		s += "it began, at " + commit
	case x.Since != "":
		s += "HEAD left " + v.Show(x.Since) + ", at " + commit + "; where the work began is not recorded"
	default:
		s += commit + "; where the work began is not recorded"
	}
	if x.More > 0 {
		s += fmt.Sprintf(" %s %d of the files are not listed", v.Glyph.Dot, x.More)
	}
	if x.Space {
		s += " " + v.Glyph.Dot + " white space counts"
	}
	return v.Said(s, w)
}

// shortCommit is how much of a commit's name is shown.
const shortCommit = 8

func (v Detail) changeRow(r ChangeRow, w int) string {
	f, _ := v.Changes.File(r)
	selected := v.Focused && r == v.Changes.Cursor
	switch open := v.Changes.Unfolded[r.File]; {
	case r.Hunk < 0 && r.Line < 0:
		return v.changedFile(f, w, selected)
	case r.Hunk < 0:
		return v.row(w, selected, v.Muted.Of("  "+v.Safe(v.Changes.note(f))))
	case r.Hunk >= len(open.List) || r.Line >= len(open.List[r.Hunk].Lines):
		return ""
	case r.Line < 0:
		h := open.List[r.Hunk]
		return v.row(w, selected, v.Accent.Of(fmt.Sprintf("  line %d ", cmp.Or(h.New, h.Old))), v.Muted.Of(v.line(h.Heading)))
	default:
		return v.changedLine(open.List[r.Hunk].Lines[r.Line], w, selected)
	}
}

// changedFile is a file on a line: folded or not, its path, what became of it.
func (v Detail) changedFile(f thread.DiffFile, w int, selected bool) string {
	fold := "▸ "
	if _, open := v.Changes.Unfolded[f.Path]; open {
		fold = "▾ "
	}
	var words []string
	if word := changeWords[f.Status]; word != "" {
		words = append(words, word)
	}
	if f.Old != "" {
		words[0] += " from " + v.Show(f.Old)
	}
	if f.Binary {
		words = append(words, "binary")
	} else if f.Counted {
		words = append(words, fmt.Sprintf("+%d −%d", f.Added, f.Removed))
	}
	tail := text.Cut(strings.Join(words, " "), max(w/2, 12))
	path := v.Show(f.Path)
	width := max(w-text.Width(tail)-5, 8)
	if over := text.Width(path) - width; over > 0 { // its end tells more
		path = "…" + ansi.TruncateLeft(path, over+1, "")
	}
	return v.row(w, selected, v.Accent.Of(fold), v.Strong.Of(text.Pad(path, width)), v.Muted.Of(" "+tail))
}

// changeWords are what git's letters mean.
var changeWords = map[byte]string{
	'A': "new", 'D': "gone", 'R': "moved", 'C': "copied", 'T': "another type", 'U': "in conflict", '?': "new, not added",
}

const numberCells = 5

// changedLine is a line of a hunk: its number, its sign, and what it says, with the words that differ marked.
func (v Detail) changedLine(l thread.DiffLine, w int, selected bool) string {
	ink, sign, number := v.Text, " ", l.New
	switch l.Sign {
	case '+':
		ink, sign = v.Added, "+"
	case '-':
		ink, sign, number = v.Removed, "−", l.Old
	}
	head := fmt.Sprintf("%*d ", numberCells, number)
	free := max(w-1-text.Width(head)-2, 1)
	before, differs, after := v.line(l.Text[:l.From]), v.line(l.Text[l.From:l.To]), v.line(l.Text[l.To:])
	if selected {
		said := ansi.Cut(before+differs+after, v.Changes.Left, v.Changes.Left+free)
		return v.row(w, true, widget.Ink{}.Of(head+sign+" "+said))
	}
	said := ansi.Cut(ink.Paint(before)+v.Match.Paint(differs)+ink.Paint(after), v.Changes.Left, v.Changes.Left+free)
	return text.Pad(" "+v.Faint.Paint(head)+ink.Paint(sign+" ")+said, w)
}

// line is a line of a file as it is shown, with its tabs.
func (v Detail) line(t model.Text) string {
	return strings.ReplaceAll(v.Safe(t.Multiline()), "\n", " ")
}

// changesFoot says which of the files the cursor is on.
func (v Detail) changesFoot() string {
	x := v.Changes
	if i, ok := x.at[x.Cursor.File]; ok {
		return v.Muted.Paint(fmt.Sprintf("file %d of %d", i+1, len(x.Files)))
	}
	return ""
}

// Widest is how many cells the longest line takes.
func (x Changes) Widest() (n int) {
	for _, open := range x.Unfolded {
		for _, h := range open.List {
			for _, l := range h.Lines {
				n = max(n, len(l.Text))
			}
		}
	}
	return n
}

// sentence begins with a capital, and ends.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// Files that are unfolded by themselves: so many at the top, of so many lines together.
const unfoldFiles, unfoldLines = 12, 300

// Opening are the files that are unfolded when a diff is read first.
func Opening(d thread.Diff) (out []model.Text) {
	lines := 0
	for _, f := range d.Files {
		if lines += f.Added + f.Removed; lines > unfoldLines || len(out) == unfoldFiles {
			break
		}
		if f.Counted {
			out = append(out, f.Path)
		}
	}
	return slices.Clip(out)
}
