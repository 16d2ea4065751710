import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { installPackage } from '../../src/platform/packages.ts'
import { AGENT_SDK, openTextModel, type TextModel } from '../../src/providers/text.ts'
import { holdLock } from '../../src/store/lock.ts'
import { claudeClient, clientOrSkip } from '../harness/client.ts'
import { type ModelRequest, requestText, startFakeAnthropic, type Turn } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { temporaryFolder } from '../support/builders.ts'
import type { ScriptedReply } from '../support/model-server.ts'
import { aPerson } from '../support/person.ts'
import { clean, hello, never, testTextModelContract } from '../support/text-model.ts'

const flow = await clientOrSkip()
const executable = flow === test ? await claudeClient() : ''
const PACKAGES = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recollect-test', `agent-sdk-${AGENT_SDK.version}`)
await fetchSdk()

/** Downloads the package from npm the first time, like the client. */
async function fetchSdk(): Promise<void> {
  mkdirSync(join(PACKAGES, '..'), { recursive: true })
  for (;;) {
    const lock = holdLock(`${PACKAGES}.lock`)
    if (!lock) {
      await Bun.sleep(200)
      continue
    }
    const problem = await installPackage(PACKAGES, AGENT_SDK.name, AGENT_SDK.version)
    lock.release()
    if (problem && process.env.CI) throw new Error(problem)
    if (problem) console.warn(problem)
    return
  }
}

const TOKEN = 'sk-ant-oat01-made-up-for-offline-tests-0000000000'
const MODEL = 'claude-haiku-4-5'
const home = temporaryFolder()
const api = startFakeAnthropic()
afterAll(async () => {
  await api.close()
  home[Symbol.dispose]()
})

/** The contract of text models, through the real client with a login, and the real package. */
testTextModelContract({
  name: 'claude',
  model: MODEL,
  test: flow,
  failing: flow === test ? test.failing : flow,
  key: TOKEN,
  open: openClaudeModel,
  setReply: (next) => api.play((request) => refusal(request) ?? turnFor(next)),
  requests: () => api.requests.map((request) => ({ text: requestText(request), maxTokens: request.body.max_tokens })),
  clearRequests: () => void api.requests.splice(0),
  path: '/v1/messages',
  truncatedAnswer: 'event: message_start\ndata: {"type":',
  requestSentWithinMs: 2000,
  knownFailures: {
    ...Object.fromEntries(
      ['in seconds', 'with a date', 'in milliseconds', 'with far too many seconds'].map((how) => [
        `a retry time given ${how} is respected, up to an hour`,
        'the client does not report it, except when the limit of a login ends',
      ]),
    ),
    ...Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [
        `a redirect with ${status} is not followed`,
        'the client follows them, as it does in the person’s own sessions',
      ]),
    ),
    'status 429 with insufficient_quota is reported as quota': 'the client reports the status of an error but not its type',
    'after an endpoint hangs up, the usage is unknown': 'the client does not distinguish it from an unreachable one',
    'an error in the body of a 200 is reported by its own code': 'the client finds no message in it and gives no details',
  },
})

const refusal = ({ headers }: ModelRequest): Turn | null =>
  headers.get('authorization') === `Bearer ${TOKEN}`
    ? null
    : { error: { status: 401, type: 'authentication_error', message: `invalid bearer token ${headers.get('authorization')}` } }

function turnFor(reply: ScriptedReply): Turn {
  if ('response' in reply) return reply
  if ('status' in reply) return { error: reply }
  const { text, stop, inPieces, usage: { input, output, cached } = { input: 100, output: 20, cached: 0 } } = reply
  const usage = { input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached }
  return { text, usage, ...(stop === 'length' ? { stop: 'max_tokens' } : {}), ...(inPieces ? { inPieces } : {}) }
}

