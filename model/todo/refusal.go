package todo

import (
	"fmt"

	"vise/model"
)

// Rule is the stable code of one clause of the transition table or the contract. The comments are docs/codes.md.
type Rule string

// Rules of moves, claims and the contract.
const (
	RuleValue       Rule = "unknown_value"       // not one of the allowed words
	RuleStatus      Rule = "unknown_status"      // not one of the seven statuses
	ruleTransition  Rule = "no_transition"       // the pair is not in the table
	ruleFinal       Rule = "final_status"        // complete and wont_fix are final
	RuleOperator    Rule = "operator_only"       // agents may not do this
	ruleNotFinal    Rule = "not_final"           // only a final todo can be reopened
	RuleClaim       Rule = "claim_fields"        // in_progress needs assigned_to and claimed_at
	RuleResolution  Rule = "resolution_fields"   // a resolution needs reason, by and at
	RuleDuplicate   Rule = "duplicate_target"    // duplicate needs another, existing todo
	ruleFixed       Rule = "complete_is_fixed"   // complete needs the resolution fixed
	ruleRejection   Rule = "wont_fix_category"   // wont_fix needs one of five resolutions
	ruleLeftover    Rule = "resolution_leftover" // an open todo must have no resolution
	RuleCompletion  Rule = "completion_fields"   // complete needs completed_by and completed_at
	ruleBlocked     Rule = "blocked_on"          // blocked needs a dependency
	RuleInterrupted Rule = "interrupt_reason"    // interrupted needs a reason
	RuleClaimed     Rule = "already_claimed"     // someone else works on it
	ruleClaimant    Rule = "not_claimant"        // only the claimant or the operator may do this
	RuleFence       Rule = "claim_lost"          // a later claim replaced this one
	RuleWaiting     Rule = "waiting_on"          // dependencies are not satisfied
	ruleActor       Rule = "actor_missing"       // a claim or resolution needs an actor and a time
	ruleNotFound    Rule = "not_found"           // no such todo
	RuleAmbiguous   Rule = "ambiguous_id"        // several todos have that id
	ruleTitle       Rule = "title"               // a title is missing or too long
	RuleTooLarge    Rule = "too_large"           // over the limit
)

// Rules of stored todos.
const (
	RuleSource       Rule = "source_name"         // not a name for a source
	ruleSourceKnown  Rule = "source_unknown"      // no release knows this source
	RuleSourceDir    Rule = "source_mismatch"     // the file lies in another source's directory
	RuleID           Rule = "issue_id"            // not an id
	ruleTwice        Rule = "duplicate_id"        // two files have one id
	ruleFinding      Rule = "duplicate_finding"   // two open todos have one finding
	ruleReused       Rule = "finding_reused"      // another text has the same finding id
	ruleAlike        Rule = "looks_alike"         // the todo looks like another one
	RuleSelf         Rule = "self_dependency"     // the todo depends on itself
	RuleDangling     Rule = "dangling_dependency" // a dependency does not exist
	RuleCycle        Rule = "dependency_cycle"    // dependencies in a circle
	ruleDownstream   Rule = "downstream_of_cycle" // the todo depends on a circle
	ruleClosed       Rule = "blocked_by_closed"   // a dependency was closed without a fix
	RuleRelated      Rule = "related_one_way"     // the related todo does not name this one
	ruleRelatedGone  Rule = "related_unknown"     // a related todo does not exist
	ruleSchema       Rule = "schema_1"            // written by an earlier release
	RuleHistory      Rule = "history_mismatch"    // history and front matter differ
	RuleLegacy       Rule = "legacy_field"        // a key of an earlier release
	RulePriorityWord Rule = "priority_word"       // a priority of an earlier release
)

// Rules of files and their directories.
const (
	RuleSymlink    Rule = "symlink"                // vise follows no links
	RuleNotRegular Rule = "not_regular"            // not a regular file
	RuleUnreadable Rule = "unreadable"             // the file cannot be read
	RuleNotText    Rule = "not_text"               // not UTF-8
	RuleChanging   Rule = "changing"               // the file changes while it is read
	RuleNoHead     Rule = "no_front_matter"        // no front matter
	RuleUnclosed   Rule = "front_matter_unclosed"  // front matter without an end
	RuleHeadLarge  Rule = "front_matter_too_large" // the front matter is over the limit
	RuleConflict   Rule = "conflict_markers"       // a merge is not resolved
	RuleYAML       Rule = "front_matter_broken"    // not YAML that vise reads
	RuleAlias      Rule = "yaml_alias"             // vise reads no YAML aliases
	RuleTag        Rule = "yaml_tag"               // vise reads no YAML tags
	RuleKeyTwice   Rule = "duplicate_key"          // a key occurs twice
	RuleType       Rule = "wrong_type"             // a value of another type
	RuleDate       Rule = "bad_date"               // not a date
	RuleNoStatus   Rule = "status_missing"         // no status
	RuleName       Rule = "file_name"              // not a name for a todo's file
	RuleNewer      Rule = "schema_newer"           // written by a later release
	RuleLayout     Rule = "layout"                 // the directory is not a session
	RuleReadOnly   Rule = "read_only"              // the file is read-only
)

// Refuse makes a refusal by a rule. Format arguments from outside with %q.
func Refuse(rule Rule, field, format string, args ...any) *model.Error {
	e := model.Refuse(rule.code(), "%s (%s)", fmt.Sprintf(format, args...), rule).At(field)
	e.Rule = string(rule)
	switch {
	case rule == RuleOperator:
		e.Hint = "act as the operator: --actor operator"
	case e.Code == model.CodeNotFound:
		e.Hint = "vise todo list shows the todos"
	case e.Code == model.CodeRefused:
		e.Hint = "vise todo show ID tells how the todo stands"
	}
	return e
}

// code returns the error code for a rule.
func (r Rule) code() model.Code {
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
