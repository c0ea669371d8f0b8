package home

import (
	"crypto/sha256"
	"encoding/hex"

	"vise/model"
	file "vise/model/todo"
)

// Promotion makes a work item of a finding: its title and text become objective and plan, and
// the item links to it.
type Promotion struct {
	// Key is the one under which a finding with this text becomes an item once.
	Key    string
	Create model.CreateWorkItem
	link   model.Links
}

// Promote is the promotion of a todo of the session at base, with its body. A finding that is
// over is refused.
func Promote(base string, t file.Todo, body string) (Promotion, error) {
	if t.Status.Final() {
		return Promotion{}, model.Refuse(model.CodeRefused, "%s is %s: there is nothing to work on", t.Ref(), t.Status).At("id").
			WithHint("vise todo reopen %s gives it back", t.Ref())
	}
	objective, plan := file.Promote(t, body)
	// raw: hashed, not shown
	sum := sha256.Sum256([]byte(base + "\x00" + t.Ref().Raw() + "\x00" + objective.Raw() + "\x00" + plan.Raw()))
	return Promotion{
		Key:    "promote-" + hex.EncodeToString(sum[:16]),
		Create: model.CreateWorkItem{Objective: objective, Plan: plan},
		link:   model.Links{TodoRefs: []model.TodoRef{{TodosBase: model.Text(base), QualifiedID: model.Text(t.Ref())}}},
	}, nil
}

// Link is what ties the item to the finding once it is made.
func (p Promotion) Link(item model.ItemID) model.LinkWorkItem {
	return model.LinkWorkItem{WorkItemID: item, Add: p.link}
}
