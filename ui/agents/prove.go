package agents

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/runner"
)

const (
	// serverLimit bounds the start of the MCP server and one call of it.
	serverLimit = 10 * time.Second
	// proofLimit bounds the run of a program.
	proofLimit = 2 * time.Minute
	// proofWords is the report that vise's own model gives in the run.
	proofWords = "The program works with vise: this report was said beside the completion."
)

// Serves starts the MCP server as the settings do, in a throwaway home, and calls a tool.
func Serves(ctx context.Context, o Options) Check {
	c := Check{Name: "server", Hint: "run it yourself: " + o.Vise + " mcp --agent " + o.Program}
	ctx, cancel := context.WithTimeout(ctx, serverLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "vise-doctor-")
	if err != nil {
		c.Message = err.Error()
		return c
	}
	defer os.RemoveAll(dir)
	o.nameAgent()
	cmd := exec.CommandContext(ctx, o.Vise, o.serverArgs()...)
	cmd.Env = append(os.Environ(), "VISE_HOME="+filepath.Join(dir, "home"), "VISE_AGENT="+o.Agent, "VISE_ACTOR=", "VISE_TURN=")
	begun := time.Now()
	tools, err := called(ctx, cmd)
	if err != nil {
		c.Message = fmt.Sprintf("%s mcp does not serve: %s", o.Vise, model.Text(err.Error()))
		return c
	}
	return fine("server", "%s mcp offers %d tools, and ListWorkItems answered, after %s", o.Vise, tools,
		time.Since(begun).Round(time.Millisecond))
}

// fine returns a check that passed.
func fine(name, format string, args ...any) Check {
	return Check{Name: name, OK: true, Message: fmt.Sprintf(format, args...)}
}

// called starts a server, and returns how many tools it offers after one of them has answered.
func called(ctx context.Context, cmd *exec.Cmd) (tools int, err error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "vise-doctor"}, nil)
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Second}, nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	out, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "ListWorkItems", Arguments: map[string]any{"limit": 1}})
	if err == nil && out.IsError {
		err = out.GetError()
	}
	return len(list.Tools), err
}

// proof is a run of a program in a throwaway home directory.
type proof struct {
	Options
	// user is the home directory; item is the agent's focus.
	user  string
	item  model.ItemID
	model ScriptedModel
	said  bytes.Buffer
}

// Prove runs the program once, without a terminal, in a throwaway home directory where vise is installed and permitted. The program uses a
// model of vise's own, which completes an item. Prove reports what arrived. It reads and writes nothing of the user's and contacts no other
// model.
func Prove(ctx context.Context, o Options) []Check {
	path, err := exec.LookPath(o.Program)
	if err != nil || len(Headless(o.Program, "", "", false).Args) == 0 {
		return []Check{{Name: "proof", Message: o.Program + " cannot be run on a model of vise's own: it is not found, or takes none",
			Hint: "what can be proved are those of " + strings.Join(provable(), ", ")}}
	}
	dir, err := os.MkdirTemp("", "vise-proof-")
	if err != nil {
		return []Check{{Name: "proof", Message: err.Error()}}
	}
	defer os.RemoveAll(dir)
	yes := true
	p := &proof{Options: o, user: dir}
	p.Agent, p.Project, p.Home, p.Permit, p.AskReport, p.Tools = o.Program, "", filepath.Join(dir, "vise"), &yes, false, ""
	p.Getenv = func(name string) string { return map[string]string{"HOME": dir}[name] }
	begun := time.Now()
	if err = p.begin(ctx); err == nil {
		err = p.run(ctx, path)
	}
	if err != nil {
		return []Check{{Name: "proof", Message: model.Text(err.Error()).String(), Hint: o.Program + " said: " + p.tail()}}
	}
	out := p.checks(ctx)
	return append(out, fine("proof", "%s ran in a throwaway home on a model of vise's own, for %s",
		strings.TrimSpace(o.Program+" "+o.Version), time.Since(begun).Round(time.Second)))
}