describe('the person’s own client', () => {
  beforeEach(() => {
    api.requests.splice(0)
    api.play(() => ({ text: 'yes' }))
  })

  flow('runs without tools, thinking or settings, and reports the session and the model that answered', async () => {
    expect(await openClaudeModel().ask(hello, never)).toMatchObject({ session: expect.any(String), by: MODEL })
    expect(api.requests[0]?.body).toMatchObject({ tools: [], thinking: { type: 'disabled' }, model: MODEL })
  })

  flow('keeps thinking short for a model that always thinks, and reports which model a short name means', async () => {
    const answer = await openClaudeModel({ name: 'haiku' }).ask(hello, never)
    expect(answer).toMatchObject({ kind: 'answered', by: expect.stringMatching(/^claude-haiku-/) })
    expect(api.requests[0]?.body).toMatchObject({ output_config: { effort: 'low' } })
  })

  flow('starts a new session for every request, with nothing from earlier ones', async () => {
    const model = openClaudeModel()
    const sessions: unknown[] = []
    for (const text of ['the first question', 'the second question']) {
      const answer = await model.ask({ ...hello, messages: [{ role: 'user', text }] }, never)
      sessions.push(answer.kind === 'answered' && answer.session)
    }
    expect(new Set(sessions).size).toBe(2)
    expect(requestText(api.requests[1])).toContain('the second question')
    expect(requestText(api.requests[1])).not.toContain('the first question')
  })

  flow('leaves no session files on disk', async () => {
    await openClaudeModel().ask(hello, never)
    const projects = join(home.path, '.claude', 'projects')
    expect(existsSync(projects) ? readdirSync(projects, { recursive: true }) : []).toEqual([])
  })

  flow('uses the login, whatever keys are in the environment', async () => {
    using _ = withKeysInEnvironment()
    expect((await openClaudeModel().ask(hello, never)).kind).toBe('answered')
    expect(api.requests.map(({ headers }) => [headers.get('authorization'), headers.get('x-api-key')])).toEqual([[`Bearer ${TOKEN}`, null]])
  })

  flow('does not use a key without a login, and says where a key belongs', async () => {
    using _ = withKeysInEnvironment()
    const answer = await openClaudeModel({ key: '' }).ask(hello, never)
    expect(answer).toMatchObject({ kind: 'failed', reason: 'auth', message: expect.stringMatching(/login.*model\.provider = "anthropic"/) })
    expect(api.requests).toEqual([])
  })

  flow('reports when the limit of a login ends, up to an hour ahead', async () => {
    for (const [seconds, ms] of [
      [900, 900_000],
      [18_000, 3_600_000],
    ] as const) {
      const headers = {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'anthropic-ratelimit-unified-reset': String(Math.floor(Date.now() / 1000) + seconds),
      }
      api.play(() => ({ error: { status: 429, type: 'rate_limit_error', message: 'slower', headers } }))
      const answer = await openClaudeModel().ask(hello, never)
      expect(answer).toMatchObject({ kind: 'failed', reason: 'rate' })
      expect(Math.abs((answer.kind === 'failed' ? (answer.retryAfterMs ?? 0) : 0) - ms)).toBeLessThan(20_000)
    }
  })
})

/** Puts API keys into the environment of this process, as a worker may have them. */
function withKeysInEnvironment() {
  const keys = { ANTHROPIC_API_KEY: 'sk-ant-api03-made-up', ANTHROPIC_AUTH_TOKEN: 'made-up-too' }
  const before = Object.keys(keys).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, keys)
  return {
    [Symbol.dispose]: () => {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    },
  }
}

type OpenOptions = { url?: string; key?: string; timeoutMs?: number; name?: string }

function openClaudeModel({ url = api.url, key = TOKEN, timeoutMs = 20_000, name = MODEL }: OpenOptions = {}): TextModel {
  const settings = { provider: 'claude' as const, name, base_url: '', api_key_file: '' }
  const environment = {
    HOME: home.path,
    CLAUDE_CONFIG_DIR: join(home.path, '.claude'),
    ...(key ? { CLAUDE_CODE_OAUTH_TOKEN: key } : {}),
    ANTHROPIC_BASE_URL: url,
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    IS_SANDBOX: '1',
  }
  const sdk = { packages: PACKAGES, executable, folder: join(home.path, 'thinking'), environment }
  const found = openTextModel(settings, {}, clean, timeoutMs, sdk)
  if (found.kind === 'absent') throw new Error(found.reason)
  return found.model
}

const DISTILLED = `<observation><type>discovery</type><title>The tide table counts from the station</title><facts><fact>a.txt holds the offsets</fact></facts>
<narrative>Distilled by the model.</narrative><files_read><file>a.txt</file></files_read></observation><summary><learned>offsets</learned></summary>`

flow(
  'a turn is distilled through the person’s own client, and that session never becomes a memory',
  async () => {
    const api = startFakeAnthropic()
    await using person = await aPerson({
      files: { 'a.txt': 'The offsets of every station, one a line.\n'.repeat(120) },
      env: {
        RECOLLECT_MODEL_PROVIDER: 'claude',
        RECOLLECT_MODEL_NAME: 'claude-haiku-4-5',
        ANTHROPIC_BASE_URL: api.url,
        CLAUDE_CODE_OAUTH_TOKEN: TOKEN,
      },
      init: null,
    })
    mkdirSync(join(person.home, '.recollect'), { mode: 0o700 })
    Bun.spawnSync(['cp', '-r', PACKAGES, join(person.home, '.recollect', 'packages')])
    await person.recollect('init', '--yes')
    const turns: Turn[] = [{ tools: [{ name: 'Bash', input: { command: 'cat a.txt' } }] }, 'The table counts from the station.']
    api.play((request) =>
      requestText(request).includes('You keep the memory') ? DISTILLED : request.lane === 'main' ? turns.shift() : undefined,
    )
    const run = await runClaude({ sandbox: person, api, prompt: 'How does the tide table count?' })
    expect(run.code).toBe(0)
    await person.settled()
    const ours = api.requests.filter((request) => requestText(request).includes('You keep the memory'))
    expect(ours.map(({ headers }) => [headers.get('authorization'), headers.get('x-api-key')])).toEqual([[`Bearer ${TOKEN}`, null]])
    const observations = await person.rows('observations')
    expect(observations.map(({ title, model }) => ({ title, model }))).toEqual([
      { title: 'The tide table counts from the station', model: 'claude-haiku-4-5' },
    ])
    expect(await person.rows('sessions')).toHaveLength(1)
    expect(await person.rows('prompts')).toHaveLength(1)
    expect(
      readdirSync(join(person.home, '.claude', 'projects')).filter(
        (name) => name.includes('recollect-thinking') || name.includes('-thinking'),
      ),
    ).toEqual([])
    expect(await person.recollect('status', '--cost')).toContain('claude-haiku-4-5')
    await api.close()
  },
  300_000,
)
