// Put here by `vise install opencode`; `vise install opencode --uninstall` removes it.
// It tells vise what a session said beside the work items that it completed, tells a session
// at each prompt what work it has, and prompts one that comes to rest with what was said to
// its agent meanwhile.
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

export const VisePlugin = async ({ client }: any) => ({
  "chat.message": async ({ sessionID }: any) => {
    contexts.set(sessionID, await hook("chat.message", { sessionID }))
  },
  "experimental.chat.system.transform": async ({ sessionID }: any, output: any) => {
    const context = contexts.get(sessionID)
    if (context) output.system.push(context)
  },
  event: async ({ event }: any) => {
    const sessionID = event.properties?.sessionID ?? event.properties?.info?.id
    if (event.type === "session.idle") {
      const answer = await client.session.messages({ path: { id: sessionID } })
      const said = await hook("session.idle", { sessionID, messages: (answer.data ?? []).slice(-40) })
      if (said) await client.session.promptAsync({ path: { id: sessionID }, body: { parts: [{ type: "text", text: said }] } })
    } else if (event.type === "session.created" || event.type === "session.error") {
      await hook(event.type, { sessionID })
    }
  },
})
