package text

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

var errTime = errors.New("a time is like 30m, 2h, 3d, 16:00, tomorrow 9 or 2026-11-21 09:00")

// ParseTime reads a time as people write it: a span from now (30m, 1h30m, 3d), a time of day
// (16:00: today, or tomorrow when it is past), tomorrow with a time of day (tomorrow 9), a
// date with a time, or RFC 3339. Days and times are those of now's location.
func ParseTime(s string, now time.Time) (time.Time, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if d, ok := span(s); ok {
		return now.Add(d), nil
	}
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02t15:04"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	if rest, ok := strings.CutPrefix(s, "tomorrow"); ok {
		return dayTime(now, 1, strings.TrimSpace(rest))
	}
	t, err := dayTime(now, 0, strings.TrimSpace(strings.TrimPrefix(s, "today")))
	if err == nil && !t.After(now) {
		return dayTime(now, 1, s)
	}
	return t, err
}

func span(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n > 0 && n < 36500
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d > 0
}

func dayTime(now time.Time, days int, clock string) (time.Time, error) {
	h, m, _ := strings.Cut(clock, ":")
	if m == "" {
		m = "00"
	}
	hour, err := strconv.Atoi(h)
	minute, err2 := strconv.Atoi(m)
	if err != nil || err2 != nil || hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return time.Time{}, errTime
	}
	y, mo, d := now.Date()
	return time.Date(y, mo, d+days, hour, minute, 0, 0, now.Location()), nil
}

// Age says how long ago something was in the largest unit that is full: 41s, 9m, 3h, 2d.
// It takes at most three cells below a hundred days; a time to come is 0s.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return count(d, time.Second, "s")
	case d < time.Hour:
		return count(d, time.Minute, "m")
	case d < day:
		return count(d, time.Hour, "h")
	case d < 100*day:
		return count(d, day, "d")
	case d < 2*365*day:
		return count(d, 7*day, "w")
	}
	return count(d, 365*day, "y")
}

func count(d, unit time.Duration, name string) string {
	return strconv.FormatInt(int64(d/unit), 10) + name
}
