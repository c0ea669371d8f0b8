package screen

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/themes"
)

// A short report may not be all that was said: the turn's last words stand below it.
func TestTheTurnsLastWordsStandBelowAShortReport(t *testing.T) {
	d := model.Detail{}
	if err := json.Unmarshal([]byte(`{"completion_report":{"text":"Tests pass.","turn_final":"The bucket lives in limit/."}}`), &d.View); err != nil {
		t.Fatal(err)
	}
	v := Detail{Frame: Frame{Styles: NewStyles(themes.All()[0], false), Now: time.Now()}, Detail: &d}
	all := strings.Join(v.report(70), "\n")
	report, rest, _ := strings.Cut(all, "the turn's last text")
	if !strings.Contains(report, "Tests pass.") || !strings.Contains(rest, "The bucket lives in limit/.") {
		t.Errorf("got\n%s", all)
	}
	d.Report.TurnFinal = ""
	if all := strings.Join(v.report(70), "\n"); strings.Contains(all, "the turn's last text") {
		t.Errorf("without last words:\n%s", all)
	}
}
