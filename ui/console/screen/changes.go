package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/model/thread"
	"vise/ui/text"
)

// Changes holds the files that the work on an item changed, and the cursor in them.
type Changes struct {
	thread.Diff
	// Known means that the diff was read. Space means that white space counts.
	Known, Space bool
	// Unfolded holds the files whose lines are shown, by their paths, with their content.
	Unfolded map[model.Text]Unfolded
	// Comments are the operator's comments on these changes. Altered are those whose lines have changed since.
	Comments []model.Commented
	Altered  map[model.CommentID]bool
	// Left is how many cells the lines are scrolled to the left.
	Left int
	List[ChangeRow]
	// at is the index of each file in Files.
	at map[model.Text]int
}

// ChangeRow identifies a row of the changes. With Line >= 0 it is a line of a hunk; with line -1 the hunk's head. With hunk -1 it is the
// file itself, or with line 0 the note below it. With a comment it is that comment, below its subject.
type ChangeRow struct {
	File       model.Text
	Hunk, Line int
	Comment    model.CommentID
}

// Laid returns x with its rows in order. The cursor stays on its row if possible.
func (x Changes) Laid() Changes {
	x.at = make(map[model.Text]int, len(x.Files))
	var order []ChangeRow
	said := map[model.CommentID]bool{}
	// say adds the matching comments on a file below a row.
	say := func(at ChangeRow, about func(model.Comment) bool) {
		for _, c := range x.Comments {
			if c.File == at.File && !said[c.ID] && about(c.Comment) {
				said[c.ID] = true
				at.Comment = c.ID
				order = append(order, at)
			}
		}
	}
	for i, f := range x.Files {
		x.at[f.Path] = i
		head := ChangeRow{File: f.Path, Hunk: -1, Line: -1}
		order = append(order, head)
		open, unfolded := x.Unfolded[f.Path]
		if !unfolded {
			say(head, func(model.Comment) bool { return true })
			continue
		}
		say(head, func(c model.Comment) bool { return c.Line == 0 })
		for h, hunk := range open.List {
			order = append(order, ChangeRow{File: f.Path, Hunk: h, Line: -1})
			for l, line := range hunk.Lines {
				at := ChangeRow{File: f.Path, Hunk: h, Line: l}
				order = append(order, at)
				say(at, func(c model.Comment) bool { return isQuoted(c, line) && hunk.LineOf(l) == c.Line })
			}
		}
		if x.note(f) != "" {
			order = append(order, ChangeRow{File: f.Path, Hunk: -1, Line: 0})
		}
		say(head, func(model.Comment) bool { return true }) // the lines moved or changed
	}
	for _, c := range x.Comments { // their files no longer differ
		if !said[c.ID] {
			order = append(order, ChangeRow{File: c.File, Hunk: -1, Line: -1, Comment: c.ID})
		}
	}
	x.List = x.Show(order)
	return x
}

// File returns the file of a row.
func (x Changes) File(r ChangeRow) (thread.DiffFile, bool) {
	i, ok := x.at[r.File]
	if !ok {
		return thread.DiffFile{}, false
	}
	return x.Files[i], true
}

// ToFile moves the cursor to the next file, or to the previous one. At the end it stays.
func (x Changes) ToFile(n int) Changes {
	return x.seek(n, func(r ChangeRow) bool { return r.Hunk < 0 && r.Line < 0 && r.Comment == "" })
}

