package todos

import (
	"fmt"

	"vise/model"
	"vise/model/todo"
)

// Damage is a file that cannot be read as a todo, and why. It is never changed.
type Damage struct {
	Source string    `json:"source"`
	File   string    `json:"file"`
	Rule   todo.Rule `json:"rule"`
	Reason string    `json:"reason"`
}

func (d *Damage) Error() string { return d.Reason }

// Unwrap gives the damage as every frontend knows it.
func (d *Damage) Unwrap() error {
	return &model.Error{Code: model.CodeDamaged, Message: d.Reason, Hint: "the file is left as it is"}
}

func damaged(rule todo.Rule, format string, args ...any) *Damage {
	return &Damage{Rule: rule, Reason: fmt.Sprintf(format, args...)}
}
