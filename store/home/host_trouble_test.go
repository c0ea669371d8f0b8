package home

import (
	"strings"
	"testing"
)

func TestAHostWithoutAHomeSaysSo(t *testing.T) {
	e := troubleOf("vise: there is no vise home in /srv/vise yet\n      vise new OBJECTIVE makes one with its first work item\n", nil)
	if e.Message != "there is no vise home in /srv/vise yet" || !strings.Contains(e.Hint, "vise init there") {
		t.Errorf("it says %q, %q", e.Message, e.Hint)
	}
}
