package console

import (
	"cmp"
	"slices"
	"strconv"

	"vise/model"
	"vise/ui/action"
)

// zeroChoices are the possible decisions for the item on screen. Each is chosen by a digit; for a permission, which nobody should give by
// mistake, by a letter.
func zeroChoices(x facts) []menuLine {
	n, d := *x.State.Need, *x.Detail
	tell, seen := choosesAct("message the agent…", action.Message), hideChoice(n)
	var out []menuLine
	switch n.Need {
	case model.NeedPermit:
		out = permissionChoices(x, n.Row)
	case model.NeedAnswer:
		out = answerChoices(x, n.Row, d)
	case model.NeedRepair, model.NeedNudge:
		out = []menuLine{retryChoice(n.Row), tell}
	case model.NeedPickup:
		out = []menuLine{tell, retryChoice(n.Row), seen}
	case model.NeedReview:
		out = []menuLine{sends("clear the blocker", action.Block, "Unblocked "+string(n.Handle),
			model.UpdateWorkItem{WorkItemID: n.ID, BlockedBy: model.Clear(), SeenRevision: d.Revision}),
			seen, tell}
	case model.NeedChoice:
		out = reportLines(x, n.Row, d.Offered)
	default:
		out = []menuLine{seen}
		if model.NotOffered(n.Row, "ReportWorkItem") == "" {
			out = append(out, choosesAct("write its report…", action.Report))
		}
	}
	if n.Need == model.NeedNudge {
		out = append(out, seen)
	}
	if n.Need == model.NeedRepair {
		stopped := model.Stopped
		out = append(out, sends("stop the agent", "", "Stopped "+x.AgentName(n.AgentID),
			model.UpdateAgent{AgentID: n.AgentID, Posture: &stopped}))
	}
	for i := range out {
		out[i].Off, out[i].Key = cmp.Or(out[i].Off, x.State.ReadOnly), cmp.Or(out[i].Key, strconv.Itoa(i+1))
	}
	return out
}

func sends(title string, as action.ID, said string, c model.Command) menuLine {
	return menuLine{Title: title, Result: apply{Said: said, Command: c}, as: as}
}

// choosesAct is a choice that opens the dialog of an action.
func choosesAct(title string, id action.ID) menuLine {
	return menuLine{Title: title, Result: run(id), as: id}
}

func hideChoice(x model.Inboxed) menuLine {
	return menuLine{Title: "hide it until something new happens", Result: untilNews(x), as: action.Hide}
}

func retryChoice(r model.Row) menuLine {
	c := model.Retry{WorkItemID: r.ID}
	if r.OfAgent() {
		c = model.Retry{AgentID: r.AgentID}
	}
	l := sends("retry now", action.Review, "Trying "+string(r.Handle)+" again, as soon as a driver runs", c)
	l.Does = "one turn begins, whatever holds it back"
	return l
}

// answerChoices are the choices of a question, and a free answer.
func answerChoices(x facts, r model.Row, d model.Detail) []menuLine {
	var out []menuLine
	q, _ := d.Question()
	for _, choice := range q.Ask.Choices {
		reply := model.Answer{WaitID: q.WaitID, Text: choice}
		if !r.OfAgent() {
			reply.WorkItemID, reply.SeenRevision = r.ID, d.Revision
		}
		out = append(out, sends(x.Show(choice), "", "Answered "+string(r.Handle)+": "+x.Cut(choice, 40), reply))
	}
	if out = append(out, choosesAct("your own words…", action.Answer)); q.PlanNeedsInput && q.WaitID == "" {
		ready := model.Ready
		out = append(out, sends("the plan is ready", action.Status, "The plan of "+string(r.Handle)+" is ready",
			model.UpdateWorkItem{WorkItemID: r.ID, PlanStatus: &ready, SeenRevision: d.Revision}))
	}
	return out
}

// permissionChoices are the answers to a permission request; none if its program accepts no answer from here.
func permissionChoices(x facts, r model.Row) []menuLine {
	p, ok := permission(x.State.Desk.Agent, r)
	if !ok || !r.PermitsHere(x.Now) {
		return nil
	}
	program := x.Show(p.Program)
	line := func(key string, answer model.PermissionAnswer, does string) menuLine {
		l := sends(string(answer), "", "Answered "+program+" of "+string(r.Handle)+": "+string(answer),
			model.AnswerPermission{AgentID: r.AgentID, PermissionID: p.ID, Answer: answer})
		l.Key, l.Does = key, does
		return l
	}
	always := line("a", model.PermitAlways, "allow it, and what "+program+" remembers with it")
	if !p.CanAlways {
		always.Off = program + " takes no such answer here"
	}
	deny := line("n", model.PermitDeny, "refuse this call")
	why := menuLine{Title: "no, with a message…", Does: "refuse this call, and say why", Key: "N"}
	why.Result = act(func(c *console) {
		f := messaging(c).(*form)
		send := f.Submit
		f.Title = "Refuse the call, and say why"
		f.Submit = func(x facts) message {
			m := send(x).(apply)
			m.Before = deny.Result
			return m
		}
		c.open(f)
	})
	return []menuLine{line("y", model.PermitOnce, "allow this call"), always, deny, why}
}

// permission is the request of a row, if its agent still has it.
func permission(a model.Agent, r model.Row) (p model.Permission, ok bool) {
	id, _ := r.Permission()
	if at := slices.IndexFunc(a.Permissions, func(p model.Permission) bool { return p.ID == id }); at >= 0 {
		return a.Permissions[at], true
	}
	return p, false
}
