package console

import (
	"context"

	"vise/model"
)

// conditioned is a ledger that says in which ways it works less well than it should.
type conditioned interface {
	Conditions(context.Context) []model.Condition
}

// conditionWords say the first condition, and what to do.
func (t truth) conditionWords() string {
	x := t.conditions[0]
	return sentence(model.Text(x.Message).String()) + " " + sentence(model.Text(x.Hint).String())
}

// readOnly is the condition that keeps the ledger from being written, if one does.
func (t truth) readOnly() string {
	for _, x := range t.conditions {
		if x.ReadOnly {
			return model.Text(x.Message).String()
		}
	}
	return ""
}
