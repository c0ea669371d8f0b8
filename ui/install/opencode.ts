// Put here by `vise install opencode`; `vise install opencode --uninstall` removes it.
// It tells vise what a session said beside the work items that it completed.
const vise = @VISE@
const agent = @AGENT@

async function hook(event: string, payload: unknown) {
  try {
    const child = Bun.spawn([vise, "hook", "opencode", event, "--agent", agent], { stdin: "pipe", stdout: "ignore", stderr: "ignore" })
    child.stdin.write(JSON.stringify(payload))
    child.stdin.end()
    await child.exited
  } catch {
    // vise is not there: the session goes on without it.
  }
}

export const VisePlugin = async ({ client }: any) => ({
  event: async ({ event }: any) => {
    const sessionID = event.properties?.sessionID ?? event.properties?.info?.id
    if (event.type === "session.idle") {
      const answer = await client.session.messages({ path: { id: sessionID } })
      await hook("session.idle", { sessionID, messages: (answer.data ?? []).slice(-40) })
    } else if (event.type === "session.created" || event.type === "session.error") {
      await hook(event.type, { sessionID })
    }
  },
})
