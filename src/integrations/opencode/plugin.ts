/**
 * The plugin that `init` writes into OpenCode's folder. It runs inside OpenCode, so it only passes on what happens, in Claude Code's form, and never throws. It
 * posts to the worker's socket; if no worker answers in time, it hands the payload to the launcher, which starts a worker or writes to the spool.
 * Every event carries ids of OpenCode, so a payload that arrives both ways is stored once.
 */
export function pluginText({ socket, launcher }: { socket: string; launcher: string }): string {
  return `${PLUGIN_HEAD}
const SOCKET = ${JSON.stringify(socket)}
const LAUNCHER = ${JSON.stringify(launcher)}
${PLUGIN_BODY}`
}

/** Recognises the file as ours. */
export const PLUGIN_HEAD = `// Written by Recollect ('recollect init'). It tells Recollect's worker on this machine what happens, and gives the model what it remembers.
// 'recollect uninstall' removes it. Changes are overwritten by the next 'recollect init'.`

const PLUGIN_BODY = `import { spawn } from 'node:child_process'

// How long OpenCode may wait for an answer.
const DEADLINE_MS = { SessionStart: 1000, PreCompact: 500 }
const DEFAULT_DEADLINE_MS = 200

export const Recollect = async ({ directory }) => {
  const isOff = process.env.RECOLLECT === 'off'
  if (process.env.RECOLLECT_INTERNAL === '1') return {}
  const started = new Set()
  const parents = new Map()
  const answers = new Map()
  const failed = new Set()
  const contexts = new Map()

  const rootOf = (session) => {
    let root = session
    for (let i = 0; parents.has(root) && i < 10; i++) root = parents.get(root)
    return root
  }

  /** The context that the worker answers with; null without one. */
  async function report(event, session, fields) {
    const root = rootOf(session)
    const agent = root === session ? {} : { agent_id: session }
    const body = JSON.stringify({ session_id: root, cwd: directory, hook_event_name: event, ...agent, ...fields })
    const deadline = DEADLINE_MS[event] ?? DEFAULT_DEADLINE_MS
    if (isOff) return launch(event, body, 0)
    try {
      return contextIn(await post(body, deadline))
    } catch {
      return launch(event, body, event === 'SessionStart' ? deadline + 500 : 0)
    }
  }

  async function post(body, deadline) {
    const now = Date.now()
    const context = { projectFolder: directory, clientPid: process.pid, entrypoint: null, workingFolder: directory }
    const headers = {
      'content-type': 'application/json',
      'x-recollect-delivery': crypto.randomUUID(),
      'x-recollect-wait': now + ' ' + (now + deadline),
      'x-recollect-context': encodeURIComponent(JSON.stringify(context)),
    }
    const options = { unix: SOCKET, method: 'POST', body, headers, signal: AbortSignal.timeout(deadline) }
    const response = await fetch('http://worker/hook/opencode', options)
    if (!response.ok) throw new Error('refused')
    return response.text()
  }

  /** The program for the rare cases. It outlives OpenCode, so nothing is lost when OpenCode ends. */
  function launch(event, body, waitMs) {
    return new Promise((resolve) => {
      const child = spawn(LAUNCHER, ['opencode', event], { cwd: directory, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
      let printed = ''
      child.on('error', () => resolve(null))
      child.on('close', () => resolve(contextIn(printed)))
      child.stdout.on('data', (data) => (printed += data))
      child.stdin.on('error', () => {})
      child.stdin.end(body)
      child.unref()
      setTimeout(() => resolve(null), waitMs).unref?.()
    })
  }

  function contextIn(text) {
    try {
      return JSON.parse(text).additionalContext ?? null
    } catch {
      return null
    }
  }

  /** A hook of OpenCode that can fail without OpenCode noticing. */
  const safely = (hook) => async (input, output) => {
    try {
      await hook(input, output)
    } catch {}
  }

  return {
    'chat.message': safely(async (input, output) => {
      const session = input.sessionID
      if (parents.has(session)) return
      const prompt = output.parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : [])).join('\\n')
      const texts = []
      if (!started.has(session)) {
        started.add(session)
        // A conversation that goes on in another process has lost what was added to it, so it gets a whole brief again.
        texts.push(await report('SessionStart', session, { source: 'startup' }))
      }
      texts.push(await report('UserPromptSubmit', session, { prompt, prompt_id: output.message.id }))
      contexts.set(output.message.id, texts.filter(Boolean))
    }),
    // Added to the messages of each request, and neither stored with the message nor put into the system prompt: the request for a title would pay for it.
    'experimental.chat.messages.transform': safely(async (input, output) => {
      for (const { info, parts } of output.messages) {
        for (const [i, text] of (contexts.get(info.id) ?? []).entries()) {
          const id = 'prt_recollect' + i + info.id
          parts.push({ id, sessionID: info.sessionID, messageID: info.id, type: 'text', text, synthetic: true })
        }
      }
    }),
    'tool.execute.after': safely(async (input, output) => {
      const fields = { tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args }
      const { exit, diff } = output.metadata ?? {}
      const response = { output: output.output, content: output.content, metadata: { exit, diff } }
      const text = await report('PostToolUse', input.sessionID, { ...fields, tool_response: response })
      if (text && typeof output.output === 'string') output.output += '\\n\\n' + text
    }),
    'experimental.text.complete': safely(async (input, output) => {
      if (output.text.trim()) answers.set(input.sessionID, output.text)
    }),
    'experimental.session.compacting': safely(async (input, output) => {
      await report('PreCompact', input.sessionID, {})
      const text = await report('SessionStart', input.sessionID, { source: 'compact' })
      if (text) output.context.push(text)
    }),
    event: safely(async ({ event }) => {
      const { type, properties } = event
      if (type === 'session.created' && properties.info.parentID) {
        parents.set(properties.info.id, properties.info.parentID)
      }
      if (type === 'session.idle') {
        const answer = answers.get(properties.sessionID) ?? ''
        answers.delete(properties.sessionID)
        const name = parents.has(properties.sessionID) ? 'SubagentStop' : 'Stop'
        await report(name, properties.sessionID, { last_assistant_message: answer, agent_type: name === 'Stop' ? undefined : 'subagent' })
      }
      if (type === 'message.part.updated') await reportFailure(properties.part)
    }),
  }

  /** A tool that fails has no other event. */
  async function reportFailure(part) {
    if (part?.type !== 'tool' || part.state?.status !== 'error' || failed.has(part.callID)) return
    failed.add(part.callID)
    const fields = { tool_name: part.tool, tool_use_id: part.callID, tool_input: part.state.input, error: String(part.state.error ?? 'failed') }
    await report('PostToolUseFailure', part.sessionID, fields)
  }
}
`
