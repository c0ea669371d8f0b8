package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
	"vise/ui/text"
)

// likePair is a pair of todos that are equal or similar, with both texts.
type likePair struct {
	file.Similar
	Texts [2]likeText `json:"texts"`
}

// likeText is the text of one todo of a pair.
type likeText struct {
	ID      file.Ref     `json:"id"`
	Title   model.Text   `json:"title"`
	Finding model.Text   `json:"finding_id"`
	Files   []model.Text `json:"files"`
	Problem model.Text   `json:"problem"`
	Snippet model.Text   `json:"snippet"`
}

func (v *todoVerbs) dedup() *cobra.Command {
	var resolve, yes bool
	c := v.verb("dedup", "Todos with one finding id, and those that only look alike, side by side", false,
		func(_ context.Context, s *todoSession, _ []string) (answer, error) {
			at, err := s.read((*todos.Session).LoadBodies)
			if err != nil {
				return answer{}, err
			}
			pairs, lines := []likePair{}, []string{}
			var certain []likePair
			for _, p := range file.FindSimilar(at.snap.Todos) {
				pair := likePair{p, [2]likeText{at.likeText(p.Keep), at.likeText(p.Other)}}
				pairs, lines = append(pairs, pair), append(lines, pair.lines()...)
				if p.Duplicate {
					certain = append(certain, pair)
				}
			}
			if len(pairs) == 0 {
				lines = []string{"no two todos look alike"}
			}
			r := answer{data: map[string]any{"session": at.Rel, "similar": pairs}, lines: lines}
			if !resolve {
				return r, nil
			}
			return at.closeDuplicates(certain, yes)
		})
	c.Flags().BoolVar(&resolve, "auto-resolve", false, "as the operator: close those with one finding id, after asking for each")
	c.Flags().BoolVar(&yes, "yes", false, "with --auto-resolve: do not ask")
	return c
}

func (at *readSession) likeText(r file.Ref) likeText {
	t, _ := at.index.Find(r)
	parts := file.PartsOf(t, at.snap.Body(t))
	return likeText{at.label(t), t.Title, t.FindingID, append([]model.Text{}, t.Files...), parts.Problem, parts.Snippet}
}

// likeCells is the width of each text when two are shown side by side.
const likeCells = 56

// lines returns a pair side by side.
func (p likePair) lines() []string {
	out := []string{fmt.Sprintf("look alike, %d%%: a suggestion", int(p.Score*100))}
	if p.Duplicate {
		out[0] = fmt.Sprintf("duplicates: one finding id, %s", p.Texts[0].Finding)
	}
	left, right := p.Texts[0].lines(), p.Texts[1].lines()
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out = append(out, strings.TrimRight("  "+text.Pad(l, likeCells)+" │ "+r, " "))
	}
	return append(out, "")
}

func (t likeText) lines() []string {
	out := []string{t.ID.String() + "  " + t.Finding.String()}
	for _, f := range t.Files {
		out = append(out, text.Wrap(f.String(), likeCells)...)
	}
	out = append(out, text.Wrap(t.Title.String(), likeCells)...)
	for _, said := range []model.Text{t.Problem, t.Snippet} {
		for _, l := range said.Lines() {
			if l != "" && l != t.Title.String() {
				out = append(out, text.Wrap(safe(l), likeCells)...)
			}
		}
	}
	return out
}

// closeDuplicates closes the second todo of each pair for which the operator says yes.
func (at *readSession) closeDuplicates(pairs []likePair, yes bool) (answer, error) {
	switch {
	case !at.actor.Operator:
		return answer{}, file.Refuse(file.RuleOperator, "actor", "only the operator closes duplicates")
	case !yes && (at.app.flags.json || !at.app.ttyIn):
		return answer{}, model.Refuse(model.CodeRefused, "%s would be closed, and there is no terminal to confirm it",
			model.Counted(len(pairs), "todo")).
			WithHint("look at them first: vise todo dedup; then vise todo dedup --auto-resolve --yes")
	}
	var out changed
	in := bufio.NewReader(at.app.in)
	for _, p := range pairs {
		if !yes {
			fmt.Fprintf(at.app.err, "%s\nClose %s as a duplicate of %s? [y/N] ", strings.Join(p.lines(), "\n"), p.Other, p.Keep)
			said, _ := in.ReadString('\n')
			if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(said)), "y") {
				continue
			}
		}
		m := at.move(file.WontFix, "The same finding as "+p.Keep.Raw())
		m.Resolution, m.DuplicateOf = file.Duplicate, p.Keep
		t, err := at.Move(p.Other.Raw(), m)
		if err != nil {
			return answer{}, err
		}
		out.add(at.todoSession, t)
	}
	return out.answer("nothing was closed"), nil
}
