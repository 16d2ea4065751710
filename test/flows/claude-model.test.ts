import { afterAll, beforeEach, describe, expect } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withoutPrivate } from '../../src/core/privacy.ts'
import { installPackage } from '../../src/platform/packages.ts'
import { AGENT_SDK, openTextModel, type TextModel } from '../../src/providers/text.ts'
import { holdLock } from '../../src/store/lock.ts'
import { claudeClient, clientOrSkip } from '../harness/client.ts'
import { requestText, startFakeAnthropic, type Turn } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { temporaryFolder } from '../support/builders.ts'
import { aPerson } from '../support/person.ts'

const flow = await clientOrSkip()
const PACKAGES = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recollect-test', `agent-sdk-${AGENT_SDK.version}`)
await fetchSdk()

/** The package comes from npm the first time and is then kept, as the client is. */
async function fetchSdk(): Promise<void> {
  mkdirSync(join(PACKAGES, '..'), { recursive: true })
  for (;;) {
    const held = holdLock(`${PACKAGES}.lock`)
    if (!held) {
      await Bun.sleep(200)
      continue
    }
    const trouble = await installPackage(PACKAGES, AGENT_SDK.name, AGENT_SDK.version)
    held.release()
    if (trouble && process.env.CI) throw new Error(trouble)
    if (trouble) console.warn(trouble)
    return
  }
}

const never = new AbortController().signal
const hello = { system: 'Be short.', messages: [{ role: 'user' as const, text: 'Well?' }], maxTokens: 50 }

/** The promises that every text model keeps, kept through the real client and the real package. */
describe('the claude text model', () => {
  const home = temporaryFolder()
  const api = startFakeAnthropic()
  afterAll(async () => {
    await api.close()
    home[Symbol.dispose]()
  })
  beforeEach(() => {
    api.requests.length = 0
    api.play(() => ({ text: 'yes' }))
  })
  const says = (turn: Turn) => api.play(() => turn)

  flow('answers a question without tools, thinking or our settings, and says what it cost and in which session', async () => {
    says({ text: 'Yes, well.', usage: { input_tokens: 900, output_tokens: 7 } })
    const answer = await (await opened()).ask(hello, never)
    expect(answer).toEqual({
      kind: 'answered',
      text: 'Yes, well.',
      usage: { input: 900, output: 7, cached: 0 },
      stop: 'end',
      session: expect.any(String),
    })
    const [request] = api.requests
    expect(api.requests).toHaveLength(1)
    expect(request?.body).toMatchObject({ tools: [], max_tokens: 50, thinking: { type: 'disabled' }, model: 'claude-haiku-4-5' })
    expect(requestText(request)).toContain('Be short.')
  })

  flow('adds no more to a question than it says', async () => {
    const model = await opened()
    await model.ask(hello, never)
    expect(requestText(api.requests[0]).length / 4).toBeLessThan((model.overhead ?? 0) + 20)
  })

  flow('leaves nothing on the disk that a person would find among their sessions', async () => {
    await (await opened()).ask(hello, never)
    const projects = join(home.path, '.claude', 'projects')
    expect(existsSync(projects) ? readdirSync(projects, { recursive: true }) : []).toEqual([])
  })

  flow('tells a conversation in its order', async () => {
    const messages = ['user', 'assistant', 'user'].map((role, n) => ({ role: role as 'user' | 'assistant', text: `word-${n}` }))
    await (await opened()).ask({ ...hello, messages }, never)
    expect(requestText(api.requests[0])).toMatch(/word-0[\s\S]*word-1[\s\S]*word-2/)
  })

  flow('takes private parts out of what it sends', async () => {
    await (await opened()).ask({ ...hello, messages: [{ role: 'user', text: 'a <private>diary</private> end' }] }, never)
    const sent = requestText(api.requests[0])
    expect([sent.includes('diary'), sent.includes('end')]).toEqual([false, true])
  })

  for (const [status, type, reason] of [
    [401, 'authentication_error', 'auth'],
    [402, 'billing_error', 'quota'],
    [429, 'rate_limit_error', 'rate'],
    [529, 'overloaded_error', 'rate'],
    [500, 'api_error', 'network'],
    [404, 'not_found_error', 'bad-answer'],
  ] as const) {
    flow(`status ${status} is a matter of ${reason}, and is not tried again by the client`, async () => {
      says({ error: { status, type, message: 'no such luck' } })
      expect(await (await opened()).ask(hello, never)).toMatchObject({ kind: 'failed', reason })
      expect(api.requests.length).toBeLessThanOrEqual(2)
    })
  }

  flow(
    'one that takes too long is a matter of the network, and one that is stopped stops',
    async () => {
      says({ text: 'late', delayMs: 20_000 })
      expect(await (await opened(1500)).ask(hello, never)).toMatchObject({ kind: 'failed', reason: 'network' })
      const stopping = new AbortController()
      setTimeout(() => stopping.abort(new Error('enough now')), 500)
      await expect((await opened()).ask(hello, stopping.signal)).rejects.toThrow('enough now')
    },
    20_000,
  )

  async function opened(timeoutMs = 30_000): Promise<TextModel> {
    const settings = { provider: 'claude' as const, name: 'claude-haiku-4-5', base_url: '', api_key_file: '' }
    const environment = {
      HOME: home.path,
      CLAUDE_CONFIG_DIR: join(home.path, '.claude'),
      ANTHROPIC_API_KEY: 'sk-ant-made-up-for-offline-tests-0000000000',
      ANTHROPIC_BASE_URL: api.url,
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
      IS_SANDBOX: '1',
    }
    const sdk = { packages: PACKAGES, executable: await claudeClient(), folder: join(home.path, 'thinking'), environment }
    const found = openTextModel(settings, {}, (text) => withoutPrivate(text).text, timeoutMs, sdk)
    if (found.kind === 'absent') throw new Error(found.reason)
    return found.model
  }
})

const TOLD = `<observation><type>discovery</type><title>The tide table counts from the station</title><facts><fact>a.txt holds the offsets</fact></facts>
<narrative>Told by the model.</narrative><files_read><file>a.txt</file></files_read></observation><summary><learned>offsets</learned></summary>`

flow(
  'a turn is told through the person’s own client, and what that does never becomes a memory',
  async () => {
    const api = startFakeAnthropic()
    await using person = await aPerson({
      files: { 'a.txt': 'The offsets of every station, one a line.\n'.repeat(120) },
      env: { RECOLLECT_MODEL_PROVIDER: 'claude', RECOLLECT_MODEL_NAME: 'claude-haiku-4-5', ANTHROPIC_BASE_URL: api.url },
      init: null,
    })
    mkdirSync(join(person.home, '.recollect'), { mode: 0o700 })
    Bun.spawnSync(['cp', '-r', PACKAGES, join(person.home, '.recollect', 'packages')])
    await person.recollect('init', '--yes')
    const turns: Turn[] = [{ tools: [{ name: 'Bash', input: { command: 'cat a.txt' } }] }, 'The table counts from the station.']
    api.play((request) =>
      requestText(request).includes('You keep the memory') ? TOLD : request.lane === 'main' ? turns.shift() : undefined,
    )
    const run = await runClaude({ sandbox: person, api, prompt: 'How does the tide table count?' })
    expect(run.code).toBe(0)
    await person.settled()
    const ours = api.requests.filter((request) => requestText(request).includes('You keep the memory'))
    expect(ours).toHaveLength(1)
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
  90_000,
)
