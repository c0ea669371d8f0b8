package console

import (
	"slices"

	"vise/model"
	"vise/ui/action"
)

// zeroChoice is one possible decision.
type zeroChoice struct {
	menuLine
	// word is its word in the hint line: that of the Desk's action with the same key; empty if there is none.
	word string
	as   action.ID
}

// zeroChoices are the possible decisions for the item on screen, in the order of their digits.
func zeroChoices(x facts) []zeroChoice {
	n, d := *x.State.Need, *x.Detail
	tell, seen := choosesAct("message the agent…", "message", action.Message), hideChoice(n)
	var out []zeroChoice
	switch n.Need {
	case model.NeedPermit:
		out = permissionChoices(x, n.Row)
	case model.NeedAnswer:
		out = answerChoices(x, n.Row, d)
	case model.NeedRepair, model.NeedNudge:
		out = []zeroChoice{retryChoice(n.Row), tell}
	case model.NeedPickup:
		out = []zeroChoice{tell, retryChoice(n.Row), seen}
	case model.NeedReview:
		out = []zeroChoice{sends("clear the blocker", "unblock", action.Block, "Unblocked "+string(n.Handle),
			model.UpdateWorkItem{WorkItemID: n.ID, BlockedBy: model.Clear(), SeenRevision: d.Revision}),
			seen, tell}
	case model.NeedChoice:
		out = offerChoices(x, n.Row, d)
	default:
		out = []zeroChoice{seen}
		if model.NotOffered(n.Row, "ReportWorkItem") == "" {
			out = append(out, choosesAct("write its report…", "report", action.Report))
		}
	}
	if n.Need == model.NeedNudge {
		out = append(out, seen)
	}
	if n.Need == model.NeedRepair {
		stopped := model.Stopped
		out = append(out, sends("stop the agent", "stop", "", "Stopped "+x.AgentName(n.AgentID),
			model.UpdateAgent{AgentID: n.AgentID, Posture: &stopped}))
	}
	for i := range out {
		if out[i].Off == "" {
			out[i].Off = x.State.ReadOnly
		}
	}
	return out
}

// zeroObvious is the choice of the obvious key, or -1 if the operator must press a digit. The key opens a dialog and decides nothing,
// because it is often pressed without reading.
func zeroObvious(n model.Need, all []zeroChoice) int {
	at := 0
	if n == model.NeedAnswer {
		at = slices.IndexFunc(all, func(l zeroChoice) bool { return l.as == action.Answer })
	}
	if _, decides := all[at].Result.(apply); decides {
		return -1
	}
	return at
}

func sends(title, word string, as action.ID, said string, c model.Command) zeroChoice {
	return zeroChoice{menuLine{Title: title, Result: apply{Said: said, Command: c}}, word, as}
}

// choosesAct is a choice that opens the dialog of an action.
func choosesAct(title, word string, id action.ID) zeroChoice {
	return zeroChoice{menuLine{Title: title, Result: run(id)}, word, id}
}

func hideChoice(x model.Inboxed) zeroChoice {
	return zeroChoice{menuLine{Title: "hide it until something new happens", Result: untilNews(x)}, "hide", action.Hide}
}

func retryChoice(r model.Row) zeroChoice {
	c := model.Retry{WorkItemID: r.ID}
	if r.OfAgent() {
		c = model.Retry{AgentID: r.AgentID}
	}
	l := sends("retry now", "retry", action.Review, "Trying "+string(r.Handle)+" again, as soon as a driver runs", c)
	l.Does = "one turn begins, whatever holds it back"
	return l
}

// answerChoices are the choices of a question, and a free answer.
func answerChoices(x facts, r model.Row, d model.Detail) []zeroChoice {
	var out []zeroChoice
	q, _ := d.Question()
	for _, choice := range q.Ask.Choices {
		reply := model.Answer{WaitID: q.WaitID, Text: choice}
		if !r.OfAgent() {
			reply.WorkItemID, reply.SeenRevision = r.ID, d.Revision
		}
		out = append(out, sends(x.Show(choice), "", "", "Answered "+string(r.Handle)+": "+x.Cut(choice, 40), reply))
	}
	if out = append(out, choosesAct("your own words…", "answer", action.Answer)); q.PlanNeedsInput && q.WaitID == "" {
		ready := model.Ready
		out = append(out, sends("the plan is ready", "ready", action.Status, "The plan of "+string(r.Handle)+" is ready",
			model.UpdateWorkItem{WorkItemID: r.ID, PlanStatus: &ready, SeenRevision: d.Revision}))
	}
	return out
}

// offerChoices are the offered reports, a report in the operator's own words, and no report.
func offerChoices(x facts, r model.Row, d model.Detail) []zeroChoice {
	var out []zeroChoice
	for _, o := range d.Offered {
		does := model.Spaced(o.Provenance) + ": " + x.Cut(o.Text, 50)
		out = append(out, zeroChoice{menuLine{Title: "keep it as the report", Does: does, Result: keepReport(r, o)}, "keep", ""})
	}
	own := choosesAct("your own words…", "report", action.Report)
	own.Result = opens{reporting(x, r)}
	return append(out, own, zeroChoice{noReport(r), "none", ""})
}

// permissionChoices are the answers to a permission request; none if its program accepts no answer from here.
func permissionChoices(x facts, r model.Row) []zeroChoice {
	var out []zeroChoice
	if p, ok := permission(x.State.Desk.Agent, r); ok && r.PermitsHere(x.Now) {
		for _, l := range permitLines(x, r, p) {
			out = append(out, zeroChoice{menuLine: l})
		}
	}
	return out
}
