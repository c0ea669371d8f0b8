package thread

// The limits of a thread, in Unicode code points and entries. They are the file
// format's: AICTX cuts what exceeds them on its next save.
const (
	maxText       = 240
	maxID         = 80
	maxMoment     = 40
	maxLabel      = 40
	maxKind       = 80
	maxRelated    = 6
	maxGapPaths   = 8
	maxChanged    = 64
	maxEvidence   = 24
	carryoverSlug = 60
)

// MaxFileBytes bounds a thread file, the pointer and a patch.
const MaxFileBytes = 1 << 20

// maxDepth bounds the nesting of a JSON document.
const maxDepth = 32

// limit is how many entries a list field holds.
func (f Field) limit() int {
	switch f {
	case RecommendedCommands, Risks, Uncertainties, ContractGaps:
		return 8
	case DiscardedHypotheses:
		return 5
	case EvidenceField:
		return maxEvidence
	}
	return 12
}
