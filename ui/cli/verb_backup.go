package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
	"vise/store/recovery"
	"vise/ui/acp"
	"vise/ui/markdown"
)

// backedUp is the data of backup.
type backedUp struct {
	recovery.Snapshot
	// Snapshots are those that the home makes by itself, newest first.
	Snapshots []recovery.Snapshot `json:"snapshots"`
	// SessionLogs names the logs of sessions that were left out.
	SessionLogs []string `json:"session_logs_left_out,omitempty"`
}

func backupVerb() verb {
	var sessions bool
	return verb{
		use: "backup [FILE]", short: "Back up ledger and plans while other processes go on",
		long: `backup copies the ledger of one moment to FILE, which must not exist yet, or takes a snapshot in the
home. Other processes need not wait, and it works while a stopped process holds the ledger. vise reads
the whole copy before it gives it its name. FILE also holds the items' plan files with their kept saves,
and long reports; a snapshot in the home does not. What cannot be read of these is named, and backup exits 1.
The logs of sessions are left out; with --sessions they are copied to the directory FILE.sessions.`,
		example: "vise backup ~/vise-backup.tar",
		flags:   flags{{"sessions", &sessions, "copy the logs of sessions too, to FILE.sessions"}},
		who:     anybody,
		run: func(e *Env) (answer, error) {
			d, err := openHome(e)
			if err != nil {
				return nil, err
			}
			defer doing(e, "copying the ledger, and proving the copy")()
			var out backedUp
			if len(e.words) == 0 {
				out.Snapshot, err = recovery.TakeSnapshot(e, d.Ledger)
			} else {
				if out.Snapshot, err = backupTo(e, d, e.words[0]); err == nil {
					out.logs(d, sessions)
				}
			}
			out.Snapshots, _ = recovery.Snapshots(d.Ledger.Home()) // the copy is made even if these cannot be listed
			return answered(out, func(p *page) {
				p.say("copied revision %d, %s, to %s", out.Revision, sizeOf(out.Bytes), out.Path)
				if out.Plans > 0 {
					p.line("with %d files of plans, their saves and long reports", out.Plans)
				}
				p.lacking(out.Missing)
				if n := len(out.SessionLogs); n > 0 {
					p.line("without the logs of sessions: %d; --sessions copies them too", n)
				}
				if x := out.Archived; x != nil {
					p.line("its history begins after that: %s", x.Said())
				}
				if _, is := d.Ledger.Cluster(); is {
					p.say("vise admin move %s etcd://HOST:PORT/LEDGER brings it to a cluster that has no such ledger", out.Path)
					return
				}
				p.say("vise restore %s brings it back, with the journal's later changes on top", out.Path)
			}).exits(failed(len(out.Missing) > 0)), err
		},
	}
}

// logs copies the logs of sessions beside the backup, or names them.
func (b *backedUp) logs(d *home.Home, wanted bool) {
	found, _ := filepath.Glob(filepath.Join(acp.LogDir(d.Dir(), "*"), "*.jsonl"))
	for _, path := range found {
		name, _ := filepath.Rel(filepath.Join(d.Dir(), store.AgentsDir), path)
		if !wanted {
			b.SessionLogs = append(b.SessionLogs, name)
		} else if err := copyLog(path, filepath.Join(b.Path+".sessions", name)); err != nil {
			b.Missing = append(b.Missing, name+": "+err.Error())
		}
	}
}

func copyLog(from, to string) error {
	raw, err := files.ReadSmall(from, 1<<30)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, 0o600)
}

func backupTo(e *Env, d *home.Home, file string) (recovery.Snapshot, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return recovery.Snapshot{}, err
	}
	s, err := recovery.Backup(e, d.Ledger, path)
	if errors.Is(err, fs.ErrExist) {
		return s, model.Conflict("%s is there already", path).WithHint("name a file that is not there yet")
	}
	if dir := filepath.Dir(path); files.IsGone(err) {
		return s, notFound("back up: there is no directory %s", dir).At("file",
			"make it, or name a file elsewhere")
	}
	return s, err
}

