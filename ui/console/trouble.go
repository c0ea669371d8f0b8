package console

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// troubled keeps what is on screen when the ledger cannot be read, says why, and tries
// again while that may help.
func (c Console) troubled(err error) (Console, tea.Cmd) {
	e := &model.Error{Code: model.CodeInternal, Message: model.Text(err.Error()).String()}
	errors.As(err, &e)
	c.trouble = e
	if c.looking.failing.IsZero() {
		c.looking.failing = c.now
	}
	if c.looking.retrying {
		return c, nil
	}
	c.looking.retrying = true
	return c, c.fx.nextTry()
}

// troubleWords say what is wrong with the ledger, and how old the screen is.
func (c Console) troubleWords() string {
	s := words(c.trouble)
	if c.trouble.Code == model.CodeBusy && c.trouble.Holder != nil {
		s = heldWords(c.trouble, c.looking.failing)
	}
	if !c.truth.at.IsZero() {
		s += " Showing " + c.truth.at.Format("15:04:05") + ", retrying. Writes are off."
	}
	return s
}

// heldWords say who holds the ledger, since when, and what can be done; of a holder that does
// not tell, since when it was found to.
func heldWords(e *model.Error, failing time.Time) string {
	h := e.Holder
	s := fmt.Sprintf("The ledger is held by pid %d", h.PID)
	if h.Command != "" {
		s += " (" + model.Text(h.Command).String() + ")"
	}
	way := fmt.Sprintf("This goes on when it lets go; kill %d ends it. Nothing is lost.", h.PID)
	if h.State == "stopped" {
		s, way = s+", which is stopped", sentence(model.Text(e.Hint).String())
	}
	since, at := "since", h.Since
	if at.IsZero() {
		since, at = "since before", failing
	}
	return s + ", " + since + " " + at.Local().Format("15:04:05") + ". " + way
}

// readOnly is why nothing may be written, empty when it may.
func (c Console) readOnly() string {
	switch {
	case c.fx.Session.ReadOnly != "":
		return c.fx.Session.ReadOnly
	case c.truth.readOnly() != "":
		return c.truth.readOnly()
	case c.trouble != nil:
		return "writes are off: " + model.Text(c.trouble.Message).String()
	}
	return ""
}

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
