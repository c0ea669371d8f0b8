package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/runner"
)

type triggerOptions struct {
	mutation
	source, payload, wake, resource string
}

func triggerVerb(e *Env) *cobra.Command {
	var o triggerOptions
	c := &cobra.Command{
		Use: "trigger [ID|WAIT]", Short: "Report that something happened that a work item waits for",
		Example: "vise trigger wi-7f3k --source ci --payload 'run 8812 succeeded'",
		Long: "trigger reports that something happened: to all waits of a work item, to one WAIT, or to the agent's\n" +
			"waits on --resource. The item is then offered for review. It stays blocked, and the focus stays where it\n" +
			"is.",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	c.AddCommand(triggerURLVerb(e), triggerListVerb(e), triggerRevokeVerb(e))
	o.keyed(c)
	f := c.Flags()
	f.StringVar(&o.source, "source", "", "who tells it: ci, review")
	f.StringVar(&o.payload, "payload", "", "what happened; - is standard input, @FILE a file")
	f.StringVar(&o.wake, "wake", "", "only waits of this wake: operator_input, task_result, external, timer or system (default with "+
		"--resource: external)")
	f.StringVar(&o.resource, "resource", "", "only waits on this resource")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) { return trigger(e, first(args), o) })
}

func trigger(e *Env, ref string, o triggerOptions) (answer, error) {
	payload, err := content(e, "payload", o.payload)
	if err != nil {
		return answer{}, err
	}
	t := model.Trigger{Wake: model.Wake(o.wake), Resource: model.Text(o.resource), Source: model.Text(o.source),
		Payload: model.Text(payload)}
	agent, err := address(e, ref, &t)
	if err != nil {
		return answer{}, err
	}
	return changeAnswer(e, order{mutation: o.mutation, agent: agent, command: t}, (*page).triggered, home.TriggerResultOf)
}

func (p *page) triggered(out home.TriggerResult) {
	if out.WorkItem != nil {
		p.changed("triggered", *out.WorkItem)
	}
	for _, id := range out.Triggered {
		p.line("  %s", id)
	}
}

// address reads which waits a trigger is for, and its sender.
func address(e *Env, ref string, t *model.Trigger) (model.AgentID, error) {
	if ref == "" {
		if t.Wake == "" {
			t.Wake = model.WakeExternal
		}
		return readAgent(e)
	}
	x, err := readOne(e, func(r model.Reader) (x model.Wait, _ error) {
		if !strings.HasPrefix(ref, itemPrefix) {
			x, _ = r.Wait(model.WaitID(ref))
		}
		return x, nil
	})
	if err != nil {
		return "", err
	}
	if x.ID != "" {
		t.WaitID = x.ID
		return e.agent, nil
	}
	id, err := resolve(e, ref)
	if err != nil {
		return "", err
	}
	t.WorkItemID = id
	return e.agent, nil
}

// defaultListen is the address on which vise serve listens, and to which capabilities point.
const defaultListen = "127.0.0.1:8473"

// minted is a new capability. Its address is shown only once, because the ledger keeps only a hash.
type minted struct {
	IngressID model.IngressID `json:"ingress_id"`
	URL       string          `json:"url"`
	AgentID   model.AgentID   `json:"agent_id"`
	WorkItem  model.ItemID    `json:"work_item_id,omitempty"`
}

type triggerURLOptions struct {
	mutation
	base, resource, deliver, sign, secret, renew string
}

func triggerURLVerb(e *Env) *cobra.Command {
	var o triggerURLOptions
	c := &cobra.Command{
		Use: "url [ID|WAIT]", Short: "Make an address by which the outside can trigger waits",
		Long: "url makes a capability: an address. Whoever knows it can trigger the external waits of a work item, or\n" +
			"those of --agent on --resource, also before anybody waits. For an --agent alone it reaches the agent\n" +
			"itself. The address is shown once; the ledger keeps a hash of it. vise serve receives what is sent\n" +
			"there. docs/webhooks.md says how senders sign. Their secret can be read in the ledger, its journal,\n" +
			"snapshots and backups.",
		Example: "vise trigger url --agent ann --resource github:acme/gateway#7\n" +
			"vise trigger url wi-7f3k --sign github --secret-file FILE\nvise trigger url --renew in-01k",
	}
	o.keyed(c)
	f := c.Flags()
	f.StringVar(&o.base, "base", "http://"+defaultListen, "the address of vise serve")
	f.StringVar(&o.resource, "resource", "", "the resource that it reports on (default: what the work item waits for)")
	f.StringVar(&o.deliver, "deliver", "", "what a delivery does: wake_hint triggers, enqueue_message sends the agent what came in")
	f.StringVar(&o.sign, "sign", "", "accept only signed requests: github as forges sign, vise with time and id")
	f.StringVar(&o.secret, "secret-file", "", "a file with the secret of the signatures")
	f.StringVar(&o.renew, "renew", "", "replace this capability by one with another address")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) { return triggerURL(e, first(args), o) })
}

