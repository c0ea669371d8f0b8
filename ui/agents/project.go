package agents

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"vise/model"
	"vise/store/files"
	"vise/store/todos"
)

// ProjectPrograms are those whose settings for a project vise knows.
var ProjectPrograms = []string{"claude", "codex", "crush", "opencode"}

// The files of a project, below its directory.
const (
	projectServer = ".mcp.json"
	projectHooks  = ".claude/settings.json"
	projectPlugin = ".opencode/plugin/vise.ts"
	projectCodex  = ".codex/config.toml"
	projectCrush  = ".crush.json"
)

// ProjectFiles are the files below a directory that vise has put something into, for any program.
func ProjectFiles(dir string) (paths []string) {
	for _, program := range ProjectPrograms {
		in, err := Install(Options{Program: program, Vise: "vise", Getenv: os.Getenv, Project: dir, Uninstall: true, DryRun: true})
		for _, f := range in.Files {
			if err == nil && f.Changed {
				paths = append(paths, f.Path)
			}
		}
	}
	return paths
}

// file is a file of the project's settings, or of the user's as dir finds it.
func (o Options) file(project, variable string, below ...string) string {
	if o.Project != "" {
		return filepath.Join(o.Project, project)
	}
	return o.dir(variable, below...)
}

// Worktree is the git worktree around a directory, or the directory itself.
func Worktree(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return todos.RepoOf(dir)
}

// WorktreeAgent is the agent of a program in the worktree around a directory.
func WorktreeAgent(program, dir string) string {
	name := regexp.MustCompile(`[^a-z0-9_-]+`).ReplaceAllString(strings.ToLower(filepath.Base(Worktree(dir))), "-")
	name = program + "-" + strings.Trim(name, "-_")
	return name[:min(len(name), model.MaxID)]
}

// place settles who a hook acts for where a project has settings of its own. It reports whether the hook is the
// user's and the program runs the project's beside it, which does all.
func (c *call) place(dir string) (isDouble bool) {
	dir = cmp.Or(c.Getenv("CLAUDE_PROJECT_DIR"), dir)
	root := Worktree(dir)
	server := projectServer
	switch {
	case c.project != "":
	case c.program == "opencode":
		return exists(filepath.Join(root, projectPlugin))
	case c.program == "crush":
		return saysProject(filepath.Join(root, projectCrush))
	case c.program == "codex": // its hooks are the user's
		server = projectCodex
		fallthrough
	case c.program == "claude":
		if server == projectServer && saysProject(filepath.Join(dir, projectHooks)) {
			return true
		}
		if !saysProject(filepath.Join(root, server)) {
			return false
		}
		// below the worktree's top Claude Code reads the project's servers, and not its hooks
		c.project, c.agent = c.program, agentIn(filepath.Join(root, server))
	default:
		return false
	}
	c.agent = cmp.Or(c.agent, WorktreeAgent(c.project, root))
	return false
}

// saysProject reports whether vise was put into a file for a project.
func saysProject(path string) bool {
	raw, err := files.ReadSmall(path, maxSettings)
	return err == nil && strings.Contains(string(raw), `"--project"`)
}

// agentIn is the agent that a project's server is started for; empty: the worktree's.
func agentIn(path string) string {
	raw, _ := files.ReadSmall(path, maxSettings) // it was read a moment ago
	if m := regexp.MustCompile(`"mcp",\s*"--agent",\s*"([^"]+)"`).FindSubmatch(raw); m != nil && model.ValidID(string(m[1])) {
		return string(m[1])
	}
	return ""
}
