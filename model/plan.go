package model

import "time"

// PlanArtifact describes a WorkItem's plan.md as it was last read (docs/lifecycle.md 13).
// The file is the truth; this is a cache of it.
type PlanArtifact struct {
	OwnerAgentID   AgentID `json:"owner_agent_id"`
	WorkspaceID    string  `json:"workspace_id"`
	WorkspaceAlias string  `json:"workspace_alias"`
	RelativePath   string  `json:"relative_path"`
	// Path is absolute. A ledger does not store it, so that a home can move.
	Path string `json:"path,omitempty"`
	// Hash is "sha256:" and the hex of the raw bytes; empty unless Condition is ok or not_text.
	Hash            string        `json:"hash,omitempty"`
	Bytes           int64         `json:"bytes"`
	UpdatedAt       time.Time     `json:"updated_at,omitzero"`
	Preview         Text          `json:"preview"`
	PreviewComplete bool          `json:"preview_complete"`
	Condition       PlanCondition `json:"condition"`
}

// PlanCondition says whether the plan file can be shown. A bad plan never blocks an act.
type PlanCondition string

// The conditions of a plan file.
const (
	PlanOK          PlanCondition = "ok"
	PlanMissing     PlanCondition = "missing"
	PlanUnreadable  PlanCondition = "unreadable"
	PlanNotRegular  PlanCondition = "not_regular"
	PlanOutsideHome PlanCondition = "outside_home"
	PlanTooLarge    PlanCondition = "too_large"
	PlanNotText     PlanCondition = "not_text"
)

const (
	// PreviewRunes bounds a preview, in Unicode scalars.
	PreviewRunes = 1600
	// MaxPlanBytes bounds what is read of a plan file.
	MaxPlanBytes = 8 << 20
)

// PlanRelativePath is where an item's plan lies below its agent's home.
func PlanRelativePath(id ItemID) string { return "work-items/" + string(id) + "/plan.md" }

// NewPlanArtifact describes raw, the whole content of item id's plan file.
// Text that is not UTF-8, or holds a NUL, has condition not_text and no preview.
func NewPlanArtifact(agent AgentID, id ItemID, raw []byte, modified time.Time) PlanArtifact {
	p := BadPlanArtifact(agent, id, PlanOK)
	p.Hash, p.Bytes, p.UpdatedAt = hashOf(raw), int64(len(raw)), modified.UTC()
	if !isText(raw) {
		p.Condition = PlanNotText
		return p
	}
	p.Preview, p.PreviewComplete = preview(raw)
	return p
}

// BadPlanArtifact describes a plan file that could not be read.
func BadPlanArtifact(agent AgentID, id ItemID, c PlanCondition) PlanArtifact {
	return PlanArtifact{
		OwnerAgentID: agent, WorkspaceID: "agent_home:" + string(agent), WorkspaceAlias: "agent_home",
		RelativePath: PlanRelativePath(id), Condition: c,
	}
}

// SamePlan reports whether two descriptors tell of the same content: a touched file is no news.
func SamePlan(a, b PlanArtifact) bool {
	return a.Hash == b.Hash && a.Bytes == b.Bytes && a.Condition == b.Condition
}
