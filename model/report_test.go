package model

import (
	"strings"
	"testing"
)

// TestAnnouncementsAreToldFromReports distinguishes what models say before they complete from what they report.
func TestAnnouncementsAreToldFromReports(t *testing.T) {
	for _, s := range []string{
		"I will now complete this work item.", "I'll complete the work item now.", "I’ll mark it as complete.", "Let me complete it.",
		"Great! Let me mark it as done:", "Now I'll complete the work item.", "Completing the work item now.", "Marking it complete…",
		"OK, now completing wi-7f3k.", "Everything is in place, so I'll complete it now.", "All done. Let me close this item.",
		"Now let me complete the work item:", "Perfect, I can now complete this.", "Next, I'm going to complete the work item.",
	} {
		want := s[0] != 'E' && s[:3] != "All" // another clause, or another sentence, has content
		if LooksLikePreamble(Text(s)) != want {
			t.Errorf("%q: got %v", s, !want)
		}
	}
	for _, s := range []string{
		"", "Done.", "It is done.", "The bucket lives in limit/; go test ./limit passes.", "Fixed the bug and completed the work item.",
		"I moved the limiter. I will watch the canary tomorrow.", "Completing the migration took three changes; all tests pass.",
		"Let me summarise.\n\nThe limiter is a package of its own.", "Now the gateway starts in 2 s.", "Next release has it.",
		"Finishing touches: the README names the flag.", "Closing the socket twice is an error now fixed; see wal.go",
	} {
		if LooksLikePreamble(Text(s)) {
			t.Errorf("%q is taken for an announcement", s)
		}
	}
	for n, want := range map[int]bool{maxPreamble: true, maxPreamble + 1: false} {
		begin := "I will "
		if got := LooksLikePreamble(Text(begin + strings.Repeat("é", n-len(begin)))); got != want {
			t.Errorf("an announcement of %d characters: %v", n, got)
		}
	}
}
