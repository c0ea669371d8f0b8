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

// ProjectPrograms are the programs whose project settings vise can edit.
var ProjectPrograms = []string{"claude", "codex", "crush", "opencode"}

// The settings files of a project, below its directory.
const (
	projectServer = ".mcp.json"
	projectHooks  = ".claude/settings.json"
	projectPlugin = ".opencode/plugin/vise.ts"
	projectCodex  = ".codex/config.toml"
	projectCrush  = ".crush.json"
)

// ProjectFiles returns the files below a directory that vise has edited, for any program.
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

// file returns a file of the project's settings, or of the user's settings as dir finds it.
func (o Options) file(project, variable string, below ...string) string {
	if o.Project != "" {
		return filepath.Join(o.Project, project)
	}
	return o.dir(variable, below...)
}

// Worktree returns the git worktree that contains a directory, or the directory itself.
func Worktree(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return todos.RepoOf(dir)
}

// SetWorktreeAgent makes an agent that of a worktree, for all programs. It is kept beside git's own data of the worktree, where no commit
// has it, and goes with that.
func SetWorktreeAgent(dir string, agent model.AgentID) error {
	return os.WriteFile(agentFile(Worktree(dir)), []byte(agent), 0o600)
}

// agentFile names the agent of a worktree. In a linked one, .git is a file that names the directory.
func agentFile(root string) string {
	at := filepath.Join(root, ".git")
	if raw, err := files.ReadSmall(at, maxState); err == nil {
		if at = strings.TrimSpace(strings.TrimPrefix(string(raw), "gitdir:")); !filepath.IsAbs(at) {
			at = filepath.Join(root, at)
		}
	}
	return filepath.Join(at, "vise-agent")
}

// WorktreeAgent returns a program's agent in the worktree that contains a directory: the one of SetWorktreeAgent, or one named after both.
func WorktreeAgent(program, dir string) string {
	if raw, err := files.ReadSmall(agentFile(Worktree(dir)), maxState); err == nil && model.ValidID(string(raw)) {
		return string(raw)
	}
	name := regexp.MustCompile(`[^a-z0-9_-]+`).ReplaceAllString(strings.ToLower(filepath.Base(Worktree(dir))), "-")
	name = program + "-" + strings.Trim(name, "-_")
	return name[:min(len(name), model.MaxID)]
}

// place determines the agent of a hook if a project has its own settings. isDouble means that this hook is the user's and the program also
// runs the project's hook, which does all the work.
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
	case c.program == "codex": // its hooks are always the user's
		server = projectCodex
		fallthrough
	case c.program == "claude":
		if server == projectServer && saysProject(filepath.Join(dir, projectHooks)) {
			return true
		}
		if !saysProject(filepath.Join(root, server)) {
			return false
		}
		// Below the worktree's top, Claude Code reads the project's servers but not its hooks.
		raw, _ := files.ReadSmall(filepath.Join(root, server), maxSettings) // the file was read a moment ago
		c.project, c.agent = c.program, model.AgentID(agentIn(raw))
	default:
		return false
	}
	c.agent = cmp.Or(c.agent, model.AgentID(WorktreeAgent(c.project, root)))
	return false
}

// saysProject reports whether a file contains vise's entries for a project.
func saysProject(path string) bool {
	raw, err := files.ReadSmall(path, maxSettings)
	return err == nil && strings.Contains(string(raw), `"--project"`)
}

// agentIn returns the agent for which settings start the server; empty if they name none.
func agentIn(settings []byte) string {
	m := regexp.MustCompile(`"mcp",\s*"--agent",\s*"([^"]+)"`).FindSubmatch(settings)
	if m != nil && model.ValidID(string(m[1])) {
		return string(m[1])
	}
	return ""
}
