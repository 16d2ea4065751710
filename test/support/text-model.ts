import { beforeEach, describe, expect, type test } from 'bun:test'
import { createServer } from 'node:net'
import { withoutPrivate } from '../../src/core/privacy.ts'
import { redact } from '../../src/core/secrets.ts'
import { countTokens } from '../../src/core/tokens.ts'
import type { ModelAnswer, TextModel } from '../../src/providers/text.ts'
import type { Says } from './model-server.ts'
import { closedPort } from './ports.ts'

/** A text model and the endpoint that it asks, which says what it is told to. */
export type Tenant = {
  name: string
  /** What it is called in the settings. */
  model: string
  /** Those of bun; or, where what it needs is not at hand, one that skips. */
  test: typeof test | ReturnType<typeof test.skipIf>
  failing: typeof test.failing | ReturnType<typeof test.skipIf>
  key: string
  open(given?: { url?: string; key?: string; timeoutMs?: number }): TextModel | Promise<TextModel>
  says(next: Says): void
  /** What was asked since it was last forgotten: all the text of a question, and the longest answer to it. */
  asked(): { text: string; maxTokens: number }[]
  forget(): void
  /** Where the endpoint is asked, behind its address. */
  path: string
  /** How an answer begins. */
  half: string
  /** Long enough for a question to have left. */
  leavesWithinMs: number
  /** The promises that it cannot keep, by their sentence, and why. They are tried nevertheless: one that is kept after all is to be told. */
  cannot: Record<string, string>
}

export const never = new AbortController().signal
export const clean = (text: string) => redact(withoutPrivate(text).text)
const costsNothing = ({ usage }: ModelAnswer) => usage === undefined || (usage !== 'unknown' && usage.input + usage.output === 0)
export const hello = { system: 'Be short.', messages: [{ role: 'user' as const, text: 'Well?' }], maxTokens: 50 }

