package screen

import (
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/themes"
)

// An answer may be 64 KiB long. What a page shows of it is bounded, and says so.
func TestALongAnswerIsShownInPart(t *testing.T) {
	long := model.Text(strings.Repeat("é", 30_000))
	heard := model.Wait{Kind: model.WaitOperator, TriggerCount: 1}
	heard.LastTrigger.Payload = long
	d := model.Detail{}
	d.Replies, d.Waits = []model.Delivered{{Reply: model.Reply{Text: long}}}, []model.Wait{heard}
	v := Detail{Frame: Frame{Styles: NewStyles(themes.All()[0], false), Now: time.Now()}, Detail: &d}
	lines := v.waits(70)
	if len(lines) > 120 {
		t.Errorf("the page has %d lines", len(lines))
	}
	// once as the answer, once as what its wait got
	if all := strings.Join(lines, "\n"); strings.Count(all, "28000") != 2 {
		t.Errorf("the page does not say what it leaves out:\n%s", all)
	}
}
