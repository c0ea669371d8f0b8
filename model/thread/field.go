package thread

// Field names a part of a thread by its JSON key.
type Field string

// The fields of a thread that a patch or an event may name.
const (
	StatusField         Field = "status"
	Goal                Field = "goal"
	CurrentHypothesis   Field = "current_hypothesis"
	NextAction          Field = "next_action"
	ActiveFiles         Field = "active_files"
	Verified            Field = "verified"
	Unverified          Field = "unverified"
	DiscardedPaths      Field = "discarded_paths"
	RecommendedCommands Field = "recommended_commands"
	Risks               Field = "risks"
	SourceExecutionIDs  Field = "source_execution_ids"
	Uncertainties       Field = "uncertainties"
	DiscardedHypotheses Field = "discarded_hypotheses"
	ContractGaps        Field = "contract_gaps"
	// EvidenceField is ours: AICTX drops it, and its entries become mere claims again.
	EvidenceField Field = "evidence"
)

// textFields are replaced by a patch, listFields are appended to; both in file order.
var (
	textFields = []Field{CurrentHypothesis, Goal, NextAction}
	listFields = []Field{ActiveFiles, DiscardedPaths, RecommendedCommands, Risks, SourceExecutionIDs, Unverified, Verified}
	itemFields = []Field{ContractGaps, DiscardedHypotheses, Uncertainties}
)

// bookkeeping holds the keys that a patch may mention and cannot change.
var bookkeeping = map[string]bool{
	"version": true, "created_at": true, "updated_at": true, "git_context": true, "strongest_contract_gap": true,
}

func (f Field) in(set []Field) bool {
	for _, g := range set {
		if f == g {
			return true
		}
	}
	return false
}
