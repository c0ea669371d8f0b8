// Put here by `vise install opencode`; `vise install opencode --uninstall` removes it.
// It tells vise what a session said beside the work items that it completes, when it completes them
// and when its turn has ended, and which permissions it asks for, tells a session at each prompt what work it has and after each tool what was said to its agent, and prompts
// one that comes to rest, or rests, with what was said meanwhile.
const vise = @VISE@
const flags = @FLAGS@

async function hook(event: string, payload: unknown): Promise<string> {
  try {
    const child = Bun.spawn([vise, "hook", "opencode", event, ...flags], { stdin: "pipe", stdout: "pipe", stderr: "pipe" })
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

// maxSent bounds what is sent of a session, in characters of at most three bytes; vise takes 4 MiB.
const maxSent = 1_000_000
const told = new Map() // the last message of each session that was sent

const completes = (part: any) => part.type === "tool" && part.tool === "vise_CompleteWorkItem"

// spoken is a message without the answers of other tools; of a prompt nothing but its place is read.
const spoken = ({ info, parts }: any) => ({
  info: { id: info.id, role: info.role },
  parts: info.role === "assistant" ? parts.filter((part: any) => part.type === "text" || completes(part)) : [],
})

// unsent is what vise needs of the messages that it was not sent yet: those that complete something, and
// those with which turns end.
function unsent(sessionID: string, messages: any) {
  const first = messages.findIndex((m: any) => m.info.id === told.get(sessionID)) + 1
  const out = []
  for (let i = messages.length - 1, size = 0; i >= first; i--) {
    const m = spoken(messages[i])
    const ends = messages[i + 1]?.info.role !== "assistant"
    if (m.info.role === "assistant" && !ends && !m.parts.some(completes)) continue
    size += JSON.stringify(m).length
    if (size > maxSent) break
    out.unshift(m)
  }
  told.set(sessionID, messages.at(-1)?.info.id)
  return out
}

// used is what the replies that were not sent yet took, each once: the ids of messages ascend.
const used = (sessionID: string, messages: any) => messages.map((m: any) => m.info)
  .filter((x: any) => x.role === "assistant" && x.tokens && x.id > (told.get(sessionID) ?? ""))
  .map(({ id, time, tokens: { input, output, reasoning, cache } }: any) =>
    ({ id, at: time.created, input: input + cache.read + cache.write, output: output + reasoning }))

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

const asked = new Map() // what is asked for, by its id

// asks tells vise of a prompt, and gives OpenCode the answer if one is given here.
async function asks(client: any, { id, sessionID, permission, patterns, metadata, always }: any) {
  const input = typeof metadata?.command === "string" ? { command: metadata.command } : { patterns, ...metadata }
  asked.set(id, { sessionID, tool_name: permission, tool_input: input })
  const response = await hook("PermissionRequest", { ...asked.get(id), permission_suggestions: always })
  if (response) await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response } })
}

export const VisePlugin = async ({ client, directory }: any) => ({
  "chat.message": async ({ sessionID }: any, message: any) => {
    const prompt = (message?.parts ?? []).map((part: any) => part.text ?? "").join("\n")
    contexts.set(sessionID, await hook("chat.message", { sessionID, prompt }))
  },
  "experimental.chat.system.transform": async ({ sessionID }: any, output: any) => {
    const context = contexts.get(sessionID)
    if (output.system[0]?.startsWith("You are a title generator")) return // it has no work to do
    if (context) output.system.push(context)
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args }: any, output: any) => {
    if (tool === "vise_CompleteWorkItem" || tool === "vise_PickWorkItem") { // the program may be gone before the turn's end
      const answer = await client.session.messages({ path: { id: sessionID }, query: { limit: 4 } })
      const beside = (answer.data ?? []).filter((m: any) => m.parts.some((part: any) => part.callID === callID))
      await hook("tool.execute.after", { sessionID, tool_name: tool, tool_use_id: callID, tool_input: args,
        tool_response: output, messages: beside.map(spoken) })
    }
    if (tool.startsWith("vise_") || children.has(sessionID) || typeof output?.output !== "string") return
    const said = await hook("tool.execute.after", { sessionID, tool_name: tool, tool_use_id: callID, cwd: directory, // which files it changed
      tool_input: { filePath: args?.filePath, patchText: args?.patchText, command: args?.command, workdir: args?.workdir },
      tool_response: { exit_code: output.metadata?.exit } }) // and how a command ended
    if (said) output.output += "\n\n" + said
  },
  event: async ({ event }: any) => {
    const sessionID = event.properties?.sessionID ?? event.properties?.info?.id
    if (event.type === "session.idle") {
      const answer = await client.session.messages({ path: { id: sessionID } })
      const agent_id = children.has(sessionID) ? sessionID : ""
      const all = answer.data ?? []
      const said = await hook("session.idle", { sessionID, agent_id, used: used(sessionID, all), messages: unsent(sessionID, all) })
      if (said) await prompt(client, sessionID, said)
      else if (!agent_id) rests(client, sessionID)
    } else if (event.type === "permission.asked") {
      asks(client, event.properties).catch(() => {}) // OpenCode asks itself
    } else if (event.type === "permission.replied") {
      await hook(event.type, asked.get(event.properties.requestID) ?? { sessionID })
      asked.delete(event.properties.requestID)
    } else if (event.type === "session.created" || event.type === "session.error") {
      if (event.properties?.info?.parentID) children.add(sessionID)
      await hook(event.type, { sessionID })
    }
  },
})
