package model

// EvidencePolicy says what happens to a completion that no check verifies.
type EvidencePolicy string

// The policies. None is stored as an empty string.
const (
	EvidenceNone    EvidencePolicy = "none"
	EvidenceWarn    EvidencePolicy = "warn"
	EvidenceRequire EvidencePolicy = "require"
)

// EvidenceRule is the evidence that an agent's completions need (docs/lifecycle.md 8).
type EvidenceRule struct {
	Policy EvidencePolicy `json:"policy,omitempty"`
	// Command is the check that counts; empty: any test, build or linter.
	Command Text `json:"check_command,omitempty"`
}

// changed is the rule with the given values.
func (e EvidenceRule) changed(c UpdateAgent) (EvidenceRule, error) {
	if p := c.Evidence; p != nil {
		if err := oneOf("evidence", *p, EvidenceNone, EvidenceWarn, EvidenceRequire); err != nil {
			return e, err
		}
		if e.Policy = *p; *p == EvidenceNone {
			e.Policy = ""
		}
	}
	if c.CheckCommand != nil {
		command, err := optional("check_command", *c.CheckCommand, rowObjective)
		if err != nil {
			return e, err
		}
		e.Command = command
	}
	return e, nil
}

// Words say what happens to completions that are not verified; empty: nothing.
func (e EvidenceRule) Words() Text {
	switch e.Policy {
	case EvidenceWarn:
		return "is warned of completions that " + e.what() + " did not verify"
	case EvidenceRequire:
		return "completes only what " + e.what() + " verified"
	}
	return ""
}

// what names the checks that count.
func (e EvidenceRule) what() Text {
	if e.Command != "" {
		return "`" + e.Command + "`"
	}
	return "a test, a build or a linter"
}
