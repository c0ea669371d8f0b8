package watcher

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// A save is a way in which programs save a plan: a shell script that runs in the item's directory. $NEW is a file
// elsewhere with the text that plan.md is to have, $ELSE a directory that is not watched.
type save struct {
	name, script string
	needs        string // the program that it needs
	// steps is set if a partial text stays longer than the quiet time; then it is news.
	steps bool
}

var saves = []save{
	{name: "in place, in many writes", needs: "split", script: `: > plan.md; split -b 4096 "$NEW" "$ELSE/part."; cat "$ELSE"/part.* >> plan.md`},
	{name: "in place, byte blocks", script: `dd if="$NEW" of=plan.md bs=512 2>/dev/null`},
	{name: "cp", script: `cp "$NEW" plan.md`},
	{name: "tee", script: `tee plan.md < "$NEW" > /dev/null`},
	{name: "a producer that takes 150 ms to begin", script: `(sleep 0.15; cat "$NEW") > plan.md`},
	{name: "a producer that pauses", script: `(head -c 1000 "$NEW"; sleep 0.25; tail -c +1001 "$NEW") > plan.md`, steps: true},
	{name: "rename over it", script: `cp "$NEW" .plan.tmp; mv .plan.tmp plan.md`},
	{name: "rename over it, synced", needs: "sync", script: `cp "$NEW" .plan.tmp; sync .plan.tmp; mv -f .plan.tmp plan.md`},
	{name: "mv from elsewhere", script: `cp "$NEW" "$ELSE/x"; mv "$ELSE/x" plan.md`},
	{name: "install", needs: "install", script: `install -m 600 "$NEW" plan.md`},
	{name: "sed -i", needs: "sed", script: `head -n 1 "$NEW" > "$ELSE/first"; cp "$NEW" "$ELSE/x"; cp "$ELSE/x" plan.md; sed -i -e 's/text/text/' plan.md`},
	{name: "ln -sfn", script: `cp "$NEW" v2.md; ln -sfn v2.md plan.md`},
	{name: "ln -sf", script: `cp "$NEW" v2.md; ln -sf v2.md plan.md`},
	{name: "backup by rename, as emacs", script: `mv plan.md plan.md~; sleep 0.02; cp "$NEW" plan.md`},
	{name: "backup by link, then rename", script: `ln plan.md plan.md~; sleep 0.12; cp "$NEW" x; mv x plan.md; rm plan.md~`},
	{name: "rm, then again", script: `rm plan.md; sleep 0.1; cp "$NEW" plan.md`},
	{name: "forbidden meanwhile", script: `chmod 000 plan.md; cp "$NEW" x; sleep 0.1; chmod 600 x; mv x plan.md`},
	{name: "the directory anew", script: `d=$PWD; cd ..; rm -rf "$d"; mkdir "$d"; cp "$NEW" "$d/plan.md"`},
	{name: "the directory anew, slowly", script: `d=$PWD; cd ..; rm -rf "$d"; sleep 0.2; mkdir "$d"; sleep 0.05; cp "$NEW" "$d/plan.md"`},
	{name: "the directory renamed away, another in", script: `d=$PWD; mkdir ../other; cp "$NEW" ../other/plan.md; cd ..; mv "$d" "$d-away"; mv other "$d"`},
	{name: "the directory moved out, another in", script: `d=$PWD; mkdir "$ELSE/d"; cp "$NEW" "$ELSE/d/plan.md"; cd ..; mv "$d" "$ELSE/away"; mv "$ELSE/d" "$d"`},
	{name: "ed", needs: "ed", script: `printf '%%d\nr %s\nw\nq\n' "$NEW" | ed -s plan.md`},
	{name: "vim", needs: "vim", script: vim("set backupcopy&")},
	{name: "vim, backupcopy=yes", needs: "vim", script: vim("set backupcopy=yes")},
	{name: "vim, backupcopy=no", needs: "vim", script: vim("set backupcopy=no backupskip=")},
	{name: "git checkout", needs: "git", script: `export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
		export GIT_DIR="$ELSE/repo" GIT_WORK_TREE="$PWD"; git init -q; cp "$NEW" "$ELSE/keep"
		git add plan.md; git commit -qm old; b=$(git hash-object -w "$ELSE/keep"); git update-index --cacheinfo "100644,$b,plan.md"
		git commit -qm new; git checkout -q -f HEAD -- plan.md`},
	{name: "rsync", needs: "rsync", script: `rsync --inplace "$NEW" plan.md`},
	{name: "perl -i", needs: "perl", script: `cp "$NEW" x; mv x plan.md; perl -pi -e 1 plan.md`},
}

