package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/action"
)

func snoozeVerb(e *Env) *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "snooze ID --until WHEN", Short: "Hide what a work item needs from the inbox until a time, or until it changes",
		Long: "snooze hides a work item's entry from the inbox until WHEN: a span from now (2h, 3d), a time (16:00,\n" +
			"tomorrow 9:00, 2026-11-21 09:00), or change, the next change of the work item. If the item needs\n" +
			"something else before, it comes back at once. vise inbox --snoozed lists the hidden entries.",
		Example:           "vise snooze wi-7f3k --until 'tomorrow 9:00'",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	m.register(c)
	until := c.Flags().String("until", "", "when it comes back: 2h, tomorrow 9:00, a time, or change")
	withdraw := c.Flags().Bool("withdraw", false, "bring it back now")
	needsOne(c, "until", "withdraw")
	oneOnly(c, "until", "withdraw")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		z := model.Snooze{Withdraw: *withdraw, SeenRevision: m.ifRevision}
		if when := strings.TrimSpace(*until); when != untilChange && !z.Withdraw {
			t, err := model.ParseTime(when, e.now().Local())
			if err != nil {
				return answer{}, misuse("until", "%q is not a time", model.Text(when)).
					WithHint("%s; or say change: --until change", model.Text(err.Error()))
			}
			z.Until = t.UTC().Truncate(time.Second)
		}
		o, err := orderFor(e, args[0], m, func(id model.ItemID) model.Command {
			z.WorkItemID = id
			return z
		})
		if err != nil {
			return answer{}, err
		}
		names, in, err := carryOut(e, o, namesOf)
		words := snoozeWords(z, e.now())
		if in.Unchanged && z.Withdraw {
			words = "was not snoozed"
		}
		return receiptAnswer(in, "%s %s", names.item, words), err
	})
}

// untilChange is the value of --until for a snooze that the next change ends.
const untilChange = "change"

func snoozeWords(z model.Snooze, now time.Time) string {
	if z.Withdraw {
		return "is back in the inbox"
	}
	return action.SnoozedWords(z.Until, now.Local())
}
