package cli

import (
	"cmp"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/runner"
)

func hideVerb() verb {
	var c model.Snooze
	var until *string
	return verb{
		use: "hide ID", short: "Hide a work item from the inbox until something new happens, or until a time", items: model.FilterOpen,
		long: `hide says that you have seen what a work item needs: its entry leaves the inbox until something new
happens. With --until it is hidden until WHEN: a span from now (2h, 3d), a time (16:00, tomorrow 9:00,
2026-11-21 09:00), or change, the next change of the work item. If the item needs something else before,
it comes back at once. vise inbox --snoozed lists what is hidden. A permission (pm-…) is hidden for good; that answers nothing.`,
		example:  "vise hide wi-7f3k\nvise hide wi-7f3k --until 'tomorrow 9:00'",
		revision: &c.SeenRevision,
		flags: flags{
			{"until", &until, "when it comes back: 2h, tomorrow 9:00, a time, or change"},
			{"withdraw", &c.Withdraw, "bring it back now"},
		},
		excludes: "until withdraw",
		run: func(e *Env) (_ answer, err error) {
			ref := e.words[0]
			if strings.HasPrefix(ref, model.PermissionPrefix) {
				p, err := permissionOf(e, ref)
				if err != nil {
					return nil, err
				}
				in, err := send(e, p.AgentID, model.EndPermissions{AgentID: p.AgentID, PermissionIDs: []model.PermissionID{p.PermissionID}})
				return receiptAnswer(in, "hidden %s", p.PermissionID), err
			}
			if c.WorkItemID, err = resolve(e, ref); err != nil {
				return nil, err
			}
			isSnooze := until != nil
			if c.Withdraw {
				isSnooze, err = readOne(e, func(r model.Reader) (bool, error) {
					w, _ := r.Item(c.WorkItemID)
					a, _ := r.Agent(w.AgentID)
					x, _ := model.InboxOf(r, w, r.ItemWaits(w.AgentID, w.ID), a.CurrentWorkItemID == w.ID)
					return x.Hidden(e.now()), nil
				})
			}
			switch {
			case err != nil:
				return nil, err
			case isSnooze:
				return snooze(e, c, until)
			}
			seen := model.Acknowledge{WorkItemID: c.WorkItemID, SeenRevision: c.SeenRevision, Withdraw: c.Withdraw}
			names, in, err := carryOut(e, e.agent, seen, namesOf)
			word := "hidden"
			if c.Withdraw {
				word = "no longer hidden:"
			}
			return receiptAnswer(in, "%s %s", didOf(in, word), names.item), err
		},
	}
}

// snooze hides an entry until a time or the item's next change, or brings it back.
func snooze(e *Env, c model.Snooze, until *string) (answer, error) {
	if !c.Withdraw && strings.TrimSpace(*until) != "change" {
		t, err := model.ParseTime(strings.TrimSpace(*until), e.now().Local())
		if err != nil {
			return nil, misuse("until", "%q is not a time", *until).WithHint("%s; or say change: --until change", err.Error())
		}
		c.Until = t.UTC().Truncate(time.Second)
	}
	names, in, err := carryOut(e, e.agent, c, namesOf)
	words := "is back in the inbox"
	if !c.Withdraw {
		words = action.SnoozedWords(c.Until, e.now().Local())
	}
	return receiptAnswer(in, "%s %s", names.item, words), err
}

func undoVerb() verb {
	var id model.ItemID
	var again, before bool
	return verb{
		use: "undo [ID]", short: "Undo your last act, in all or on one work item", args: to(&id), keyed: true,
		long: `undo takes back your last pick, change, blocker, wait, acknowledgement or unread answer, and --redo does it
again, whether it came from the console or the command line. Both refuse if the work item has changed
since. Completions, reports, messages and new work items cannot be undone, nor an answer that its agent
has read. If that was your last act, undo does nothing and names the act before it, which --before undoes.`,
		example:  "vise undo\nvise undo wi-7f3k --redo",
		flags:    flags{{"redo", &again, "redo what was undone last"}, {"before", &before, "undo the newest act before your last one"}},
		excludes: "redo before",
		run: func(e *Env) (answer, error) {
			in, done, err := replayed(e, "undo", id, again, before)
			what, said := model.Text("what its key was used for"), "done before"
			if err == nil && !done {
				var u model.Undo
				if u, in, err = undo(e, id, again, before); err != nil {
					return nil, err
				}
				what, said = u.What, u.Said()
			}
			return oneLine(undone{what, in.WorkItemID, in.AgentID, in.Revision}, "%s", said).warned(in.Warnings), err
		},
	}
}