/** The promises of the seam: every text model keeps these, whatever it speaks. */
export function keepsThePromises(tenant: Tenant): void {
  const { says, asked } = tenant
  const ask = async (model?: TextModel | Promise<TextModel>): Promise<ModelAnswer> => (await (model ?? tenant.open())).ask(hello, never)
  const trouble = async (model?: TextModel | Promise<TextModel>) => {
    const answer = await ask(model)
    if (answer.kind === 'answered') throw new Error(`there was no trouble, but ${answer.text}`)
    expect(answer.message).not.toContain(tenant.key)
    return answer
  }
  const left = new Set(Object.keys(tenant.cannot))
  const promise = (sentence: string, body: () => Promise<void>) => {
    const why = tenant.cannot[sentence]
    left.delete(sentence)
    if (why === undefined) tenant.test(sentence, body, 30_000)
    else tenant.failing(`${sentence}: not this one, because ${why}`, body, 30_000)
  }

  describe(`the ${tenant.name} text model`, () => {
    beforeEach(() => {
      tenant.forget()
      says({ text: 'yes' })
    })

    promise('answers a question, and says what it cost', async () => {
      says({ text: 'Yes, well.', usage: { input: 900, output: 7, cached: 400 } })
      expect(await ask()).toMatchObject({
        kind: 'answered',
        text: 'Yes, well.',
        usage: { input: 900, output: 7, cached: 400 },
        stop: 'end',
      })
      expect(asked()).toEqual([{ text: expect.stringMatching(/Be short\.[\s\S]*Well\?/), maxTokens: 50 }])
    })

    promise('adds no more to a question than it says', async () => {
      const model = await tenant.open()
      await ask(model)
      const own = countTokens([hello.system, ...hello.messages.map(({ text }) => text)].join('\n'))
      expect(countTokens(asked()[0]?.text ?? '')).toBeLessThanOrEqual(own + (model.overhead ?? 0))
    })

    promise('reads an answer that comes in pieces', async () => {
      const text = 'Déjà vu: 日本 and a 🦊, in pieces.'
      says({ text, inPieces: true })
      expect(await ask()).toMatchObject({ kind: 'answered', text })
    })

    promise('tells a conversation in its order', async () => {
      const messages = ['user', 'assistant', 'user'].map((role, n) => ({ role: role as 'user' | 'assistant', text: `word-${n}` }))
      await (await tenant.open()).ask({ ...hello, messages }, never)
      expect(asked()[0]?.text).toMatch(/word-0[\s\S]*word-1[\s\S]*word-2/)
    })

    promise('says when the answer was cut, and does not ask for the rest of it', async () => {
      says({ text: 'Yes, we', stop: 'length', usage: { input: 900, output: 50, cached: 0 } })
      expect(await ask()).toMatchObject({
        kind: 'answered',
        text: 'Yes, we',
        stop: 'length',
        usage: { input: 900, output: 50, cached: 0 },
      })
      expect(asked()).toHaveLength(1)
    })

    promise('an answer without words is bad, is not asked for again, and is paid for', async () => {
      const usage = { input: 900, output: 7, cached: 400 }
      says({ text: '', usage })
      expect(await trouble()).toMatchObject({ reason: 'bad-answer', usage })
      expect(asked()).toHaveLength(1)
    })

    promise('sends neither secrets nor private parts', async () => {
      const secret = `ghp_${'a1B2'.repeat(9)}`
      const messages = [{ role: 'user' as const, text: `token ${secret} <private>my diary</private> end` }]
      await (await tenant.open()).ask({ ...hello, system: `with ${secret}`, messages }, never)
      const sent = asked()[0]?.text ?? ''
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
      promise(`status ${status} with ${type} is a matter of ${reason}`, async () => {
        says({ status, type, message: 'no such luck' })
        const answer = await trouble()
        expect([answer.reason, answer.message.includes(String(status)), costsNothing(answer)]).toEqual([reason, true, true])
        // A client may look twice at what it takes for a slip of its own; it does not insist.
        expect(asked().length).toBeLessThanOrEqual(2)
      })
    }

    promise('gives the reason that the endpoint gives', async () => {
      says({ status: 503, type: 'server_error', message: 'no such luck' })
      expect((await trouble()).message).toContain('no such luck')
    })

    promise('an empty account is a matter of quota, however it is said', async () => {
      says({ status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' })
      expect((await trouble()).reason).toBe('quota')
    })

    for (const [how, headers, ms] of [
      ['in seconds', { 'retry-after': '7' }, 7000],
      ['with a date', { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }, 90_000],
      ['in milliseconds', { 'retry-after-ms': '250' }, 250],
      ['with far too many seconds', { 'retry-after': '999999' }, 3_600_000],
      ['with a word', { 'retry-after': 'soon' }, null],
      ['not at all', {}, null],
    ] as [string, Record<string, string>, number | null][]) {
      promise(
        `an endpoint that says ${how} when to ask again is ${ms === null ? 'not understood' : 'believed, up to an hour'}`,
        async () => {
          says({ status: 429, type: 'rate_limit_error', message: 'slower', headers })
          const { retryAfterMs } = await trouble()
          if (ms === null) expect(retryAfterMs).toBeNull()
          // The date was written down before the test began, and a client takes its time.
          else expect(Math.abs((retryAfterMs ?? Number.NaN) - ms)).toBeLessThan(ms === 90_000 ? 60_000 : 200)
        },
      )
    }

    promise('a wrong key is a matter of auth, and is in no message even when the endpoint repeats it', async () => {
      const wrong = 'sk-wrong-key-of-a-person-0123456789'
      const answer = await trouble(tenant.open({ key: wrong }))
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
      promise(`${what} instead of an answer is bad`, async () => {
        says({ response })
        expect((await trouble()).reason).toBe('bad-answer')
        expect(asked()).toHaveLength(1)
      })
    }

    promise('an error inside a 200 is an error of its own kind', async () => {
      says({ response: () => Response.json({ error: { code: 429, message: 'slower' } }) })
      expect((await trouble()).reason).toBe('rate')
    })

    for (const status of [301, 302, 303, 307, 308])
      promise(`a redirect with ${status} is not followed`, async () => {
        let followed = 0
        await using elsewhere = Bun.serve({
          hostname: '127.0.0.1',
          port: 0,
          fetch: () => {
            followed++
            return Response.json({})
          },
        })
        says({ response: () => Response.redirect(`http://127.0.0.1:${elsewhere.port}${tenant.path}`, status) })
        expect([(await trouble()).reason, followed]).toEqual(['network', 0])
      })

    promise('an endpoint that takes too long is a matter of the network', async () => {
      says({ response: () => new Promise(() => {}) })
      const answer = await trouble(tenant.open({ timeoutMs: tenant.leavesWithinMs }))
      expect(answer).toMatchObject({ reason: 'network', message: expect.stringContaining('too long'), usage: 'unknown' })
    })

    promise('an endpoint that is not there is a matter of the network', async () => {
      const answer = await trouble(tenant.open({ url: `http://127.0.0.1:${closedPort()}` }))
      expect([answer.reason, costsNothing(answer)]).toEqual(['network', true])
    })

    promise('an endpoint that hangs up after it was asked may have been paid', async () => {
      await using hung = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end()))
      await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve))
      const { port } = hung.address() as { port: number }
      expect((await trouble(tenant.open({ url: `http://127.0.0.1:${port}` }))).usage).toBe('unknown')
    })

    for (const [when, bytes] of [
      ['in the middle of what it announced', `HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n${tenant.half}`],
      ['in the middle of a chunk', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfff\r\n${tenant.half}`],
      ['before it said anything', ''],
    ] as const) {
      promise(`an endpoint that hangs up ${when} is a matter of the network`, async () => {
        const hung = createServer((socket) => {
          socket.on('error', () => {})
          socket.once('data', () => socket.end(bytes))
        })
        await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve))
        const { port } = hung.address() as { port: number }
        try {
          expect((await trouble(tenant.open({ url: `http://127.0.0.1:${port}` }))).reason).toBe('network')
        } finally {
          hung.close()
        }
      })
    }

    promise('stops when it is told to', async () => {
      const model = await tenant.open()
      await expect(model.ask(hello, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
      const stopping = new AbortController()
      says({ response: () => new Promise(() => {}) })
      setTimeout(() => stopping.abort(new Error('enough now')), tenant.leavesWithinMs)
      await expect(model.ask(hello, stopping.signal)).rejects.toThrow('enough now')
    })

    promise('has the name of the model, for the notes it writes', async () => {
      expect((await tenant.open()).name).toBe(tenant.model)
    })

    if (left.size > 0) throw new Error(`nobody promises: ${[...left].join('; ')}`)
  })
}
