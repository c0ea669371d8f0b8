// Package mcp is the frontend for agents that speak the Model Context Protocol: seven tools and two kinds of resources over standard input
// and output. The tools' inputs are commands of the model. Their answers are those of the command line.
//
// Reading order: mcp.go (the server), tools.go (the tools), call.go (how a tool is carried out), more.go (further tools), fit.go (how an
// answer is kept within its bound), lines.go (the transport that checks each line before the library reads it).
package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

// Options describe the server.
type Options struct {
	// Open opens the home, and creates it if it does not exist. It is called until it succeeds.
	Open func() (*home.Home, error)
	// Agent is the only caller, unless VISE_AGENT names another one. If it is empty, each call's _meta names the caller, else the
	// environment.
	Agent   string
	Getenv  func(string) string
	In      io.Reader
	Out     io.Writer
	Version string
	// All also offers the tools that are off by default.
	All bool
	// HooksSeen reports whether a hook of the agent's program was ever seen; nil means that hooks work for every agent.
	HooksSeen func(model.AgentID) bool
	// StartTask starts a command under a supervisor process of its own.
	StartTask func(context.Context, TaskRequest) (model.TaskID, error)
	// Attend does what a server does beside its calls, until the returned function is called. It can be nil.
	Attend func(context.Context) (leave func())
	// Log gets errors that have no other place. It must not write to standard output.
	Log *slog.Logger
}

// Command returns the command `vise mcp`.
func Command(o func() Options) *cobra.Command {
	which := usualTools
	c := &cobra.Command{
		Use: "mcp", Short: "Serve an agent's tools over MCP, on standard input and output",
		Long: "mcp serves one agent: that of VISE_AGENT, else that of --agent, which stands in a program's settings. Without\n" +
			"--agent, a call's _meta (vise/agent) comes before VISE_AGENT, and the name of the program that started it comes\n" +
			"last. VISE_HOME comes before --home, too. Only JSON-RPC is written to standard output.",
		Example: "vise mcp --agent ann",
		RunE: func(c *cobra.Command, _ []string) error {
			o := o()
			o.All = which == allTools
			if !o.All && which != usualTools {
				return model.Invalid("unknown tools %q", model.Text(which)).At("tools", "use usual or all")
			}
			return Serve(c.Context(), o)
		},
	}
	c.Flags().StringVar(&which, "tools", usualTools, "usual, or all: also those that notify you, delegate and start tasks")
	return c
}

// The choices of tools.
const (
	usualTools = "usual"
	allTools   = "all"
)

// Serve answers requests until the input ends.
func Serve(ctx context.Context, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{Options: o}
	defer s.close()
	if o.Attend != nil {
		defer o.Attend(ctx)()
	}
	return s.sdk().Run(ctx, newLines(o.In, o.Out))
}

// server serves one client.
type server struct {
	Options

	started startedTasks
	// listedPlans holds the plans last listed to each agent.
	listedPlans sync.Map
	reading     sync.WaitGroup // running reads of plans
	picked      sync.Map       // by agent, the item that it picked here last

	mu   sync.Mutex // guards home
	home *home.Home

	resuming sync.Mutex             // guards known
	known    map[model.AgentID]bool // the agents that called in this session
}

// instructions are sent to the client once; vise context prime says more.
const instructions = "vise keeps your work items: durable objectives that outlive this session. " +
	"Begin with ListWorkItems(filter=current). One item is current; only PickWorkItem changes that. " +
	"Keep todo_list and the plan file (plan_artifact.path, edit it as a file) true. " +
	"Use WaitFor when you cannot go on. "

// How an agent gives its report, and how one does whose text no hook brings.
const (
	reportByText = "Write the completion report as text in the same reply as CompleteWorkItem."
	reportByTool = "No hook brings your reply's text to vise: give the completion report with ReportWorkItem, after CompleteWorkItem."
)

func (s *server) instructions() string {
	if agent, err := s.caller(nil); err == nil && s.wordless(agent) {
		return instructions + reportByTool
	}
	return instructions + reportByText
}

func (s *server) sdk() *sdk.Server {
	x := sdk.NewServer(&sdk.Implementation{Name: "vise", Title: "vise work items", Version: s.Version}, &sdk.ServerOptions{
		Instructions: s.instructions(), Logger: s.Log,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	x.AddReceivingMiddleware(s.receiving)
	for _, t := range s.offeredTools() {
		x.AddTool(t.definition(), s.handler(t))
	}
	s.addResources(x)
	return x
}

// receiving is what every request goes through. A panic in one does not end the others. Lists of resources gain the plans of the
// agent's open items, and lists of tools lose reportTool if hooks bring the agent's text.
func (s *server) receiving(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (out sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("a call failed", "method", method, "fault", fmt.Sprint(p), "stack", string(debug.Stack()))
				out, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
					Message: "internal error; whether anything was changed is not known, look with GetWorkItem"}
			}
		}()
		if method == "initialize" { // over HTTP several sessions come after one another
			s.resuming.Lock()
			s.known = nil
			s.resuming.Unlock()
		}
		if out, err = next(ctx, method, r); err != nil {
			return out, err
		}
		switch found := out.(type) {
		case *sdk.ListResourcesResult:
			if found.NextCursor == "" {
				found.Resources = append(found.Resources, s.knownPlans(ctx, r.GetParams().GetMeta())...)
			}
		case *sdk.ListToolsResult:
			if agent, err := s.caller(r.GetParams().GetMeta()); err != nil || !s.wordless(agent) {
				found.Tools = slices.DeleteFunc(found.Tools, func(t *sdk.Tool) bool { return t.Name == reportTool })
			}
		}
		return out, nil
	}
}

// openFor opens the home once, and returns it with the calling agent.
func (s *server) openFor(meta map[string]any) (h *home.Home, agent model.AgentID, err error) {
	if agent, err = s.caller(meta); err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.home == nil {
		if h, err = s.Open(); err != nil {
			return nil, "", err
		}
		s.home = h
	}
	return s.home, agent, nil
}

func (s *server) close() {
	s.reading.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.home != nil {
		s.home.Close()
	}
}
