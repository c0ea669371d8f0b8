package todo

import (
	"fmt"

	"vise/model"
)

// Rule is the stable code of one clause of the transition table or the contract.
type Rule string

// Rules of moves, claims and the contract.
const (
	RuleValue       Rule = "unknown_value"       // a word outside its enumeration
	RuleStatus      Rule = "unknown_status"      // a file's status is not one of the seven
	ruleTransition  Rule = "no_transition"       // the pair is not in the table
	ruleFinal       Rule = "final_status"        // complete and wont_fix are final
	RuleOperator    Rule = "operator_only"       // agents cannot do this
	ruleNotFinal    Rule = "not_final"           // only a final todo can be reopened
	RuleClaim       Rule = "claim_fields"        // in_progress has assigned_to and claimed_at
	RuleResolution  Rule = "resolution_fields"   // a resolution has reason, by and at
	RuleDuplicate   Rule = "duplicate_target"    // duplicate names another, existing todo
	ruleFixed       Rule = "complete_is_fixed"   // complete has the resolution fixed
	ruleRejection   Rule = "wont_fix_category"   // wont_fix has one of five resolutions
	ruleLeftover    Rule = "resolution_leftover" // an open todo has no resolution
	RuleCompletion  Rule = "completion_fields"   // complete has completed_by and completed_at
	ruleBlocked     Rule = "blocked_on"          // blocked names a dependency
	RuleInterrupted Rule = "interrupt_reason"    // interrupted says why
	RuleClaimed     Rule = "already_claimed"     // another worker has claimed it
	ruleClaimant    Rule = "not_claimant"        // only the claimant or the operator can do this
	RuleFence       Rule = "claim_lost"          // a later claim replaced this one
	RuleWaiting     Rule = "waiting_on"          // dependencies are not satisfied
	ruleActor       Rule = "actor_missing"       // history needs the actor and the time
	ruleNotFound    Rule = "not_found"
	RuleAmbiguous   Rule = "ambiguous_id"
	ruleTitle       Rule = "title"
	RuleTooLarge    Rule = "too_large"
)

// Rules of stored todos.
const (
	RuleSource       Rule = "source_name"
	ruleSourceKnown  Rule = "source_unknown"
	RuleSourceDir    Rule = "source_mismatch"
	RuleID           Rule = "issue_id"
	ruleTwice        Rule = "duplicate_id"
	ruleFinding      Rule = "duplicate_finding"
	ruleReused       Rule = "finding_reused"
	ruleAlike        Rule = "looks_alike"
	RuleSelf         Rule = "self_dependency"
	RuleDangling     Rule = "dangling_dependency"
	RuleCycle        Rule = "dependency_cycle"
	ruleDownstream   Rule = "downstream_of_cycle"
	ruleClosed       Rule = "blocked_by_closed"
	RuleRelated      Rule = "related_one_way"
	ruleRelatedGone  Rule = "related_unknown"
	ruleSchema       Rule = "schema_1"
	RuleHistory      Rule = "history_mismatch"
	RuleLegacy       Rule = "legacy_field"
	RulePriorityWord Rule = "priority_word"
)

// Rules of files and their directories.
const (
	RuleSymlink    Rule = "symlink"
	RuleNotRegular Rule = "not_regular"
	RuleUnreadable Rule = "unreadable"
	RuleNotText    Rule = "not_text"
	RuleChanging   Rule = "changing"
	RuleNoHead     Rule = "no_front_matter"
	RuleUnclosed   Rule = "front_matter_unclosed"
	RuleHeadLarge  Rule = "front_matter_too_large"
	RuleConflict   Rule = "conflict_markers"
	RuleYAML       Rule = "front_matter_broken"
	RuleAlias      Rule = "yaml_alias"
	RuleTag        Rule = "yaml_tag"
	RuleKeyTwice   Rule = "duplicate_key"
	RuleType       Rule = "wrong_type"
	RuleDate       Rule = "bad_date"
	RuleNoStatus   Rule = "status_missing"
	RuleName       Rule = "file_name"
	RuleNewer      Rule = "schema_newer"
	RuleLayout     Rule = "layout"
	RuleReadOnly   Rule = "read_only"
	RuleInUse      Rule = "session_in_use"
	RuleUnfinished Rule = "session_unfinished"
)

// Refusal is the answer to a move that a rule forbids. Rule and Field are stable codes. Message and Hint are for people.
type Refusal struct {
	Rule    Rule   `json:"rule"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Missing are the front matter keys that have no value and need one.
	Missing []string `json:"-"`
}

// Error returns the message with the rule.
func (r *Refusal) Error() string { return r.Message + " (" + string(r.Rule) + ")" }

// Is lets errors.Is compare refusals by rule, and also by field if the target has one.
func (r *Refusal) Is(target error) bool {
	t, ok := target.(*Refusal)
	return ok && t.Rule == r.Rule && (t.Field == "" || t.Field == r.Field)
}

// Unwrap returns the refusal as the error that frontends know, with the code that gives the exit status.
func (r *Refusal) Unwrap() error {
	e := &model.Error{Code: r.Rule.Code(), Message: r.Error(), Hint: r.Hint, Field: r.Field}
	switch {
	case e.Hint != "":
	case r.Rule == RuleOperator:
		e.Hint = "act as the operator: --actor operator"
	case e.Code == model.CodeNotFound:
		e.Hint = "vise todo list shows the todos"
	case e.Code == model.CodeRefused:
		e.Hint = "vise todo show ID tells how the todo stands"
	}
	return e
}

// Code returns the error code for a rule.
func (r Rule) Code() model.Code {
	switch r {
	case ruleNotFound:
		return model.CodeNotFound
	case RuleAmbiguous:
		return model.CodeAmbiguous
	case RuleClaimed, RuleFence:
		return model.CodeConflict
	case ruleClaimant:
		return model.CodeNotOwner
	case RuleValue, ruleTitle, RuleTooLarge, RuleSource:
		return model.CodeInvalid
	}
	return model.CodeRefused
}

func (r *Refusal) hint(s string) *Refusal { r.Hint = s; return r }

// Refuse makes a refusal. Format arguments from outside with %q.
func Refuse(rule Rule, field, format string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Field: field, Message: fmt.Sprintf(format, args...)}
}
