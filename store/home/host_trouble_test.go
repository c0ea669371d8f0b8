package home

import (
	"strings"
	"testing"

	"vise/model"
)

// TestTroubleOfAHostSaysWhatToDo: only what can pass by itself is said to be busy.
func TestTroubleOfAHostSaysWhatToDo(t *testing.T) {
	for said, want := range map[string]struct {
		code          model.Code
		message, hint string
	}{
		"vise: there is no vise home in /srv/vise yet\n      vise new OBJECTIVE makes one with its first work item\n": {
			model.CodeNoHome, "there is no vise home in /srv/vise yet", "vise admin init there"},
		"vise: unknown command \"hosts serve\"\n":     {model.CodeRefused, "unknown command", "update it"},
		"ann@build: Permission denied (publickey).\n": {model.CodeRefused, "Permission denied", "ssh-copy-id"},
		"ssh: connect to host build: Timed out\n":     {model.CodeBusy, "Timed out", "ssh -v"},
		"Host key verification failed.\n":             {model.CodeRefused, "verification", "by hand"},
	} {
		e := troubleOf(said, nil)
		if e.Code != want.code || !strings.Contains(e.Message, want.message) || strings.HasSuffix(e.Message, ".") ||
			!strings.Contains(e.Hint, want.hint) {
			t.Errorf("%q is %s: %q, %q", said, e.Code, e.Message, e.Hint)
		}
	}
}
