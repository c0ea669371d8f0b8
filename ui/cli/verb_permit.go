package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/runner"
)

func permitVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "permit ID|AGENT once|always|deny", Short: "Answer an agent's program that asks whether it may use a tool",
		Example: "vise permit claude once",
		Long: "permit answers a permission prompt of an agent's program: by the ID that vise inbox shows, or by the\n" +
			"agent if it has only one prompt. The program takes the answer only while it waits for one from vise\n" +
			"(permissions: ask_here in the agent's configuration). Otherwise answer it in the program. With always\n" +
			"the program remembers the answer, if it can.",
	}
	var m mutation
	m.keyed(c)
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		m := m.requesting("permit", args[0], args[1])
		in, before, err := replayed(e, m)
		if !before && err == nil {
			in, err = permit(e, m, args[0], model.PermissionAnswer(args[1]))
		}
		return receiptAnswer(in, "%s of %s is answered: %s", in.PermissionID, model.Text(in.AgentID), model.Text(args[1])), err
	})
}

func permit(e *Env, m mutation, ref string, with model.PermissionAnswer) (model.Receipt, error) {
	sweepPermissions(e)
	c, err := readOne(e, func(r model.Reader) (model.AnswerPermission, error) {
		var found []model.AnswerPermission
		r.Inbox(model.NeedPermit, func(x model.Inboxed) bool {
			id, _ := x.Permission()
			if strings.HasPrefix(string(id), ref) || string(x.AgentID) == ref {
				found = append(found, model.AnswerPermission{AgentID: x.AgentID, PermissionID: id, Answer: with})
			}
			return true
		})
		switch len(found) {
		case 0:
			return model.AnswerPermission{}, model.Refuse(model.CodeNotFound, "no open permission prompt matches %s", model.Text(ref)).
				At("permission_id").WithHint("vise inbox lists the open ones")
		case 1:
			return found[0], nil
		}
		return model.AnswerPermission{}, model.Refuse(model.CodeAmbiguous, "%s matches %d permission prompts", model.Text(ref), len(found)).
			At("permission_id").WithHint("name one; vise inbox lists them")
	})
	if err != nil {
		return model.Receipt{}, err
	}
	return send(e, m, c.AgentID, c)
}

// sweepPermissions ends the prompts that were answered in their program, or whose program is gone. If the ledger cannot save that, they
// stay visible.
func sweepPermissions(e *Env) {
	if h, err := open(e); err == nil {
		_ = h.SweepPermissions(e, runner.Alive)
	}
}
