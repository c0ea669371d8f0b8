package cli

import (
	"cmp"
	"fmt"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/runner"
)

func triggerVerb() verb {
	var c model.Trigger
	var payload string
	return verb{
		use: "trigger [ID|WAIT]", short: "Report that something happened that a work item waits for", items: model.FilterOpen,
		long: `trigger reports that something happened: to all waits of a work item, to one WAIT, or to the agent's
waits on --resource. The item is then offered for review. It stays blocked, and the focus stays where it
is.`,
		example: "vise trigger wi-7f3k --source ci --payload 'run 8812 succeeded'",
		keyed:   true,
		flags: flags{
			{"source", &c.Source, "who tells it: ci, review"},
			{"payload", &payload, "what happened; - is standard input, @FILE a file"},
			{"wake", &c.Wake, "only waits of this wake: operator_input, task_result, external, timer or system (default with " +
				"--resource: external)"},
			{"resource", &c.Resource, "only waits on this resource"},
		},
		verbs: []verb{triggerURLVerb(), triggerListVerb(), triggerRevokeVerb()},
		run: func(e *Env) (answer, error) {
			text, err := content(e, "payload", payload)
			if err != nil {
				return nil, err
			}
			c.Payload = model.Text(text)
			agent, err := address(e, first(e.words), &c)
			if err != nil {
				return nil, err
			}
			return changeAnswer(e, agent, c, home.TriggerResultOf, triggered)
		},
	}
}

func triggered(p *page, _ model.Receipt, out home.TriggerResult) {
	if out.WorkItem != nil {
		p.changed("news for", *out.WorkItem)
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
	err := read(e, func(r model.Reader) error {
		if !strings.HasPrefix(ref, itemPrefix) {
			x, _ := r.Wait(model.WaitID(ref))
			t.WaitID = x.ID
		}
		return nil
	})
	if err == nil && t.WaitID == "" {
		t.WorkItemID, err = resolve(e, ref)
	}
	return e.agent, err
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

func triggerURLVerb() verb {
	var c model.MintIngress
	var secret string
	base := "http://" + defaultListen
	return verb{
		use: "url [ID|WAIT]", short: "Make an address at which the outside can say that something happened",
		long: `url makes a capability: an address. Whoever knows it can send news to the external waits of a work item, or
those of --agent on --resource, also before anybody waits. For an --agent alone it reaches the agent
itself. The address is shown once; the ledger keeps a hash of it. vise serve receives what is sent
there. docs/webhooks.md says how senders sign. Their secret can be read in the ledger, its journal,
snapshots and backups.`,
		example: `vise trigger url --agent ann --resource github:acme/gateway#7
vise trigger url wi-7f3k --sign github --secret-file FILE
vise trigger url --renew in-01k`,
		keyed: true,
		flags: flags{
			{"base", &base, "the address of vise serve"},
			{"resource", &c.Resource, "the resource that it reports on (default: what the work item waits for)"},
			{"deliver", &c.Deliver, "what a delivery does: wake_hint is news for the item, enqueue_message sends the agent what came in"},
			{"sign", &c.Signing, "accept only signed requests: github as forges sign, vise with time and id"},
			{"secret-file", &secret, "a file with the secret of the signatures"},
			{"renew", &c.Renews, "replace this capability by one with another address"},
		},
		run: func(e *Env) (_ answer, err error) {
			if c.Secret, err = secretOf(e, c, secret); err == nil {
				err = aim(e, first(e.words), &c)
			}
			if err != nil {
				return nil, err
			}
			var token string
			token, c.TokenHash = runner.NewToken()
			in, err := send(e, "", c)
			if err != nil {
				return nil, err
			}
			if in.Replayed {
				return nil, refuse("this key has made a capability, and its token is not kept").At("key",
					"make it again: vise trigger url --renew %s", in.IngressID)
			}
			out := minted{IngressID: in.IngressID, URL: runner.IngressURL(base, in.IngressID, token), AgentID: in.AgentID,
				WorkItem: in.WorkItemID}
			return oneLine(out, "%s", out.URL).warned(in.Warnings), nil
		},
	}
}

// maxSecret is the largest secret, in bytes.
const maxSecret = 4096

// secretOf reads the secret of a sender that signs. The secret comes from a file, because other users can read a command line. A renewed
// capability keeps its secret, unless another one is given.
func secretOf(e *Env, c model.MintIngress, file string) (string, error) {
	switch {
	case file == "" && (c.Signing == "" || c.Renews != ""):
		return "", nil
	case file == "":
		return "", misuse("secret-file", "signatures need a secret").WithHint("put it in a file: --secret-file FILE")
	}
	raw, err := fileOrStdin(e, "secret-file", file)
	if err != nil {
		return "", err
	}
	s := strings.TrimSpace(raw)
	if s == "" || len(s) > maxSecret {
		return "", misuse("secret-file", "%s holds no usable secret", file).WithHint("1 to %d bytes", maxSecret)
	}
	return s, nil
}

// aim reads what the capability is for: an item, the owner of a wait, or an agent.
func aim(e *Env, ref string, m *model.MintIngress) (err error) {
	switch {
	case m.Renews != "":
	case strings.HasPrefix(ref, waitPrefix):
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

func triggerListVerb() verb {
	return verb{
		use: "list", short: "List the capabilities that reach the agents",
		example: "vise trigger list",
		run: func(e *Env) (answer, error) {
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
		},
	}
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
		whose := strings.TrimSpace(cmp.Or(string(in.handle), string(in.AgentID)) + " " + in.Resource.String())
		does, state := "is news for the item", ""
		if in.Deliver == model.DeliverEnqueueMessage {
			does = "sends the agent what came in"
		}
		if in.Signing != "" {
			does += " if signed as " + string(in.Signing)
		}
		if in.Revoked {
			state = ", revoked"
		} else if in.Early != nil {
			state = fmt.Sprintf(", %d kept until somebody waits", in.Early.Count)
		}
		p.line("%s  %s  %s  %s%s", in.ID, whose, does, model.Counted(in.Deliveries, "delivery"), state)
	}
}

// agentsOf returns the named agent, else all.
func agentsOf(e *Env, r model.Reader) (ids []model.AgentID, err error) {
	if e.agent != "" {
		return []model.AgentID{e.agent}, knownIfNamed(e, r)
	}
	for x := range model.AllAgents(r) {
		ids = append(ids, x.ID)
	}
	return ids, nil
}

func triggerRevokeVerb() verb {
	var c model.RevokeIngress
	return verb{
		use: "revoke CAPABILITY", short: "End a capability", example: "vise trigger revoke in-7f3k",
		args: to(&c.IngressID), keyed: true,
		run: func(e *Env) (answer, error) {
			in, err := send(e, "", c)
			if in.Unchanged {
				return receiptAnswer(in, "%s was revoked before", in.IngressID), err
			}
			return receiptAnswer(in, "revoked %s", in.IngressID), err
		},
	}
}
