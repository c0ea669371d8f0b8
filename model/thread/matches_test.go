package thread

import (
	"strings"
	"testing"
)

func TestAPatternOfAContract(t *testing.T) {
	for _, x := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b", true}, {"a*c", "abbc", true}, {"a*c", "abbd", false},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"*.go", "ui/a.go", true}, {"**/x", "a/b/x", true}, {"a*b*c", "abxbc", true},
		{"a*", "a", true}, {"a?", "a", false}, {"*a", "aab", false},
		// A pattern of many stars takes no longer.
		{strings.Repeat("a*", 40) + "b", strings.Repeat("a", 400), false},
	} {
		if got := matches(x.pattern, x.name); got != x.want {
			t.Errorf("matches(%q, %q) = %v", x.pattern, x.name, got)
		}
	}
}
