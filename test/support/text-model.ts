import { beforeEach, describe, expect, type test } from 'bun:test'
import { createServer } from 'node:net'
import { withoutPrivate } from '../../src/core/privacy.ts'
import { redact } from '../../src/core/secrets.ts'
import { countTokens } from '../../src/core/tokens.ts'
import type { ModelAnswer, TextModel } from '../../src/providers/text.ts'
import type { ScriptedReply } from './model-server.ts'
import { closedPort } from './ports.ts'

/** A text model and its scripted endpoint. */
export type TextModelUnderTest = {
  name: string
  /** Its name in the settings. */
  model: string
  /** Bun's `test`, or one that skips if something is missing that the model needs. */
  test: typeof test | ReturnType<typeof test.skipIf>
  failing: typeof test.failing | ReturnType<typeof test.skipIf>
  key: string
  open(given?: { url?: string; key?: string; timeoutMs?: number }): TextModel | Promise<TextModel>
  setReply(next: ScriptedReply): void
  /** The requests since the last `clearRequests`: the whole text, and the limit for the answer. */
  requests(): { text: string; maxTokens: number }[]
  clearRequests(): void
  /** The API path at the endpoint. */
  path: string
  /** The start of an answer that breaks off. */
  truncatedAnswer: string
  /** Long enough for a request to have been sent. */
  requestSentWithinMs: number
  /** Contract tests that this model cannot pass, by name, with the reason. They run anyway: one that passes after all is reported. */
  knownFailures: Record<string, string>
}

export const never = new AbortController().signal
export const clean = (text: string) => redact(withoutPrivate(text).text)
const costsNothing = ({ usage }: ModelAnswer) => usage === undefined || (usage !== 'unknown' && usage.input + usage.output === 0)
export const hello = { system: 'Be short.', messages: [{ role: 'user' as const, text: 'Well?' }], maxTokens: 50 }

