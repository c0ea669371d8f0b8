// Put here by `vise install opencode`; `vise install opencode --uninstall` removes it.
// It tells vise what a session said beside the work items that it completed, tells a session
// at each prompt what work it has and after each tool what was said to its agent, and prompts
// one that comes to rest, or rests, with what was said meanwhile.
const vise = @VISE@
const flags = @FLAGS@

async function hook(event: string, payload: unknown): Promise<string> {
  try {
    const child = Bun.spawn([vise, "hook", "opencode", event, ...flags], { stdin: "pipe", stdout: "pipe", stderr: "ignore" })
    child.stdin.write(JSON.stringify(payload))
    child.stdin.end()
    const said = await new Response(child.stdout).text()
    await child.exited
    return said.trim()
  } catch {
    return "" // vise is not there: the session goes on without it.
  }
}

const contexts = new Map()
const waiting = new Map()
const children = new Set() // sessions of subagents, which nobody speaks to

const prompt = (client: any, sessionID: string, text: string) =>
  client.session.promptAsync({ path: { id: sessionID }, body: { parts: [{ type: "text", text }] } })

// rests has vise wait beside a session; it ends with the next prompt, or with this program.
function rests(client: any, sessionID: string) {
  try {
    const child = Bun.spawn([vise, "hook", "opencode", "Rest", ...flags], { stdin: "pipe", stdout: "pipe", stderr: "pipe" })
    waiting.set(sessionID, child)
    child.stdin.write(JSON.stringify({ sessionID }))
    child.stdin.end()
    child.unref()
    new Response(child.stdout).text().then((said) => {
      if (waiting.get(sessionID) !== child) return
      waiting.delete(sessionID)
      if (said.trim()) return prompt(client, sessionID, said.trim())
    }).catch(() => {})
  } catch {
    // vise is not there: nobody wakes the session.
  }
}

export const VisePlugin = async ({ client }: any) => ({
  "chat.message": async ({ sessionID }: any, message: any) => {
    const prompt = (message?.parts ?? []).map((part: any) => part.text ?? "").join("\n")
    contexts.set(sessionID, await hook("chat.message", { sessionID, prompt }))
  },
  "experimental.chat.system.transform": async ({ sessionID }: any, output: any) => {
    const context = contexts.get(sessionID)
    if (context) output.system.push(context)
  },
  "tool.execute.after": async ({ tool, sessionID }: any, output: any) => {
    if (tool.startsWith("vise_") || children.has(sessionID) || typeof output?.output !== "string") return
    const said = await hook("tool.execute.after", { sessionID, tool_name: tool })
    if (said) output.output += "\n\n" + said
  },
  event: async ({ event }: any) => {
    const sessionID = event.properties?.sessionID ?? event.properties?.info?.id
    if (event.type === "session.idle") {
      const answer = await client.session.messages({ path: { id: sessionID } })
      const agent_id = children.has(sessionID) ? sessionID : ""
      const said = await hook("session.idle", { sessionID, agent_id, messages: (answer.data ?? []).slice(-40) })
      if (said) await prompt(client, sessionID, said)
      else if (!agent_id) rests(client, sessionID)
    } else if (event.type === "session.created" || event.type === "session.error") {
      if (event.properties?.info?.parentID) children.add(sessionID)
      await hook(event.type, { sessionID })
    }
  },
})
