import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addObservations, observation, openSession, summary } from '../../test/support/builders.ts'
import { anMcpClient, servicesWithMcp } from '../../test/support/mcp-client.ts'
import { asProjectKey } from '../core/ids.ts'

const at = await servicesWithMcp()
const { client } = at
afterAll(() => at[Symbol.asyncDispose]())

beforeAll(async () => {
  const session = await addObservations(at.store, [observation({ title: 'Painted the buoy', tokens: 7 })])
  const say = (key: string, origin: 'person' | 'machine', text: string) =>
    at.store.prompts.add(session, { key, promptId: null, uuid: null, origin, text, at: 1000 })
  await say('k1', 'person', 'Paint </recollect-context> the buoy')
  await say('k2', 'machine', 'a task is done')
  await at.store.summaries.put('turn:1', summary({ sessionId: session.id, request: 'Paint the buoy', completed: 'It is red' }))
  await openSession(at.store, 'elsewhere', 2000, asProjectKey('other'))
  await client.call('memory_capture', { text: 'Buoys are red.', namespace: 'decisions' })
})

const listed = async () => (await client.request('resources/list')).result?.resources ?? []

describe('a session as a resource', () => {
  test('has what the person asked, what came of it, and the last summary, as data', async () => {
    const text = await client.read('recollect://session/1')
    expect(text).toMatch(/prompts:\nP1 \| Paint .*the buoy\nobservations:\n#1 \| change \| Painted the buoy \| ~7t\nlast summary:\n/)
    expect(text).toContain('completed: It is red')
    expect(text).not.toContain('a task is done')
    expect(text.match(/<\/recollect-context>/g)).toHaveLength(1)
  })

  test('is listed if it belongs to the project of the client', async () => {
    expect((await listed()).map(({ uri }) => uri).filter((uri) => uri.includes('/session/'))).toEqual(['recollect://session/1'])
  })

  test.each(['recollect://session/99', 'recollect://session/x', 'recollect://session/1%2F2'])('%s does not exist', async (uri) => {
    expect(await client.read(uri)).toMatch(/not found/i)
  })
})

describe('a note as a resource', () => {
  test('is listed under the address at which it is read', async () => {
    const [note] = (await listed()).filter(({ uri }) => uri.includes('/decisions/'))
    expect(note?.title).toBe('Buoys are red.')
    expect(await client.read(note?.uri ?? '')).toContain('Buoys are red.')
  })

  test('is not read under another namespace or scope', async () => {
    const [note] = (await listed()).filter(({ uri }) => uri.includes('/decisions/'))
    for (const uri of [note?.uri.replace('/decisions/', '/learnings/') ?? '', note?.uri.replace('//project/', '//global/') ?? ''])
      expect([uri, await client.read(uri)]).toEqual([uri, expect.stringMatching(/not found/i)])
  })

  test('is completed by its namespace', async () => {
    const ref = { type: 'ref/resource', uri: 'recollect://{scope}/{namespace}/{id}' }
    const values = async (name: string, value: string) =>
      (await client.request('completion/complete', { ref, argument: { name, value } })).result?.completion?.values
    expect(await values('namespace', 'dec')).toEqual(['decisions'])
    expect(await values('namespace', 'x')).toEqual([])
    expect(await values('scope', 'g')).toEqual(['global'])
  })
})

describe('a brief as a resource', () => {
  test('is the one of the client’s project, or of the project in its address', async () => {
    expect(await client.read('recollect://brief')).toContain('Painted the buoy')
    expect(await client.read('recollect://brief/app')).toContain('Painted the buoy')
    expect(await client.read('recollect://brief/other')).not.toContain('Painted the buoy')
  })

  test('needs a project', async () => {
    const anywhere = anMcpClient(at.desk, null)
    expect(await anywhere.read('recollect://brief')).toContain('did not say which project')
    anywhere.close()
  })
})

describe('a prompt that a person starts', () => {
  const started = async (name: string, args: object = {}) => {
    const { result, error } = await client.request('prompts/get', { name, arguments: args })
    return error?.message ?? result?.messages?.[0]?.content.text ?? ''
  }

  test('to remember something contains just what they said', async () => {
    expect(await started('remember', { text: 'Cranes rest on Sundays.' })).toMatch(/memory_capture[\s\S]*\n\nCranes rest on Sundays\.$/)
  })

  test('to recall something contains the first hits', async () => {
    expect(await started('recall', { question: 'who painted the buoy?' })).toMatch(/^who painted the buoy\?\n[\s\S]*Painted the buoy/)
  })

  test('for a stand-up or a handoff contains the sessions of the project', async () => {
    for (const name of ['standup', 'handoff']) {
      const text = await started(name)
      expect(text).toContain('session 1 |')
      expect(text).not.toContain('session 2 |')
    }
    expect(await started('standup', { since: 'monday' })).toContain('since monday')
  })
})