/** The contract of a text model, which every implementation must fulfil. */
export function testTextModelContract(subject: TextModelUnderTest): void {
  const { setReply, requests } = subject
  const ask = async (model?: TextModel | Promise<TextModel>): Promise<ModelAnswer> => (await (model ?? subject.open())).ask(hello, never)
  const failureOf = async (model?: TextModel | Promise<TextModel>) => {
    const answer = await ask(model)
    if (answer.kind === 'answered') throw new Error(`the request did not fail; the answer was: ${answer.text}`)
    expect(answer.message).not.toContain(subject.key)
    return answer
  }
  const untested = new Set(Object.keys(subject.knownFailures))
  const contractTest = (sentence: string, body: () => Promise<void>) => {
    const why = subject.knownFailures[sentence]
    untested.delete(sentence)
    if (why === undefined) subject.test(sentence, body, 30_000)
    else subject.failing(`${sentence} (known to fail: ${why})`, body, 30_000)
  }

  describe(`the ${subject.name} text model`, () => {
    beforeEach(() => {
      subject.clearRequests()
      setReply({ text: 'yes' })
    })

    contractTest('answers a request and reports the usage', async () => {
      setReply({ text: 'Yes, well.', usage: { input: 900, output: 7, cached: 400 } })
      expect(await ask()).toMatchObject({
        kind: 'answered',
        text: 'Yes, well.',
        usage: { input: 900, output: 7, cached: 400 },
        stop: 'end',
      })
      expect(requests()).toEqual([{ text: expect.stringMatching(/Be short\.[\s\S]*Well\?/), maxTokens: 50 }])
    })

    contractTest('adds no more tokens to a request than its declared overhead', async () => {
      const model = await subject.open()
      await ask(model)
      const own = countTokens([hello.system, ...hello.messages.map(({ text }) => text)].join('\n'))
      expect(countTokens(requests()[0]?.text ?? '')).toBeLessThanOrEqual(own + (model.overhead ?? 0))
    })

    contractTest('reads an answer that arrives in chunks', async () => {
      const text = 'Déjà vu: 日本 and a 🦊, in pieces.'
      setReply({ text, inPieces: true })
      expect(await ask()).toMatchObject({ kind: 'answered', text })
    })

    contractTest('sends a conversation in its order', async () => {
      const messages = ['user', 'assistant', 'user'].map((role, n) => ({ role: role as 'user' | 'assistant', text: `word-${n}` }))
      await (await subject.open()).ask({ ...hello, messages }, never)
      expect(requests()[0]?.text).toMatch(/word-0[\s\S]*word-1[\s\S]*word-2/)
    })

    contractTest('reports that an answer was cut off, and does not ask for the rest', async () => {
      setReply({ text: 'Yes, we', stop: 'length', usage: { input: 900, output: 50, cached: 0 } })
      expect(await ask()).toMatchObject({
        kind: 'answered',
        text: 'Yes, we',
        stop: 'length',
        usage: { input: 900, output: 50, cached: 0 },
      })
      expect(requests()).toHaveLength(1)
    })

    contractTest('an empty answer is a bad answer: it is not requested again, and its usage counts', async () => {
      const usage = { input: 900, output: 7, cached: 400 }
      setReply({ text: '', usage })
      expect(await failureOf()).toMatchObject({ reason: 'bad-answer', usage })
      expect(requests()).toHaveLength(1)
    })

    contractTest('sends neither secrets nor private parts', async () => {
      const secret = `ghp_${'a1B2'.repeat(9)}`
      const messages = [{ role: 'user' as const, text: `token ${secret} <private>my diary</private> end` }]
      await (await subject.open()).ask({ ...hello, system: `with ${secret}`, messages }, never)
      const sent = requests()[0]?.text ?? ''
      expect([sent.includes(secret), sent.includes('diary'), sent.includes('end')]).toEqual([false, false, true])
    })

    for (const [status, type, reason] of [
      [401, 'authentication_error', 'auth'],
      [403, 'permission_error', 'auth'],
      [402, 'billing_error', 'quota'],
      [429, 'insufficient_quota', 'quota'],
      [429, 'rate_limit_error', 'rate'],
      [529, 'overloaded_error', 'rate'],
      [500, 'api_error', 'network'],
      [503, 'server_error', 'network'],
      [404, 'not_found_error', 'bad-answer'],
      [400, 'invalid_request_error', 'bad-answer'],
    ] as const) {
      contractTest(`status ${status} with ${type} is reported as ${reason}`, async () => {
        setReply({ status, type, message: 'no such luck' })
        const answer = await failureOf()
        expect([answer.reason, answer.message.includes(String(status)), costsNothing(answer)]).toEqual([reason, true, true])
        // A client may retry once, but not more.
        expect(requests().length).toBeLessThanOrEqual(2)
      })
    }

    contractTest('passes on the reason from the endpoint', async () => {
      setReply({ status: 503, type: 'server_error', message: 'no such luck' })
      expect((await failureOf()).message).toContain('no such luck')
    })

    contractTest('an empty account is reported as quota', async () => {
      setReply({ status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' })
      expect((await failureOf()).reason).toBe('quota')
    })

    for (const [how, headers, ms] of [
      ['in seconds', { 'retry-after': '7' }, 7000],
      ['with a date', { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }, 90_000],
      ['in milliseconds', { 'retry-after-ms': '250' }, 250],
      ['with far too many seconds', { 'retry-after': '999999' }, 3_600_000],
      ['with a word', { 'retry-after': 'soon' }, null],
      ['not at all', {}, null],
    ] as [string, Record<string, string>, number | null][]) {
      contractTest(`a retry time given ${how} is ${ms === null ? 'ignored' : 'respected, up to an hour'}`, async () => {
        setReply({ status: 429, type: 'rate_limit_error', message: 'slower', headers })
        const { retryAfterMs } = await failureOf()
        if (ms === null) expect(retryAfterMs).toBeNull()
        // The date was computed before the test started, and a client takes its time.
        else expect(Math.abs((retryAfterMs ?? Number.NaN) - ms)).toBeLessThan(ms === 90_000 ? 60_000 : 200)
      })
    }

    contractTest('a wrong key is reported as auth, and the message does not contain it even if the endpoint repeats it', async () => {
      const wrong = 'sk-wrong-key-of-a-person-0123456789'
      const answer = await failureOf(subject.open({ key: wrong }))
      expect([answer.reason, answer.message.includes(wrong)]).toEqual(['auth', false])
    })

    for (const [what, response] of [
      ['a page', () => new Response('<html>Welcome</html>', { headers: { 'content-type': 'text/html' } })],
      ['nothing', () => new Response('')],
      ['a bare word', () => Response.json('yes')],
      ['null', () => Response.json(null)],
      ['half a message', () => Response.json({ content: [], choices: [] })],
      ['a message without words', () => Response.json({ content: [{ type: 'image' }], choices: [{ message: { content: null } }] })],
      ['ten megabytes', () => new Response('x'.repeat(10 * 1024 * 1024))],
    ] as const) {
      contractTest(`${what} instead of an answer is a bad answer`, async () => {
        setReply({ response })
        expect((await failureOf()).reason).toBe('bad-answer')
        expect(requests()).toHaveLength(1)
      })
    }

    contractTest('an error in the body of a 200 is reported by its own code', async () => {
      setReply({ response: () => Response.json({ error: { code: 429, message: 'slower' } }) })
      expect((await failureOf()).reason).toBe('rate')
    })

    for (const status of [301, 302, 303, 307, 308])
      contractTest(`a redirect with ${status} is not followed`, async () => {
        let followed = 0
        await using elsewhere = Bun.serve({
          hostname: '127.0.0.1',
          port: 0,
          fetch: () => {
            followed++
            return Response.json({})
          },
        })
        setReply({ response: () => Response.redirect(`http://127.0.0.1:${elsewhere.port}${subject.path}`, status) })
        expect([(await failureOf()).reason, followed]).toEqual(['network', 0])
      })

    contractTest('an endpoint that takes too long is reported as network', async () => {
      setReply({ response: () => new Promise(() => {}) })
      const answer = await failureOf(subject.open({ timeoutMs: subject.requestSentWithinMs }))
      expect(answer).toMatchObject({ reason: 'network', message: expect.stringContaining('too long'), usage: 'unknown' })
    })

    contractTest('an unreachable endpoint is reported as network', async () => {
      const answer = await failureOf(subject.open({ url: `http://127.0.0.1:${closedPort()}` }))
      expect([answer.reason, costsNothing(answer)]).toEqual(['network', true])
    })

    contractTest('after an endpoint hangs up, the usage is unknown', async () => {
      await using hung = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end()))
      await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve))
      const { port } = hung.address() as { port: number }
      expect((await failureOf(subject.open({ url: `http://127.0.0.1:${port}` }))).usage).toBe('unknown')
    })

    for (const [when, bytes] of [
      ['before the announced length', `HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n${subject.truncatedAnswer}`],
      ['in the middle of a chunk', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfff\r\n${subject.truncatedAnswer}`],
      ['before it answers', ''],
    ] as const) {
      contractTest(`an endpoint that hangs up ${when} is reported as network`, async () => {
        const hung = createServer((socket) => {
          socket.on('error', () => {})
          socket.once('data', () => socket.end(bytes))
        })
        await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve))
        const { port } = hung.address() as { port: number }
        try {
          expect((await failureOf(subject.open({ url: `http://127.0.0.1:${port}` }))).reason).toBe('network')
        } finally {
          hung.close()
        }
      })
    }

    contractTest('stops when the signal is aborted', async () => {
      const model = await subject.open()
      await expect(model.ask(hello, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
      const stopping = new AbortController()
      setReply({ response: () => new Promise(() => {}) })
      setTimeout(() => stopping.abort(new Error('enough now')), subject.requestSentWithinMs)
      await expect(model.ask(hello, stopping.signal)).rejects.toThrow('enough now')
    })

    contractTest('has the name of the model, for the notes that it writes', async () => {
      expect((await subject.open()).name).toBe(subject.model)
    })

    if (untested.size > 0) throw new Error(`knownFailures names unknown tests: ${[...untested].join('; ')}`)
  })
}