// initialized is the data of init.
type initialized struct {
	Home string `json:"home"`
	// Created is false if the home existed before.
	Created bool          `json:"created"`
	AgentID model.AgentID `json:"agent_id"`
}

func initVerb() verb {
	return verb{
		use: "init", short: "Make an empty home with one agent",
		long: `init makes a home with the agent that --agent names. Without --agent that is the agent for which vise install
added vise to a program, else one called default. In an existing home it only adds the agent.`,
		example: "vise admin init --agent ann",
		keyed:   true,
		run: func(e *Env) (answer, error) {
			d, created, err := openOrCreate(e)
			if err != nil {
				return nil, err
			}
			in, err := send(e, "", model.AddAgent{AgentID: cmp.Or(e.agent, firstAgent(e))})
			did := "made a home in %s, with agent %s"
			if !created {
				did = "the home %s is there already; it has the agent %s"
			}
			return oneLine(initialized{Home: d.Dir(), Created: created, AgentID: in.AgentID},
				did+"\nvise new OBJECTIVE makes a work item; vise opens the console", d.Dir(), in.AgentID).warned(in.Warnings), err
		},
	}
}

// compacted is the data of compact.
type compacted struct {
	Before kv.Space `json:"before"`
	After  kv.Space `json:"after"`
}

func compactVerb() verb {
	return verb{
		use: "compact", short: "Pack the ledger's older history, and give its free pages back to the disk",
		long: `compact rewrites the ledger without its free pages and with its older history packed. Other processes go
on meanwhile and wait for some milliseconds at most. vise doctor says when it pays. On a full disk it
uses the space that the home keeps in reserve.`,
		example: "vise admin compact",
		who:     anybody,
		run: func(e *Env) (answer, error) {
			d, err := openHome(e)
			if err != nil {
				return nil, err
			}
			var out compacted
			out.Before, out.After, err = d.Ledger.Compact(e)
			return oneLine(out, "the ledger had %s, %s of them free, and has %s now", sizeOf(out.Before.Bytes), sizeOf(out.Before.Free),
				sizeOf(out.After.Bytes)), err
		},
	}
}

// sizeOf formats a size for people: 12 KB, 3.4 MB.
func sizeOf(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", (bytes+1023)>>10)
	}
	if bytes < 1<<30 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
}

// version is the data of version.
type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	// Date is the date of the commit, as 2026-11-21.
	Date string `json:"date,omitempty"`
	Go   string `json:"go"`
	// Pages is the path of vise-markdown. It is empty if there is none. A program that was built in one file renders Markdown itself.
	Pages string `json:"pages,omitempty"`
}

func versionVerb() verb {
	return verb{
		use: "version", short: "Show the version of vise",
		example: "vise admin version",
		who:     anybody,
		run:     func(e *Env) (answer, error) { return versionAnswer(e), nil },
	}
}

func versionAnswer(e *Env) answer {
	v := builtVersion()
	v.Pages, _ = markdown.Program() // a missing program is reported as an empty path
	_, separate := e.markdown.(*markdown.Subprocess)
	return answered(v, func(p *page) { p.version(v, separate) })
}

func (p *page) version(v version, separate bool) {
	commit := ""
	if v.Commit != "" {
		commit = fmt.Sprintf(", commit %s of %s", v.Commit, v.Date)
	}
	p.line("vise %s %s%s", v.Version, v.Go, commit)
	switch {
	case v.Pages != "":
		p.say("Markdown by %s", v.Pages)
	case separate:
		p.line("without vise-markdown: plans are shown as written; install it, in vise's source: CGO_ENABLED=0 go install ./ui/...")
	}
}

// shortCommit is how many characters of a commit's name are shown.
const shortCommit = 12

func builtVersion() version {
	v := version{Version: "unknown", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value[:min(len(s.Value), shortCommit)]
		case "vcs.time":
			v.Date, _, _ = strings.Cut(s.Value, "T")
		}
	}
	return v
}
