package accessible

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vise/model"
	"vise/ui/action"
)

// mark asks for some of the rows, and does something to all of them at once.
func (s *dialogue) mark(ctx context.Context, rows []model.Row) error {
	for {
		in, err := s.ask(ctx, "Which? Numbers as 1 3 5-7, a class as queued, or all:")
		if err != nil || in == "" || in == "b" {
			return err
		}
		marked, trouble := named(in, rows)
		if trouble == "" {
			_, err = s.choose(ctx, markedWords(marked), s.bulkOptions(marked))
			return err
		}
		s.say("%s.", trouble)
	}
}

// named returns the rows that words name: numbers in the list, ranges of them, classes.
func named(words string, rows []model.Row) (marked []model.Row, trouble string) {
	taken := make([]bool, len(rows))
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == ',' }) {
		from, to, span := strings.Cut(w, "-")
		a, err := strconv.Atoi(from)
		b := a
		if span && err == nil {
			b, err = strconv.Atoi(to)
		}
		any := false
		for i, r := range rows {
			byNumber := err == nil && i+1 >= a && i+1 <= b
			if byNumber || w == "all" || strings.HasPrefix(model.Spaced(r.Class), w) {
				taken[i], any = true, true
			}
		}
		if !any {
			return nil, fmt.Sprintf("%s is none of them: a number from 1 to %d, a class or all", model.Text(w), len(rows))
		}
	}
	for i, r := range rows {
		if taken[i] {
			marked = append(marked, r)
		}
	}
	return marked, ""
}

func markedWords(rows []model.Row) string {
	handles := make([]string, len(rows))
	for i, r := range rows {
		handles[i] = string(r.Handle)
	}
	words := fmt.Sprintf("%d marked: %s.", len(rows), strings.Join(handles, ", "))
	if slices.ContainsFunc(rows, func(r model.Row) bool { return r.IsCurrent }) {
		words += " Among them is the current item."
	}
	return words
}

// bulkOptions are the actions on several items. They apply to all of the items or to none, so no verb carries them out.
func (s *dialogue) bulkOptions(rows []model.Row) []option {
	items := model.Counted(len(rows), "item")
	block := func(words, did, ask string, change func(in string) action.BlockRows) option {
		return option{words, func(ctx context.Context) error {
			in, err := "", error(nil)
			if ask != "" {
				if in, err = s.ask(ctx, ask); err != nil || in == "" {
					return err
				}
			}
			c, trouble := change(in).Command(rows, s.Now())
			if trouble != "" {
				s.say("%s.", trouble)
				return nil
			}
			return s.send(ctx, c, did+" "+items+".")
		}, action.Block}
	}
	return []option{
		block("Block them, with a reason", "Blocked", "Blocked by:", func(in string) action.BlockRows {
			return action.BlockRows{By: model.Text(in)}
		}),
		block("Unblock them: clear the blockers and their waits", "Unblocked", "", func(string) action.BlockRows {
			return action.BlockRows{Clear: true}
		}),
		block("Check them again at another time: each keeps its blocker", "Moved the next check of", "When, as 30m, 16:00 or tomorrow 9:",
			func(in string) action.BlockRows { return action.BlockRows{Recheck: in} }),
		{"Hide what they need, until something new happens", func(ctx context.Context) error {
			return s.send(ctx, action.AcknowledgeRows(rows), "Hid what was needed of "+items+".")
		}, action.Hide},
		acting(action.CopyOf, func(ctx context.Context) error {
			var all []action.CopySubject
			for _, r := range rows {
				all = append(all, action.CopySubject{Row: r})
			}
			_, err := s.choose(ctx, "Copy of all of them", s.copyOptions(all[0], all))
			return err
		}),
	}
}

// send applies a command for the agent, which no verb makes, and reports the result. Its events are not shown again.
func (s *dialogue) send(ctx context.Context, c model.Command, said string) error {
	receipt, err := s.Apply(ctx, model.Envelope{Key: s.NewKey(), Actor: model.Operator, Agent: s.agent, Command: c})
	if err != nil {
		s.failed("Not done", err)
		return nil
	}
	s.say("%s Undo, in the menus, takes it back.", said)
	for _, w := range receipt.Warnings {
		s.say("Warning: %s", model.Text(w.Message))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard(ctx)
	return nil
}

// copies offers the parts of an item that can be copied, and says where the copy is.
func (s *dialogue) copies(ctx context.Context, l itemView) error {
	at := action.CopySubject{Row: l.row, Detail: &l.detail}
	if s.Plans != nil {
		file, _ := s.Plans.Plan(ctx, l.row.AgentID, l.row.ID)
		at.Plan = file.Path
	}
	_, err := s.choose(ctx, "Copy what?", s.copyOptions(at, nil))
	return err
}

func (s *dialogue) copyOptions(at action.CopySubject, marked []action.CopySubject) (out []option) {
	for _, x := range action.CopyChoices() {
		out = append(out, plain("Copy "+x.Title+": "+x.Does, func(ctx context.Context) error {
			got, trouble := x.Of(at, marked)
			if trouble != "" {
				s.say("%s", trouble)
				return nil
			}
			s.clip(ctx, got)
			return nil
		}))
	}
	return out
}

// clip copies a text and says where it is, or writes the text if there is no clipboard.
func (s *dialogue) clip(ctx context.Context, c action.Copied) {
	if s.Clip != nil {
		if how := s.Clip(ctx, c.What, c.Text); how != "" {
			s.say("%s", how)
			return
		}
	}
	s.say("%s cannot be copied from here. It is:", c.What)
	for _, l := range model.Text(c.Text).Lines() {
		s.say("%s", l)
	}
}