func vim(settings string) string {
	return `vim -u NONE -i NONE -es -c '` + settings + `' -c '%d _' -c "0r $NEW" -c wq plan.md < /dev/null`
}

// newText is long enough that no program writes it in one call.
var newText = strings.Repeat("A line of text, as plans have them.\n", 2000)

// Whatever way a plan is saved, its final text is notified, and if the save was as fast as allowed, no text from
// between.
func TestAPlanIsToldWholeHoweverItIsSaved(t *testing.T) {
	storetest.Slow(t)
	for _, s := range saves {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if s.needs != "" {
				storetest.Needs(t, s.needs)
			}
			d := newFixture(t, "wi-1")
			took := d.run("wi-1", s.script)
			d.untilText("wi-1", newText)
			d.settle()
			d.checkNotified("wi-1", s, took)
		})
	}
}

// run carries out a script and returns how long it took.
func (d *fixture) run(id model.ItemID, script string) time.Duration {
	d.Helper()
	aside := d.TempDir()
	text := filepath.Join(aside, "new")
	must(d, os.WriteFile(text, []byte(newText), 0o600))
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = d.home.PlanDir(agent, id)
	cmd.Env = append(os.Environ(), "NEW="+text, "ELSE="+aside)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		d.Fatalf("%v\n%s", err, out)
	}
	return time.Since(began)
}

// checkNotified allows a partial text only if the save paused, or if a busy machine made it slower than the quiet time.
// It allows an empty text only if the machine made it slower than the grace.
func (d *fixture) checkNotified(id model.ItemID, s save, took time.Duration) {
	d.Helper()
	for _, p := range d.notified[id] {
		switch {
		case string(p.Raw) == newText:
		case !hasText(p.PlanArtifact) && took < grace:
			d.Errorf("a save of %s notified of %s, %d bytes", took, p.Condition, p.Bytes)
		case hasText(p.PlanArtifact) && !s.steps && took < quiet:
			d.Errorf("a save of %s notified of half a text, %d bytes", took, p.Bytes)
		default:
			d.Logf("a save of %s notified of %s, %d bytes", took, p.Condition, p.Bytes)
		}
	}
	if n := len(d.notified[id]); n > 1 && took < quiet {
		d.Errorf("a save of %s was notified %d times", took, n)
	}
}

func TestATouchIsNoNews(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "wi-1")
	d.run("wi-1", `touch plan.md; chmod 640 plan.md; cp -p plan.md x; mv x plan.md; touch -d yesterday plan.md`)
	d.settle()
	if notified := d.notified["wi-1"]; len(notified) != 0 {
		t.Errorf("notified %d times of a plan that is the same: %s", len(notified), d.summary())
	}
	if d.gate.reads.Load() < 3 {
		t.Errorf("%d reads: the touched plan was not even looked at", d.gate.reads.Load())
	}
}

func TestAPlanThatIsGoneForGoodIsTold(t *testing.T) {
	d := newFixture(t, "wi-1", "wi-2", "wi-3")
	d.run("wi-1", `rm plan.md`)
	d.run("wi-2", `: > plan.md`)
	d.run("wi-3", `ln -sf /etc/hostname plan.md`)
	d.until(func() bool {
		return len(d.notified["wi-1"]) > 0 && len(d.notified["wi-2"]) > 0 && len(d.notified["wi-3"]) > 0
	})
	for id, want := range map[model.ItemID]model.PlanCondition{
		"wi-1": model.PlanMissing, "wi-2": model.PlanOK, "wi-3": model.PlanOutsideHome,
	} {
		if got := d.notified[id][0]; got.Condition != want || got.Bytes != 0 {
			t.Errorf("%s: got %s, %d bytes, want %s and none", id, got.Condition, got.Bytes, want)
		}
	}
}

// A write through a link or by mmap gives no event: the sweep finds it.
func TestAChangeWithoutAnEventIsFound(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	d := newFixture(t, "wi-1", "wi-2")
	d.run("wi-1", `mkdir sub; cp plan.md sub/v1.md; ln -sf sub/v1.md plan.md`)
	d.settle()
	old, err := os.ReadFile(d.home.PlanPath(agent, "wi-2"))
	must(t, err)
	began := time.Now()
	d.run("wi-1", `cp "$NEW" sub/v1.md`)
	mapAndWrite(t, d.home.PlanPath(agent, "wi-2"), []byte("T"))
	d.untilText("wi-1", newText)
	d.untilText("wi-2", "T"+string(old[1:]))
	if took := time.Since(began); took > sweepEvery+time.Second {
		t.Errorf("found after %s", took)
	}
}