// ToHunk moves the cursor to the next hunk of any file, or to the previous one.
func (x Changes) ToHunk(n int) Changes {
	return x.seek(n, func(r ChangeRow) bool { return r.Hunk >= 0 && r.Line < 0 && r.Comment == "" })
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

// isQuoted reports whether a comment quotes the line.
func isQuoted(c model.Comment, l thread.DiffLine) bool {
	return strings.HasPrefix(thread.QuoteOf(l).Raw(), strings.TrimSuffix(c.Quote.Raw(), "…")) // raw: compared here
}

// comment returns a comment by its id.
func (x Changes) comment(id model.CommentID) (c model.Commented) {
	if i := slices.IndexFunc(x.Comments, func(c model.Commented) bool { return c.ID == id }); i >= 0 {
		c = x.Comments[i]
	}
	return c
}

// About returns the subject of a new comment at the cursor: the file, and the number and text of a line. For a hunk's head that is the
// first added line, or the first removed line if the hunk only removes.
func (x Changes) About() (c model.CommentOn, ok bool) {
	r := x.Cursor
	f, ok := x.File(r)
	if !ok {
		return c, false
	}
	open := x.Unfolded[f.Path]
	c.File, c.Hash = f.Path, open.Hash
	if r.Hunk < 0 || r.Hunk >= len(open.List) {
		return c, true
	}
	h, l := open.List[r.Hunk], r.Line
	for _, sign := range "+-" {
		if l < 0 {
			l = slices.IndexFunc(h.Lines, func(l thread.DiffLine) bool { return l.Sign == byte(sign) })
		}
	}
	l = max(l, 0)
	if l < len(h.Lines) {
		c.Line, c.Quote = h.LineOf(l), thread.QuoteOf(h.Lines[l])
	}
	return c, true
}

// Unsent is the number of comments that were not sent.
func (x Changes) Unsent() (n int) {
	for _, c := range x.Comments {
		if c.MessageID == "" {
			n++
		}
	}
	return n
}

// note is the text below an unfolded file, or "" if its lines say everything.
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

// changes returns the page of an item's changes.
func (v Detail) changes(w, h int) []string {
	x := v.Changes
	switch {
	case !x.Known:
		return []string{v.Note("Reading…")}
	case x.Problem != "":
		return v.Warned(text.Sentence(x.Problem.String()), w)
	}
	out := v.changesHead(w)
	if len(x.Order) == 0 {
		return append(out, v.Note("Nothing changed."))
	}
	from, to := x.Window(h - len(out))
	for _, r := range x.Order[from:to] {
		out = append(out, v.changeRow(r, w))
	}
	return out
}

// ChangesHeight is the number of visible rows of the changes.
func (v Detail) ChangesHeight() int {
	w, h := v.room()
	return max(h-len(v.changesHead(w)), 1)
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
		s += fmt.Sprintf(" · %d of the files are not listed", x.More)
	}
	if n := x.Unsent(); n > 0 {
		s += " · " + model.Counted(n, "comment") + " not sent"
	}
	if x.Space {
		s += " · white space counts"
	}
	return v.Said(s, w)
}

// shortCommit is how many characters of a commit's hash are shown.
const shortCommit = 8

func (v Detail) changeRow(r ChangeRow, w int) string {
	f, _ := v.Changes.File(r)
	selected := v.Focused && r == v.Changes.Cursor
	switch open := v.Changes.Unfolded[r.File]; {
	case r.Comment != "":
		return v.commented(v.Changes.comment(r.Comment), r, w, selected)
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

// changedFile returns a file's line: whether it is folded, its path, and what happened to it.
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
	switch {
	case f.Binary:
		words = append(words, "binary")
	case f.Counted:
		words = append(words, fmt.Sprintf("+%d −%d", f.Added, f.Removed))
	default:
		words = append(words, "not counted")
	}
	tail := text.Cut(strings.Join(words, " "), max(w/2, 12))
	width := max(w-text.Width(tail)-5, 8)
	path := text.Pad(text.CutStart(v.Show(f.Path), width), width)
	return v.row(w, selected, v.Accent.Of(fold), v.Strong.Of(path), v.Muted.Of(" "+tail))
}

// changeWords explain git's status letters.
var changeWords = map[byte]string{
	'A': "new", 'D': "gone", 'R': "moved", 'C': "copied", 'T': "another type", 'U': "in conflict", '?': "new, not added",
}

// commented returns a comment's line, with its state of delivery.
func (v Detail) commented(c model.Commented, r ChangeRow, w int, selected bool) string {
	state := c.State(v.Changes.Altered[c.ID])
	ink := map[model.CommentState]Ink{
		model.CommentUnsent: v.NeedsYou, model.CommentSent: v.Triggered, model.CommentAnswered: v.Done,
	}[state]
	where := ""
	if _, listed := v.Changes.File(r); r.Hunk < 0 && (c.Line > 0 || !listed) { // the comment is not below its subject
		where = v.Show(c.Where()) + "  "
	}
	said := ansi.Cut(v.Show(c.Text), v.Changes.Left, v.Changes.Left+len(c.Text))
	return v.row(w, selected, ink.Of("      "+v.Glyph.Following+" "+string(state)+"  "), v.Muted.Of(where), v.Text.Of(said))
}

const numberCells = 5

// changedLine returns a line of a hunk: its number, its sign, and its text with the changed words marked.
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
		return v.row(w, true, Ink{}.Of(head+sign+" "+said))
	}
	said := ansi.Cut(ink.Paint(before)+v.Match.Paint(differs)+ink.Paint(after), v.Changes.Left, v.Changes.Left+free)
	return text.Pad(" "+v.Faint.Paint(head)+ink.Paint(sign+" ")+said, w)
}

// line returns a line of a file as shown, with its tabs expanded.
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
