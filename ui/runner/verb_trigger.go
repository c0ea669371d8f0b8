package runner

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// DefaultListen is where vise serve listens, and where capabilities point at.
const DefaultListen = "127.0.0.1:8473"

// minted is a new capability. It is shown once: the ledger keeps a hash.
type minted struct {
	IngressID model.IngressID `json:"ingress_id"`
	URL       string          `json:"url"`
	AgentID   model.AgentID   `json:"agent_id"`
	WaitID    model.WaitID    `json:"wait_condition_id,omitempty"`
	Signed    bool            `json:"signed"`
}

func (e VerbEnv) triggerURL() *cobra.Command {
	c := &cobra.Command{
		Use: "url [ID|WAIT]", Short: "Make an address by which the outside can trigger a wait",
		Long: "url makes a capability: who knows the address may trigger the wait, or without one reach the --agent.\n" +
			"It is shown once; the ledger keeps a hash. vise serve takes what is sent to it.",
		Args: cobra.MaximumNArgs(1),
	}
	key := keyed(c)
	base := c.Flags().String("base", "http://"+DefaultListen, "where vise serve is reached")
	deliver := c.Flags().String("deliver", "", "wake_hint, or enqueue_message to hand what was sent to the agent")
	sign := c.Flags().String("sign", "", "check signatures as this kind of sender makes them: github")
	secret := c.Flags().String("secret-file", "", "a file with the secret of the signatures")
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		m := model.MintIngress{Deliver: model.Deliver(*deliver)}
		var err error
		if m.Secret, err = secretOf(*sign, *secret); err != nil {
			return Answer{}, err
		}
		if err := e.aim(ctx, args, &m); err != nil {
			return Answer{}, err
		}
		token, hash := NewToken()
		m.TokenHash = hash
		in, err := e.apply(ctx, *key, "", m)
		if err != nil {
			return Answer{}, err
		}
		if in.Replayed {
			return Answer{}, model.Refuse(model.CodeRefused, "this key has made a capability, and its token is not kept").At("key").
				WithHint("make another one and revoke %s", in.IngressID)
		}
		out := minted{IngressID: in.IngressID, URL: IngressURL(*base, in.IngressID, token), AgentID: in.AgentID, WaitID: in.WaitID, Signed: m.Secret != ""}
		return Answer{Data: out, Text: func(w io.Writer) { fmt.Fprintln(w, out.URL) }}, nil
	})
}

// maxSecret bounds a secret, in bytes.
const maxSecret = 4096

// secretOf reads the secret of a sender that signs. It comes from a file: what stands on a
// command line, others can read.
func secretOf(sign, path string) (string, error) {
	switch {
	case sign == "" && path == "":
		return "", nil
	case sign != "github":
		return "", Misuse("sign", "unknown kind of signatures %q", model.Text(sign)).WithHint("use --sign github")
	case path == "":
		return "", Misuse("secret-file", "signatures need a secret").WithHint("put it in a file: --secret-file FILE")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	s := strings.TrimSpace(string(raw))
	if s == "" || len(s) > maxSecret {
		return "", Misuse("secret-file", "%s holds no usable secret", model.Text(path))
	}
	return s, nil
}

// aim finds what a capability is for: a wait, an item's first active wait, or an agent.
func (e VerbEnv) aim(ctx context.Context, args []string, m *model.MintIngress) error {
	if len(args) == 0 {
		agent, err := e.Agent()
		if err == nil && agent == "" {
			err = Misuse("agent", "nothing named that it is for").WithHint("name a work item, a wait, or --agent")
		}
		m.AgentID = agent
		if m.Deliver == "" {
			m.Deliver = model.DeliverEnqueueMessage // an agent has nothing that a hint could mark
		}
		return err
	}
	if strings.HasPrefix(args[0], "wt-") {
		m.WaitID = model.WaitID(args[0])
		return nil
	}
	id, err := e.resolve(ctx, args[0])
	if err != nil {
		return err
	}
	return e.view(ctx, func(r model.Reader) error {
		w, _ := r.Item(id)
		waits := r.ItemWaits(w.AgentID, id)
		if len(waits) == 0 {
			return model.Refuse(model.CodeRefused, "work item %s waits for nothing", w.Handle).WithHint("let it wait first: vise wait %s", w.Handle)
		}
		m.WaitID = waits[0].ID
		return nil
	})
}

// shownIngresses bounds a list of capabilities.
const shownIngresses = 200

// ingressGist is a capability without what could open it.
type ingressGist struct {
	model.Ingress
	TokenHash struct{} `json:"token_hash,omitzero"`
	Secret    struct{} `json:"secret,omitzero"`
	Signed    bool     `json:"signed"`
}

func (e VerbEnv) triggerList() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the capabilities that reach the agents", Args: cobra.NoArgs}
	return e.Verb(c, func(ctx context.Context, _ []string) (Answer, error) {
		named, err := e.Agent()
		if err != nil {
			return Answer{}, err
		}
		var out []ingressGist
		err = e.view(ctx, func(r model.Reader) error {
			for _, id := range agentsOf(r, named) {
				for _, in := range r.Ingresses(id, shownIngresses) {
					out = append(out, ingressGist{Ingress: in, Signed: in.Secret != ""})
				}
			}
			return nil
		})
		return Answer{Data: map[string]any{"ingresses": out}, Text: func(w io.Writer) {
			for _, in := range out {
				fmt.Fprintf(w, "%s  %s %s  %s  %d deliveries%s\n", in.ID, in.AgentID, in.WaitID, in.Deliver, in.Deliveries, revoked(in.Ingress))
			}
		}}, err
	})
}

func revoked(in model.Ingress) string {
	if in.Revoked {
		return ", revoked"
	}
	return ""
}

// someAgents bounds how many agents a verb goes through.
const someAgents = 1000

// agentsOf are the agent that is named, else all.
func agentsOf(r model.Reader, named model.AgentID) []model.AgentID {
	if named != "" {
		return []model.AgentID{named}
	}
	var ids []model.AgentID
	for _, a := range r.Agents("", someAgents) {
		ids = append(ids, a.ID)
	}
	return ids
}

func (e VerbEnv) triggerRevoke() *cobra.Command {
	c := &cobra.Command{Use: "revoke INGRESS", Short: "End a capability", Args: cobra.ExactArgs(1)}
	key := keyed(c)
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		in, err := e.apply(ctx, *key, "", model.RevokeIngress{IngressID: model.IngressID(args[0])})
		return receipt(in, "revoked %s", in.IngressID), err
	})
}
