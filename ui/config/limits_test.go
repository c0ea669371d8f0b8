package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is at a limit is taken, what is beyond is found.
func TestSettingsAtTheirLimits(t *testing.T) {
	for _, x := range []struct {
		what string
		n    int
		of   func(n int) Config
		run  func(*checker)
	}{
		{"commands", maxCommands, func(n int) (c Config) {
			for i := range n {
				c.Commands = append(c.Commands, Command{Name: fmt.Sprint("c", i), Run: []string{"true"}})
			}
			return c
		}, (*checker).commands},
		{"a command's name, in bytes", maxWords, func(n int) Config {
			return Config{Commands: []Command{{Name: strings.Repeat("a", n), Run: []string{"true"}}}}
		}, (*checker).commands},
		{"filters", maxFilters, func(n int) Config {
			c := Config{Filters: map[string]string{}}
			for i := range n {
				c.Filters[fmt.Sprint("f", i)] = "x"
			}
			return c
		}, (*checker).filters},
		{"a filter's words, in bytes", maxWords, func(n int) Config {
			return Config{Filters: map[string]string{"f": strings.Repeat("a", n)}}
		}, (*checker).filters},
		{"channels", maxChannels, func(n int) Config {
			c := Config{Channels: map[string]Channel{}}
			for i := range n {
				c.Channels[fmt.Sprint("c", i)] = Channel{Ntfy: "https://ntfy.sh/x"}
			}
			return c
		}, (*checker).channels},
	} {
		for n, taken := range map[int]bool{x.n: true, x.n + 1: false} {
			c := &checker{Config: x.of(n)}
			if x.run(c); (len(c.found) == 0) != taken {
				t.Errorf("%d %s: %v, want taken %v", n, x.what, c.found, taken)
			}
		}
	}
	for s, taken := range map[string]bool{"": false, " ": false, "a": true, "a\nb": false, "a\tb": false, "é": true, "\x1b": false} {
		if word(s) != taken {
			t.Errorf("%q is a word: %v", s, !taken)
		}
	}
	for name, taken := range map[string]bool{
		"": false, "a": true, strings.Repeat("a", maxHostName): true, strings.Repeat("a", maxHostName+1): false, "a`": false, "a{": false, "a/": false, "a:": false,
	} {
		if validHostName(name) != taken {
			t.Errorf("%q is a host's name: %v", name, !taken)
		}
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	for n, taken := range map[int]bool{0: true, maxFile: true, maxFile + 1: false} {
		if err := os.WriteFile(path, []byte(strings.Repeat("#", n)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, raw, err := ReadFile(path); (err == nil) != taken || taken && len(raw) != n {
			t.Errorf("a file of %d bytes: %d read, %v", n, len(raw), err)
		}
	}
}

// A few names are listed; more are looked up.
func TestNamesAreListedUpToTwelve(t *testing.T) {
	for n, listed := range map[int]bool{0: false, 1: true, 12: true, 13: false} {
		var known []string
		for i := range n {
			known = append(known, fmt.Sprint("name-", i))
		}
		if got := meant("quite another word", known); (got != "") != listed {
			t.Errorf("of %d names it says %q, want a list %v", n, got, listed)
		}
	}
}
