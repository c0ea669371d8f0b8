package console

import (
	"strings"

	"vise/ui/action"
)

// whyFoot are the keys that would change what the Why tab tells, those that can be pressed.
func (c Console) whyFoot() string {
	state := c.state()
	var parts []string
	for _, x := range []struct {
		id   action.ID
		word string
	}{{action.Answer, "answer"}, {action.Review, "review"}, {action.Block, c.blockWord()}, {action.Pick, "pick"}} {
		a := c.keys.ByID(x.id)
		if c.keys.Refusal(a, state) == "" && a.Key() != "" {
			parts = append(parts, a.Key()+" "+x.word)
		}
	}
	return c.styles.Muted.Paint(strings.Join(parts, " "+c.styles.Glyph.Dot+" "))
}

func (c Console) blockWord() string {
	if r := c.row(); r != nil && r.CanUnblock() {
		return "clear blocker"
	}
	return "block"
}
