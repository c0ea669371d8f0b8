package files

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
)

// swap puts something else in the place of a plan, or of its directory.
type swap func(t *testing.T, h Home)

func link(target string) swap {
	return func(t *testing.T, h Home) {
		must(t, os.Remove(h.PlanPath(agent, item)))
		must(t, os.Symlink(target, h.PlanPath(agent, item)))
	}
}

func linkDir(dir func(Home) string, target string) swap {
	return func(t *testing.T, h Home) {
		must(t, os.Rename(dir(h), dir(h)+"-away"))
		must(t, os.Symlink(target, dir(h)))
	}
}

func itemDirOf(h Home) string  { return h.PlanDir(agent, item) }
func itemsDirOf(h Home) string { return h.ItemsDir(agent) }

func content(b []byte) swap {
	return func(t *testing.T, h Home) { must(t, os.WriteFile(h.PlanPath(agent, item), b, 0o600)) }
}

// What can be in the place of a plan.
var finds = []struct {
	name   string
	swap   swap
	want   model.PlanCondition
	reason string
}{
	{"a text", content([]byte("# Plan\n")), model.PlanOK, ""},
	{"an empty text", content(nil), model.PlanOK, ""},
	{"invalid UTF-8", content([]byte("a\xffb")), model.PlanNotText, "is not UTF-8 text"},
	{"a text with a NUL", content([]byte("a\x00b")), model.PlanNotText, "is not UTF-8 text"},
	{"8 MiB", content(bytes.Repeat([]byte("x"), model.MaxPlanBytes)), model.PlanOK, ""},
	{"a byte over 8 MiB", content(bytes.Repeat([]byte("x"), model.MaxPlanBytes+1)), model.PlanTooLarge,
		"has 8388609 bytes; a plan can have 8388608 (8 MiB)"},
	{"a sparse terabyte", func(t *testing.T, h Home) { must(t, os.Truncate(h.PlanPath(agent, item), 1<<40)) },
		model.PlanTooLarge, "has 1099511627776 bytes; a plan can have 8388608 (8 MiB)"},
	{"nothing", func(t *testing.T, h Home) { must(t, os.Remove(h.PlanPath(agent, item))) }, model.PlanMissing, "there is no such file"},
	{"no directory", func(t *testing.T, h Home) { must(t, os.RemoveAll(itemDirOf(h))) }, model.PlanMissing, "there is no such file"},
	{"no home", func(t *testing.T, h Home) { must(t, os.RemoveAll(h.Dir())) }, model.PlanMissing, "there is no such file"},
	{"an absolute link outside", link("/etc/hostname"), model.PlanOutsideHome, leadsOut},
	{"a relative link outside", link("../../../../../etc/hostname"), model.PlanOutsideHome, leadsOut},
	{"a link to a secret of the home", link("../../../../home.json"), model.PlanOutsideHome, leadsOut},
	{"a link to another item's plan", link("../wi-2/plan.md"), model.PlanOutsideHome, leadsOut},
	{"a link to itself", link("plan.md"), model.PlanOutsideHome, leadsOut},
	{"a link to an endless device", link("/dev/zero"), model.PlanOutsideHome, leadsOut},
	{"a link to the environment", link("/proc/self/environ"), model.PlanOutsideHome, leadsOut},
	{"a link to nothing outside", link("/nowhere/at/all"), model.PlanOutsideHome, leadsOut},
	{"a link to nothing", link("draft.md"), model.PlanMissing, "there is no such file"},
	{"a link beside it", func(t *testing.T, h Home) {
		must(t, os.Rename(h.PlanPath(agent, item), filepath.Join(itemDirOf(h), "v2.md")))
		must(t, os.Symlink("v2.md", h.PlanPath(agent, item)))
	}, model.PlanOK, ""},
	{"a directory that links outside", linkDir(itemDirOf, "/etc"), model.PlanOutsideHome, dirIsLink},
	{"a directory that links to another item", linkDir(itemDirOf, "wi-2"), model.PlanOutsideHome, dirIsLink},
	{"a directory that links to nothing", linkDir(itemDirOf, "wi-9"), model.PlanOutsideHome, dirIsLink},
	{"a directory of items that is a link", linkDir(itemsDirOf, "work-items-away"), model.PlanOutsideHome, dirIsLink},
	{"a directory that is a file", func(t *testing.T, h Home) {
		must(t, os.RemoveAll(itemDirOf(h)))
		must(t, os.WriteFile(itemDirOf(h), nil, 0o600))
	}, model.PlanNotRegular, notADir},
	{"a directory that is a named pipe", func(t *testing.T, h Home) {
		must(t, os.RemoveAll(itemDirOf(h)))
		pipe(t, itemDirOf(h))
	}, model.PlanNotRegular, notADir},
	{"a named pipe", func(t *testing.T, h Home) {
		must(t, os.Remove(h.PlanPath(agent, item)))
		pipe(t, h.PlanPath(agent, item))
	}, model.PlanNotRegular, "is a named pipe"},
	{"a link to a named pipe", func(t *testing.T, h Home) {
		pipe(t, filepath.Join(itemDirOf(h), "pipe"))
		link("pipe")(t, h)
	}, model.PlanNotRegular, "is a named pipe"},
	{"a socket", func(t *testing.T, h Home) {
		must(t, os.Remove(h.PlanPath(agent, item)))
		t.Chdir(itemDirOf(h)) // a socket's path has a hundred bytes at most
		l, err := net.Listen("unix", "plan.md")
		must(t, err)
		t.Cleanup(func() { l.Close() })
	}, model.PlanNotRegular, "is a socket"},
	{"a directory in its place", func(t *testing.T, h Home) {
		must(t, os.Remove(h.PlanPath(agent, item)))
		must(t, os.Mkdir(h.PlanPath(agent, item), 0o700))
	}, model.PlanNotRegular, "is a directory"},
	{"a hard link to a secret", func(t *testing.T, h Home) {
		secret := filepath.Join(h.Dir(), "secret")
		must(t, os.WriteFile(secret, []byte("SECRET"), 0o600))
		must(t, os.Remove(h.PlanPath(agent, item)))
		must(t, os.Link(secret, h.PlanPath(agent, item)))
	}, model.PlanNotRegular, hasOtherEnd},
}

