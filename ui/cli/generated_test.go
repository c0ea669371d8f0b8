package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/ui/config"
)

var update = flag.Bool("update", false, "write the reference pages of docs anew")

// The reference pages show what the program knows about itself.
func TestTheReferencePagesAreTheProgramsOwn(t *testing.T) {
	for name, made := range map[string]string{
		"commands.md": commandsPage(), "environment.md": environmentPage(), "settings.md": settingsPage(t), "tools.md": toolsPage(t),
	} {
		path, want := "../../docs/"+name, []byte(made)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not what the program says: go test ./ui/cli -run ReferencePages -update (%v)", name, err)
		}
	}
}

const made = "<!-- Made by the program; go test ./ui/cli -run ReferencePages -update writes it anew. -->\n\n"

// asCell returns s for a row of a table, without Markdown.
func asCell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "\n", " ").Replace(s)
}

func commandsPage() string {
	var b strings.Builder
	root := testTree()
	b.WriteString("# Commands\n\n" + made + "`vise help COMMAND` shows the same on the terminal. [json.md](json.md) has what each answers with `--json`.\n")
	own, shared := flagsOf(root)
	writeFlags(&b, "\n## Flags of every command\n", append(shared, own...))
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.ToUpper(g.Title[:1])+g.Title[1:])
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				writeCommand(&b, c)
			}
		}
	}
	return b.String()
}

// The first screen is a screen of 40 lines, and names all commands at the top: at most 49.
func TestTheFirstHelpIsAScreen(t *testing.T) {
	root := testTree()
	all := []string{"help"}
	for _, g := range root.Groups() {
		all = append(all, namesIn(root, g.ID)...)
	}
	if len(all) > 49 {
		t.Errorf("%d commands: %s", len(all), all)
	}
	for _, width := range []int{helpColumns, mostHelp} {
		if n := strings.Count(helpText(root, width), "\n"); n > 40 {
			t.Errorf("help has %d lines in %d columns", n, width)
		}
	}
	for old, now := range former {
		if about, _, err := root.Find(strings.Fields(now)); err != nil || about == root {
			t.Errorf("%s: there is no command %s", old, now)
		}
		if about, _, err := root.Find([]string{old}); err == nil && about != root {
			t.Errorf("%s is a command", old)
		}
	}
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	if c.Hidden {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n```text\n%s\n", c.CommandPath(), asCell(cmp.Or(c.Long, c.Short+".")), usageLine(c))
	if c.Example != "" {
		b.WriteString("\n" + c.Example + "\n")
	}
	b.WriteString("```\n")
	own, _ := flagsOf(c)
	writeFlags(b, "", own)
	for _, x := range c.Commands() {
		writeCommand(b, x)
	}
}

func writeFlags(b *strings.Builder, title string, list []*pflag.Flag) {
	if len(list) == 0 {
		return
	}
	b.WriteString(title + "\n| flag | |\n|---|---|\n")
	for _, f := range list {
		fmt.Fprintf(b, "| `%s` | %s |\n", flagName(f), asCell(f.Usage))
	}
}

func environmentPage() string {
	var b strings.Builder
	b.WriteString("# Environment, files, exit codes\n\n" + made + "## Variables\n\n| variable | |\n|---|---|\n")
	for _, v := range manualVariables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(v[0], ", ", "`, `"), asCell(v[1]))
	}
	b.WriteString("\n## Files\n\n| file | |\n|---|---|\n")
	for _, f := range manualFiles {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f[0], asCell(f[1]))
	}
	b.WriteString("\n[recovery.md](recovery.md) lists all files of a home.\n\n## Exit codes\n\nThe words in brackets are the error codes of " +
		"[codes.md](codes.md#errors).\n\n```text\n" + exitTable() + "```\n")
	return b.String()
}

func settingsPage(t *testing.T) string {
	s, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Settings\n\n" + made + "Every key of config.yaml. [config.md](config.md) has an example and says how they work together.\n\n" +
		"| key | value | default | |\n|---|---|---|---|\n")
	writeSettings(&b, "", s)
	return b.String()
}

func writeSettings(b *strings.Builder, path string, s *jsonschema.Schema) {
	names := s.PropertyOrder
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(s.Properties))
	}
	for _, name := range names {
		p := s.Properties[name]
		usual := ""
		if len(p.Default) > 0 {
			usual = "`" + string(p.Default) + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path+name, valueOf(p), usual, asCell(p.Description))
		writeSettings(b, path+name+".", p)
		if p.AdditionalProperties != nil {
			writeSettings(b, path+name+".NAME.", p.AdditionalProperties)
		}
		if p.Items != nil {
			writeSettings(b, path+name+"[].", p.Items)
		}
	}
}

// valueOf returns the possible values of a setting.
func valueOf(s *jsonschema.Schema) string {
	kind := cmp.Or(s.Type, strings.Join(slices.DeleteFunc(slices.Clone(s.Types), func(x string) bool { return x == "null" }), ", "))
	var words []string
	for _, w := range s.Enum {
		words = append(words, fmt.Sprintf("`%v`", w))
	}
	switch {
	case len(words) > 0:
		return strings.Join(words, " ")
	case s.OneOf != nil:
		return "text, or a list"
	case strings.HasPrefix(s.Pattern, "^(0|"):
		return "a time, as 30m"
	}
	return strings.NewReplacer("string", "text", "boolean", "true, false", "array", "list", "object", "map", "integer", "number").Replace(kind)
}

func toolsPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# MCP tools\n\n" + made + "What `vise mcp` serves, as agents read it. [agents.md](agents.md) says how each program is connected.\n\n" +
		"A message has at most 1 MiB; a longer one is answered with the JSON-RPC error -32700. A client that may send a call again gives\n" +
		"its `_meta` a text `vise/idempotency_key`: a call with the same key, tool and arguments is carried out once, and its answer\n" +
		"says `replayed`. With other arguments the key is refused (`invalid`). `StartTask` remembers its keys while the server runs.\n")
	for _, group := range [][2]string{{"tools.json", "Always"}, {"more.json", "With `--tools all`, or where no hook brings an agent's words (ReportWorkItem)"}} {
		raw, err := os.ReadFile("../mcp/" + group[0])
		if err != nil {
			t.Fatal(err)
		}
		var tools []struct {
			Name, Description string
			InputSchema       *jsonschema.Schema
		}
		if err := json.Unmarshal(raw, &tools); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n", group[1])
		for _, x := range tools {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| input | value | |\n|---|---|---|\n", x.Name, x.Description)
			writeInputs(&b, x.InputSchema)
		}
	}
	return b.String()
}

func writeInputs(b *strings.Builder, s *jsonschema.Schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, about := s.Properties[name], s.Properties[name].Description
		if slices.Contains(s.Required, name) {
			about = strings.TrimSuffix("Required. "+about, " ")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, valueOf(p), asCell(about))
	}
}
