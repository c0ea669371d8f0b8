// Put here by `vise install opencode`; `vise install opencode --uninstall` removes it.
// It tells vise what a session said beside the work items that it completed, and prompts a
// session that rests with what was said to its agent meanwhile.
const vise = @VISE@
const agent = @AGENT@

async function hook(event: string, payload: unknown): Promise<string> {
  try {
    const child = Bun.spawn([vise, "hook", "opencode", event, "--agent", agent], { stdin: "pipe", stdout: "pipe", stderr: "ignore" })
    child.stdin.write(JSON.stringify(payload))
    child.stdin.end()
    const said = await new Response(child.stdout).text()
    await child.exited
    return said.trim()
  } catch {
    return "" // vise is not there: the session goes on without it.
  }
}

export const VisePlugin = async ({ client }: any) => ({
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
