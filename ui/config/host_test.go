package config

import (
	"strings"
	"testing"
)

func TestAnAddressLeadsToItsHostAndNowhereElse(t *testing.T) {
	for address, want := range map[string]string{
		"ssh://build":                     "-- build exec vise hosts serve",
		"ssh://ann@build:2222":            "-p 2222 -l ann -- build exec vise hosts serve",
		"ssh://build/srv/it's":            `-- build exec vise hosts serve --home '/srv/it'\''s'`,
		"ssh://build/":                    "-- build exec vise hosts serve",
		"ssh://ann:secret@build":          "",
		"ssh://-oProxyCommand=x":          "",
		"ssh://-l@build":                  "",
		"ssh://":                          "",
		"https://build":                   "",
		"ssh://build/?x":                  "",
		"ssh://build/a%0Ab":               "",
		"ssh://build/%1b[31m":             "",
		"build":                           "",
		"ssh://build:22;touch%20/tmp/x/":  "",
		"ssh://b`x`":                      "",
		"ssh://ann@build/home of/the%20x": `-l ann -- build exec vise hosts serve --home '/home of/the x'`,
		"ssh://%61nn@build":               "-l ann -- build exec vise hosts serve",
		"ssh://$(x)@build":                "",
		"ssh://[::1]:2222":                "",
	} {
		at, err := ParseHost(address)
		if got := strings.Join(at.Command(), " "); want != "" && (err != nil || !strings.HasSuffix(got, " "+want)) ||
			want == "" && err == nil {
			t.Errorf("%s: %s, %v", address, got, err)
		}
	}
}

func TestHostsComeAndGoInTheFile(t *testing.T) {
	for before, want := range map[string]string{
		"":                             "",
		"# mine\ntheme: dark # nice\n": "# mine\ntheme: dark # nice\n",
		"hosts:\n  a: ssh://a # keep\nmouse: on\n": "hosts:\n  a: ssh://a # keep\nmouse: on\n",
	} {
		with, err := WithHost([]byte(before), "build", "ssh://ann@build/srv")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := WithHost(with, "build", "ssh://other"); err == nil {
			t.Error("a host was added twice")
		}
		got, err := WithoutHost(with, "build")
		if err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", before, got, err)
		}
	}
	if _, err := WithoutHost([]byte("hosts: {a: ssh://a}\n"), "b"); err == nil {
		t.Error("a host was removed that is not there")
	}
	for _, name := range []string{"", "Build", "a b", "a@b", strings.Repeat("a", maxHostName+1)} {
		if _, err := WithHost(nil, name, "ssh://a"); err == nil {
			t.Errorf("%q was taken for a name", name)
		}
	}
}
