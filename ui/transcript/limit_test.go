package transcript

import (
	"testing"
	"time"
)

// TestALimitIsReadInAProgramsWords, in those of Claude Code and Codex, to the end of the minute that they name.
func TestALimitIsReadInAProgramsWords(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here")
	}
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
	}
	now := at(11, 23, 15, 42)
	for _, c := range []struct {
		words string
		now   time.Time
		want  time.Time
	}{
		{"You've hit your session limit · resets 5:11pm (UTC)", now, at(11, 23, 17, 12)},
		{"You've hit your session limit · resets 5pm (UTC)", now, at(11, 23, 17, 1)},
		{"You've hit your session limit · resets 2am (UTC)", now, at(11, 24, 2, 1)},
		{"You've hit your session limit · resets 12am (UTC)", now, at(11, 24, 0, 1)},
		{"You've hit your session limit · resets 3:41pm (UTC)", now, now},
		{"You've hit your weekly limit · resets Nov 28, 7:48am (Europe/Berlin)", now, at(11, 28, 6, 49)},
		{"You've hit your weekly limit · resets Jan 2, 7am (UTC)", now, at(1, 2, 7, 1).AddDate(1, 0, 0)},
		{"You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage " +
			"to purchase more credits or try again at Nov 28th, 2026 6:48 AM.", now, at(11, 28, 6, 49)},
		{"You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro) or try again at 6:48 PM.", now.In(berlin),
			at(11, 23, 17, 49)},
		{"You've hit your monthly spend limit.", now, time.Time{}},
		{"API Error: Request rejected (429)", now, time.Time{}},
		{"The report resets 5pm (UTC).", now, time.Time{}},
	} {
		if got := LimitIn(c.words, c.now); !got.Equal(c.want) {
			t.Errorf("%s: over at %s, want %s", c.words, got.UTC(), c.want)
		}
	}
}
