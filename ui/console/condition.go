package console

import (
	"context"
	"strings"

	"vise/model"
)

// conditioned is a ledger that says in which ways it works less well than it should.
type conditioned interface {
	Conditions(context.Context) []model.Condition
}

// conditionBadges name each condition where it cannot be overlooked.
func (c Console) conditionBadges() []string {
	var out []string
	for _, x := range c.truth.conditions {
		badge := strings.ToUpper(strings.ReplaceAll(string(x.Code), "_", " "))
		if x.ReadOnly && c.fx.Session.ReadOnly == "" {
			badge = "READ-ONLY"
		}
		out = append(out, badge)
	}
	return out
}

// conditionWords say the first condition, and what to do.
func (c Console) conditionWords() string {
	x := c.truth.conditions[0]
	return sentence(model.Text(x.Message).String()) + " " + sentence(model.Text(x.Hint).String())
}

// conditionReadOnly is the condition that keeps the ledger from being written, if one does.
func (c Console) conditionReadOnly() string {
	for _, x := range c.truth.conditions {
		if x.ReadOnly {
			return model.Text(x.Message).String()
		}
	}
	return ""
}