// provable lists the programs that accept a model of vise's own.
func provable() (names []string) {
	for _, p := range programs {
		if len(Headless(p.name, "", "", false).Args) > 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// begin makes the home with its item, and installs vise.
func (p *proof) begin(ctx context.Context) error {
	for name, text := range Headless(p.Program, "", "", false).Files {
		path := filepath.Join(p.user, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	h, _, err := home.OpenOrCreate(p.Home, home.Options{Dir: p.user, Context: ctx})
	if err != nil {
		return err
	}
	defer h.Close()
	apply := func(c model.Command) model.Receipt {
		var in model.Receipt
		if err == nil {
			in, err = h.Apply(ctx, model.Envelope{Key: home.NewKey(), Actor: model.Operator, Agent: model.AgentID(p.Agent), Command: c})
		}
		return in
	}
	p.item = apply(model.CreateWorkItem{Objective: "Prove that the program works with vise"}).WorkItemID
	apply(model.PickWorkItem{WorkItemID: p.item})
	if err == nil {
		_, err = Install(p.Options)
	}
	return err
}

// run starts the program with its prompt and waits until it ends.
func (p *proof) run(ctx context.Context, path string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.model.Script = []ScriptedReply{
		{Text: proofWords, Calls: []ScriptedCall{{Tool: "CompleteWorkItem", Input: map[string]any{"work_item_id": string(p.item)}}}},
		{Text: "That was all."},
	}
	server := &http.Server{Handler: &p.model, ReadHeaderTimeout: serverLimit}
	go func() { _ = server.Serve(listener) }() // returns when it is closed
	defer server.Close()
	how := Headless(p.Program, "http://"+listener.Addr().String(), "Do the current work item.", false)
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	c := exec.CommandContext(ctx, path, how.Args...)
	c.Dir = p.user
	c.Env = append([]string{"HOME=" + p.user, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + os.TempDir()}, how.Env...)
	said := &runner.Capped{To: &p.said, Max: maxTail}
	c.Stdout, c.Stderr = said, said
	c.SysProcAttr = files.OwnGroup()
	c.Cancel = func() error { return files.EndGroup(c.Process) }
	c.WaitDelay = grace
	if err = c.Start(); err != nil {
		return err
	}
	err = c.Wait()
	_ = files.EndGroup(c.Process) // ends the processes that it left
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end within %s", p.Program, proofLimit)
	case len(p.model.Requests()) == 0:
		return fmt.Errorf("%s asked its model nothing: %v", p.Program, err)
	}
	return nil
}

// tail returns the end of the program's output.
func (p *proof) tail() string {
	said := []rune(strings.TrimSpace(p.said.String()))
	return model.Text(string(said[max(0, len(said)-300):])).String()
}

// checks report what arrived.
func (p *proof) checks(ctx context.Context) []Check {
	said := p.Program + " said: " + p.tail()
	contextArrived := fine("proof context", "the work context came with the first request")
	if !strings.Contains(p.model.Requests()[0], "# Work of agent "+p.Agent) {
		contextArrived = Check{Name: "proof context", Message: "the first request had no work context", Hint: said}
	}
	called := Check{Name: "proof tool", Message: "CompleteWorkItem was not carried out", Hint: said}
	report := Check{Name: "proof report", Message: "no report was kept", Hint: "vise report ID gives an item one"}
	h, err := home.Open(p.Home, home.Options{Dir: p.user, Context: ctx})
	if err != nil {
		report.Message = err.Error()
		return []Check{contextArrived, called, report}
	}
	defer h.Close()
	err = h.View(ctx, func(r model.Reader) error {
		w, _ := r.Item(p.item)
		v := model.ViewOf(r, w)
		if v.State == model.Completed {
			called = fine("proof tool", "CompleteWorkItem was called and carried out")
		}
		switch {
		case v.Report != nil && v.Report.Text.Raw() == proofWords: // raw: compared, not shown
			report = fine("proof report", "the words beside it were kept as its report (%s)", v.Report.By)
		case len(v.Offered) > 0 && v.Offered[0].Text.Raw() == proofWords: // raw: compared, not shown
			report = fine("proof report", "the words beside it were offered (%s); vise report keeps them",
				v.Offered[0].Provenance)
		}
		return nil
	})
	if err != nil {
		report.Message = err.Error()
	}
	return []Check{contextArrived, called, report}
}