func TestWhateverAPlanIsReadingItIsQuickAndStaysInside(t *testing.T) {
	for _, c := range finds {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			c.swap(t, h)
			got := within(t, 5*time.Second, func() Plan { return h.Plan(agent, item) })
			if got.Condition != c.want || got.Reason != c.reason {
				t.Errorf("got %s (%q), want %s (%q)", got.Condition, got.Reason, c.want, c.reason)
			}
			readable := c.want == model.PlanOK || c.want == model.PlanNotText
			if readable != (got.Hash != "") || readable != (got.Raw != nil) {
				t.Errorf("got hash %q and %d raw bytes with condition %s", got.Hash, len(got.Raw), got.Condition)
			}
			if readable && got.Hash != sha(got.Raw) {
				t.Errorf("hash %s is not of the raw bytes", got.Hash)
			}
			if !readable && got.Preview != "" {
				t.Errorf("got preview %q of what must not be shown", got.Preview.Raw())
			}
			if got.RelativePath != "work-items/wi-1/plan.md" || got.Path != h.PlanPath(agent, item) {
				t.Errorf("got paths %s, %s", got.RelativePath, got.Path)
			}
			within(t, 5*time.Second, func() Stat { return h.Stat(agent, item) })
			listed := within(t, 5*time.Second, func() Plan {
				items := h.Items(agent)
				defer items.Close()
				return items.Plan(item)
			})
			if listed.Condition != got.Condition || listed.Reason != got.Reason || listed.Hash != got.Hash || listed.Path != got.Path || string(listed.Raw) != string(got.Raw) {
				t.Errorf("in a list it is %s (%q), %d bytes of %s", listed.Condition, listed.Reason, len(listed.Raw), listed.Path)
			}
		})
	}
}

// within fails if do takes longer than limit: it hangs.
func within[T any](t *testing.T, limit time.Duration, do func() T) T {
	t.Helper()
	done := make(chan T, 1)
	go func() { done <- do() }()
	select {
	case v := <-done:
		return v
	case <-time.After(limit):
		t.Fatalf("not done after %s", limit)
		panic("unreachable")
	}
}

func TestATooLargePlanStillTellsItsSizeAndTime(t *testing.T) {
	h := newHome(t)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	must(t, os.Truncate(h.PlanPath(agent, item), 9<<20))
	must(t, os.Chtimes(h.PlanPath(agent, item), at, at))
	got := h.Plan(agent, item)
	if got.Condition != model.PlanTooLarge || got.Bytes != 9<<20 || !got.UpdatedAt.Equal(at) || got.Raw != nil {
		t.Errorf("got %s, %d bytes, %s, %d raw bytes", got.Condition, got.Bytes, got.UpdatedAt, len(got.Raw))
	}
}

func TestAPlanIsReadWhereverTheHomeIsALinkTo(t *testing.T) {
	h := newHome(t)
	alias := filepath.Join(t.TempDir(), "home")
	must(t, os.Symlink(h.Dir(), alias))
	linked, err := NewHome(alias)
	must(t, err)
	if got := linked.Plan(agent, item); got.Condition != model.PlanOK {
		t.Errorf("got %s (%s), want ok", got.Condition, got.Reason)
	}
}

func TestAHomeThatWasReplacedIsReadAnew(t *testing.T) {
	h := newHome(t)
	h.Plan(agent, item)
	must(t, os.Rename(h.Dir(), h.Dir()+".old"))
	if got := h.Plan(agent, item); got.Condition != model.PlanMissing {
		t.Errorf("got %s, want missing: the home was moved away", got.Condition)
	}
}

func TestAGrowingPlanIsNotReadBeyondTheLimit(t *testing.T) {
	endless := strings.NewReader(strings.Repeat("x", model.MaxPlanBytes+4096))
	raw, err := readBounded(endless, 10, model.MaxPlanBytes)
	if err != nil || len(raw) != model.MaxPlanBytes+1 {
		t.Errorf("got %d bytes, %v, want one over the limit", len(raw), err)
	}
}
