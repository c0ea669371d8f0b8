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

// Rules of files. They are stable, as those of package todo.
const (
	RuleSymlink    todo.Rule = "symlink"
	RuleNotRegular todo.Rule = "not_regular"
	RuleUnreadable todo.Rule = "unreadable"
	RuleTooLarge   todo.Rule = "too_large"
	RuleNotText    todo.Rule = "not_text"
	RuleChanging   todo.Rule = "changing"
	RuleNoHead     todo.Rule = "no_front_matter"
	RuleUnclosed   todo.Rule = "front_matter_unclosed"
	RuleHeadLarge  todo.Rule = "front_matter_too_large"
	RuleConflict   todo.Rule = "conflict_markers"
	RuleYAML       todo.Rule = "front_matter_broken"
	RuleAlias      todo.Rule = "yaml_alias"
	RuleTag        todo.Rule = "yaml_tag"
	RuleKeyTwice   todo.Rule = "duplicate_key"
	RuleType       todo.Rule = "wrong_type"
	RuleDate       todo.Rule = "bad_date"
	RuleNoStatus   todo.Rule = "status_missing"
	RuleName       todo.Rule = "file_name"
	RuleNewer      todo.Rule = "schema_newer"
	RuleLayout     todo.Rule = "layout"
)

func (d *Damage) Error() string { return d.Reason }

// Unwrap gives the damage in the words of every door.
func (d *Damage) Unwrap() error {
	return &model.Error{Code: model.CodeDamaged, Message: d.Reason, Hint: "the file is left as it is"}
}

func damaged(rule todo.Rule, format string, args ...any) *Damage {
	return &Damage{Rule: rule, Reason: fmt.Sprintf(format, args...)}
}
