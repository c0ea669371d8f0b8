package model

import (
	"strings"
	"testing"
	"time"
)

func TestLengthsOfTimeAsPeopleWriteThem(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"100ms": 100 * time.Millisecond, "30s": 30 * time.Second, " 1H30M ": 90 * time.Minute, "3d": 72 * time.Hour, "2w": 14 * 24 * time.Hour,
	} {
		if got, err := ParseSpan(in); err != nil || got != want {
			t.Errorf("%q: got %s, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "5", "0", "0s", "0d", "-5m", "-2d", "d", "w", "1.5d", "99999999999d", "soon", "16:00"} {
		if got, err := ParseSpan(in); err == nil {
			t.Errorf("%q: got %s, want an error", in, got)
		}
	}
}

func TestTimesAsPeopleWriteThem(t *testing.T) {
	now := time.Date(2026, 11, 20, 14, 5, 33, 0, time.FixedZone("CET", 3600))
	for in, want := range map[string]string{
		"30m": "2026-11-20T14:35:33+01:00", "1h30m": "2026-11-20T15:35:33+01:00", "3d": "2026-11-23T14:05:33+01:00",
		"16:00": "2026-11-20T16:00:00+01:00", "9:30": "2026-11-21T09:30:00+01:00", "2w": "2026-12-04T14:05:33+01:00",
		"tomorrow 9": "2026-11-21T09:00:00+01:00", "Tomorrow 16:30": "2026-11-21T16:30:00+01:00", "today 18:00": "2026-11-20T18:00:00+01:00",
		"2026-12-24 08:00": "2026-12-24T08:00:00+01:00", " 2026-12-24T08:00 ": "2026-12-24T08:00:00+01:00",
		"2h15m": "2026-11-20T16:20:33+01:00", "14:05": "2026-11-21T14:05:00+01:00", "2026-12-24T08:00:00Z": "2026-12-24T08:00:00Z",
	} {
		got, err := ParseTime(in, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q: got %s, %v; want %s", in, got.Format(time.RFC3339), err, want)
		}
	}
	if _, err := ParseTime("30", now); err == nil || strings.Contains(err.Error(), ":00") {
		t.Errorf("30: %v", err)
	}
	for _, in := range []string{"", "soon", "0s", "tomorrow 25", "2026-13-01T00:00:00Z", "-5m", "0m", "25:00", "12:60", "tomorrow", "tomorrow x", "99999999d", "5", "9", "0",
		"9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+12:00"} {
		if got, err := ParseTime(in, now); err == nil {
			t.Errorf("%q: got %s, want an error", in, got)
		}
	}
}