// undone is the data of undo.
type undone struct {
	What       model.Text    `json:"what"`
	WorkItemID model.ItemID  `json:"work_item_id,omitempty"`
	AgentID    model.AgentID `json:"agent_id"`
	Revision   uint64        `json:"revision"`
}

func undo(e *Env, id model.ItemID, again, skip bool) (u model.Undo, in model.Receipt, err error) {
	last, before, err := e.home.LastUndo(e, id, again)
	hint := func() string {
		if before.Inverse == nil {
			return "no act before it is left to undo"
		}
		return "vise undo --before undoes what came before it: " + actWords(e, before).String()
	}
	if skip {
		last = before
	}
	switch {
	case err != nil:
		return u, in, err
	case last.Command == "" && again:
		return u, in, notFound("nothing was undone that could be done again").
			WithHint("after a new act only that can be undone; vise events says what happened")
	case last.Command == "":
		return u, in, notFound("no act of yours is left to undo").WithHint("vise events says what happened")
	case last.Inverse == nil:
		return u, in, model.Refuse(model.CodeRefused, "your last act cannot be undone: %s", actWords(e, last)).WithHint("%s", hint())
	}
	u = *last.Inverse
	if u.What == "" {
		u.What = actWords(e, last)
	}
	in, err = send(e, last.AgentID, u)
	if x := model.AsError(err); x != nil && !again && !skip {
		err = x.WithHint("%s; %s", x.Hint, hint())
	}
	return u, in, err
}

// actEvents bounds the events that are read to describe an act.
const actEvents = 8

// actWords returns a description of an act from the journal.
func actWords(e *Env, in model.Receipt) model.Text {
	what, id := model.Text(in.Command), in.WorkItemID
	if in.Inverse != nil {
		id = cmp.Or(in.Inverse.Item(), id)
	}
	_ = read(e, func(r model.Reader) error {
		for _, a := range model.Acts(r.History(in.AgentID, model.Position{Revision: in.Revision}, actEvents)) {
			if a.Revision == in.Revision && a.Kind != model.EventFocusReleased {
				what = a.Describe()
				break
			}
		}
		if w, ok := r.Item(id); ok {
			what = model.Text(w.Handle) + " " + what
		}
		return nil
	})
	return what
}

func permitVerb() verb {
	var ref string
	var with model.PermissionAnswer
	return verb{
		use: "permit ID|AGENT once|always|deny", short: "Answer an agent's program that asks whether it may use a tool",
		long: `permit answers a permission prompt of an agent's program: by the ID that vise inbox shows, or by the
agent if it has only one prompt. The program takes the answer only while it waits for one from vise
(permissions: ask_here in the agent's configuration). Otherwise answer it in the program. With always
the program remembers the answer, if it can.`,
		example: "vise permit claude once",
		keyed:   true,
		args:    to(&ref, &with),
		run: func(e *Env) (answer, error) {
			in, before, err := replayed(e, "permit", ref, with)
			if !before && err == nil {
				in, err = permit(e, ref, with)
			}
			return receiptAnswer(in, "%s of %s is answered: %s", in.PermissionID, in.AgentID, with), err
		},
	}
}

func permit(e *Env, ref string, with model.PermissionAnswer) (model.Receipt, error) {
	c, err := permissionOf(e, ref)
	if err != nil {
		return model.Receipt{}, err
	}
	c.Answer = with
	return send(e, c.AgentID, c)
}

// permissionOf returns an answer to the permission with a reference: the beginning of its id, or its agent.
func permissionOf(e *Env, ref string) (model.AnswerPermission, error) {
	sweepPermissions(e)
	return readOne(e, func(r model.Reader) (model.AnswerPermission, error) {
		var found []model.AnswerPermission
		r.Inbox(model.NeedPermit, func(x model.Inboxed) bool {
			id, _ := x.Permission()
			if strings.HasPrefix(string(id), ref) || string(x.AgentID) == ref {
				found = append(found, model.AnswerPermission{AgentID: x.AgentID, PermissionID: id})
			}
			return true
		})
		switch len(found) {
		case 0:
			return model.AnswerPermission{}, notFound("no open permission prompt matches %s", ref).At("permission_id",
				"vise inbox lists the open ones")
		case 1:
			return found[0], nil
		}
		return model.AnswerPermission{}, model.Refuse(model.CodeAmbiguous, "%s matches %d permission prompts", ref, len(found)).
			At("permission_id",
				"name one; vise inbox lists them")
	})
}

// sweepPermissions ends the prompts that were answered in their program, or whose program is gone. If the ledger cannot save that, they
// stay visible.
func sweepPermissions(e *Env) {
	if h, err := open(e); err == nil {
		_ = h.SweepPermissions(e, runner.Alive)
	}
}