func triggerURL(e *Env, ref string, o triggerURLOptions) (answer, error) {
	mint := model.MintIngress{Deliver: model.Deliver(o.deliver), Resource: model.Text(o.resource), Signing: model.Signing(o.sign),
		Renews: model.IngressID(o.renew)}
	var err error
	if mint.Secret, err = secretOf(e, o); err != nil {
		return answer{}, err
	}
	if err := aim(e, ref, &mint); err != nil {
		return answer{}, err
	}
	token, hash := runner.NewToken()
	mint.TokenHash = hash
	in, err := send(e, o.mutation, "", mint)
	if err != nil {
		return answer{}, err
	}
	if in.Replayed {
		return answer{}, model.Refuse(model.CodeRefused, "this key has made a capability, and its token is not kept").At("key").
			WithHint("make it again: vise trigger url --renew %s", in.IngressID)
	}
	out := minted{IngressID: in.IngressID, URL: runner.IngressURL(o.base, in.IngressID, token), AgentID: in.AgentID,
		WorkItem: in.WorkItemID}
	return answer{data: out, warnings: in.Warnings, text: func(p *page) { p.line("%s", out.URL) }}, nil
}

// maxSecret is the largest secret, in bytes.
const maxSecret = 4096

// secretOf reads the secret of a sender that signs. The secret comes from a file, because other users can read a command line. A renewed
// capability keeps its secret, unless another one is given.
func secretOf(e *Env, o triggerURLOptions) (string, error) {
	switch {
	case o.secret == "" && (o.sign == "" || o.renew != ""):
		return "", nil
	case o.secret == "":
		return "", misuse("secret-file", "signatures need a secret").WithHint("put it in a file: --secret-file FILE")
	}
	raw, err := fileOrStdin(e, "secret-file", o.secret)
	if err != nil {
		return "", err
	}
	s := strings.TrimSpace(raw)
	if s == "" || len(s) > maxSecret {
		return "", misuse("secret-file", "%s holds no usable secret", model.Text(o.secret)).WithHint("1 to %d bytes", maxSecret)
	}
	return s, nil
}

// aim reads what the capability is for: an item, the owner of a wait, or an agent.
func aim(e *Env, ref string, m *model.MintIngress) (err error) {
	switch {
	case m.Renews != "":
	case strings.HasPrefix(ref, "wt-"):
		m.WaitID = model.WaitID(ref)
	case ref != "":
		m.WorkItemID, err = resolve(e, ref)
	case e.agent == "":
		err = misuse("agent", "it is not said what the address is for").WithHint("name a work item, a wait, or --agent")
	default:
		m.AgentID = e.agent
	}
	return err
}

// shownIngresses is the most capabilities that are listed.
const shownIngresses = 200

// ingressGist is a capability without its secrets.
type ingressGist struct {
	model.Ingress
	TokenHash struct{} `json:"token_hash,omitzero"`
	Secret    struct{} `json:"secret,omitzero"`

	handle model.Handle
}

func triggerListVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the capabilities that reach the agents", Example: "vise trigger list"}
	return e.verb(c, func(_ context.Context, _ []string) (answer, error) {
		return readAnswer(e, (*page).ingresses, func(r model.Reader) (ingressList, error) {
			var out ingressList
			agents, err := agentsOf(e, r)
			for _, id := range agents {
				for _, in := range r.Ingresses(id, shownIngresses) {
					w, _ := r.Item(in.WorkItemID)
					out.Ingresses = append(out.Ingresses, ingressGist{Ingress: in, handle: w.Handle})
				}
			}
			return out, err
		})
	})
}

// ingressList is the data of trigger list.
type ingressList struct {
	Ingresses []ingressGist `json:"ingresses"`
}

func (p *page) ingresses(l ingressList) {
	if len(l.Ingresses) == 0 {
		p.line("no capabilities; vise trigger url makes one")
	}
	for _, in := range l.Ingresses {
		p.line("%s  %s  %s  %s%s", in.ID, cmp.Or(string(in.handle), string(in.AgentID))+
			afterSpace(in.Resource.String()), deliverWords(in.Deliver)+afterSpace(signedWords(in.Signing)), deliveriesOf(in.Ingress),
			ingressState(in.Ingress))
	}
}

func deliveriesOf(in model.Ingress) string {
	if in.Deliveries == 1 {
		return "1 delivery"
	}
	return fmt.Sprintf("%d deliveries", in.Deliveries)
}

func signedWords(by model.Signing) string {
	if by == "" {
		return ""
	}
	return "if signed as " + string(by)
}

// deliverWords says what a delivery does.
func deliverWords(d model.Deliver) string {
	if d == model.DeliverEnqueueMessage {
		return "sends the agent what came in"
	}
	return "triggers"
}

func afterSpace(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func ingressState(in model.Ingress) string {
	switch {
	case in.Revoked:
		return ", revoked"
	case in.Early != nil:
		return fmt.Sprintf(", %d kept until somebody waits", in.Early.Count)
	}
	return ""
}

// agentsOf returns the named agent, else all.
func agentsOf(e *Env, r model.Reader) (ids []model.AgentID, err error) {
	if e.agent != "" {
		return []model.AgentID{e.agent}, knownIfNamed(e, r)
	}
	for _, x := range r.Agents("", maxAgents) {
		ids = append(ids, x.ID)
	}
	return ids, nil
}

func triggerRevokeVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "revoke CAPABILITY", Short: "End a capability", Example: "vise trigger revoke in-7f3k"}
	var m mutation
	m.keyed(c)
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		in, err := send(e, m, "", model.RevokeIngress{IngressID: model.IngressID(args[0])})
		if in.Unchanged {
			return receiptAnswer(in, "%s was revoked before", in.IngressID), err
		}
		return receiptAnswer(in, "revoked %s", in.IngressID), err
	})
}
