package todo

import "slices"

// Finish completes a todo from wherever it stands, in as many moves as the table asks for:
// one that nobody claimed is claimed by whoever finishes it. The history has every step.
func Finish(t Todo, m Move, among *Index) (Change, error) {
	whole := Change{Before: t, After: t}
	m.Owner = m.Actor.Name
	for range len(Statuses()) {
		step := m
		switch whole.After.Status {
		case Interrupted, Blocked:
			step.To, step.Reason = Ready, ""
		case Ready:
			step.To, step.Reason = InProgress, ""
		default:
			step.To, step.Resolution = Complete, Fixed
		}
		c, err := Judge(whole.After, step, among)
		if err != nil {
			return Change{}, err
		}
		whole.After, whole.Rows = c.After, append(slices.Clip(whole.Rows), c.Rows...)
		if c.After.Status == Complete {
			return whole, nil
		}
	}
	return Change{}, refuse(RuleTransition, "status", "%s cannot be finished from %s", t.Ref(), t.Status)
}
