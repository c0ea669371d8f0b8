package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/threads"
	"vise/ui/action"
)

// offeredInAll is the most work items of several agents that a completion proposes.
const offeredInAll = 500

// agentNames returns all agents, each with its current item.
func agentNames(r model.Reader, _ []model.AgentID) (out []cobra.Completion, err error) {
	for _, x := range r.Agents("", offered) {
		w, _ := model.Focus(r, x.ID)
		out = append(out, describedBy(x.ID, w.Objective))
	}
	return out, nil
}

// describedBy returns a name with its description, if it has one.
func describedBy[S ~string](name S, words model.Text) cobra.Completion {
	if words == "" {
		return string(name)
	}
	return cobra.CompletionWithDesc(string(name), words.String())
}

// itemNames returns the handles of the agents' work items, with their objectives.
func itemNames(r model.Reader, of []model.AgentID, filter model.Filter) (out []cobra.Completion, err error) {
	for _, id := range of {
		if len(out) >= offeredInAll {
			break
		}
		l, err := model.ListItems(r, id, filter, nil, offered)
		if err != nil {
			return nil, err
		}
		for _, row := range l.Rows {
			out = append(out, describedBy(row.Handle, row.Objective))
		}
	}
	return out, nil
}

// entryNames returns the inbox entries that a command takes, with what each one asks for.
func entryNames(e *Env, verb string) func(model.Reader, []model.AgentID) ([]cobra.Completion, error) {
	return func(r model.Reader, _ []model.AgentID) (out []cobra.Completion, _ error) {
		for _, x := range model.Inbox(r, e.now(), offered) {
			name := string(x.Handle)
			switch {
			case e.agent != "" && e.agent != x.AgentID, x.IsPermission() != (verb == "permit"),
				verb == "answer" && x.Need != model.NeedAnswer:
				continue
			case verb == "permit":
				name = string(x.ID)
			case verb == "answer" && x.OfAgent():
				name = string(x.AgentID)
			case x.OfAgent(): // the entry is not a work item
				continue
			}
			out = append(out, describedBy(name, action.NeedSays(x)))
		}
		return out, nil
	}
}

// agentThings list an agent's things, by their name in a usage.
var agentThings = map[string]func(model.Reader, model.AgentID) []cobra.Completion{
	"WAIT": func(r model.Reader, id model.AgentID) (out []cobra.Completion) {
		for _, x := range r.ItemWaits(id, "") {
			out = append(out, describedBy(x.ID, cmp.Or(x.Ask.Question, x.WaitsFor())))
		}
		return out
	},
	"TASK": func(r model.Reader, id model.AgentID) (out []cobra.Completion) {
		for _, x := range r.Tasks(id, shownTasks) {
			out = append(out, describedBy(x.ID, x.Summary))
		}
		return out
	},
	"DELEGATION": func(r model.Reader, id model.AgentID) (out []cobra.Completion) {
		for _, x := range r.OpenDelegations(id, maxDelegations) {
			w, _ := r.Item(x.ParentWorkItemID)
			out = append(out, describedBy(x.ID, model.Text(x.ChildAgentID)+" for "+model.Text(w.Handle)+" "+w.Objective))
		}
		return out
	},
	"CAPABILITY": func(r model.Reader, id model.AgentID) (out []cobra.Completion) {
		for _, x := range r.Ingresses(id, shownIngresses) {
			if !x.Revoked {
				out = append(out, describedBy(x.ID, model.Text(id)+" "+x.Resource))
			}
		}
		return out
	},
}

// ofAgents lists the things of each of the agents.
func ofAgents(each func(model.Reader, model.AgentID) []cobra.Completion) func(model.Reader, []model.AgentID) ([]cobra.Completion, error) {
	return func(r model.Reader, of []model.AgentID) (out []cobra.Completion, _ error) {
		for _, id := range of {
			out = append(out, each(r, id)...)
		}
		return out, nil
	}
}

// todoNames returns the file todos of the selected sessions, with their titles.
func todoNames(e *Env, c *cobra.Command) (out []cobra.Completion) {
	v := &todoVerbs{Env: e}
	v.repo, _ = c.Flags().GetString("repo")
	v.session, _ = c.Flags().GetString("session")
	at, err := v.look(v.known, nil)
	if err != nil {
		return nil
	}
	defer at.close()
	for _, t := range at.todos() {
		out = append(out, describedBy(at.of(t).label(*t), t.Title))
	}
	return out
}

// threadNames returns the threads of the selected repository, with their goals.
func threadNames(e *Env, c *cobra.Command) (out []cobra.Completion) {
	root, _ := c.Flags().GetString("repo")
	if root == "" {
		root = threads.FindRoot(e.dir)
	}
	s, err := threads.At(absolute(e.dir, root)).Read()
	if err != nil {
		return nil
	}
	defer s.Close()
	all, _ := s.Threads()
	for _, t := range all {
		out = append(out, describedBy(t.ID, t.Goal))
	}
	return out
}
