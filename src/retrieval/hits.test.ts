import { describe, expect, test } from 'bun:test'
import { addObservations, note, observation, openSession, summary, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import { countTokens } from '../core/tokens.ts'
import type { DocumentLocation, Store } from '../store/store.ts'
import { describeHit, makeHit, queryCoverage, repeatsTurn, turnKey } from './hits.ts'
import type { WeightedWord } from './word-weights.ts'

const word = (text: string, given: Partial<WeightedWord> = {}): WeightedWord => ({
  word: text,
  stem: text,
  weight: 1,
  documents: 1,
  ...given,
})
const place: DocumentLocation = {
  documentId: 1,
  kind: 'observation',
  ref: '1',
  sessionId: 1,
  turn: 2,
  project: asProjectKey('app'),
  at: 1000,
}
const snippet = (body: string, ...words: string[]) =>
  makeHit(
    place,
    { type: 'change', title: 'Title', body },
    words.map((one) => word(one)),
    { score: 0, signals: {} },
  ).snippet

describe('the snippet of a hit', () => {
  test('leaves out the asterisks of bold words, and no others', () => {
    expect(snippet('**Ask:** why is the **tide** late\n**Files touched (2):** a.ts', 'tide')).toBe(
      'Ask: why is the tide late Files touched (2): a.ts',
    )
    expect(snippet('The cost is 2 ** 3 and src/**/*.ts is 4 ** 5.', 'cost')).toBe('The cost is 2 ** 3 and src/**/*.ts is 4 ** 5.')
  })

  const FILLER = 'Nothing happened on that day at all, and the harbour stayed quiet. '

  test('is the beginning of a short text, and of a text without a word of the query', () => {
    expect(snippet('The retry waits. It doubles.', 'doubles')).toBe('The retry waits. It doubles.')
    expect(snippet(FILLER.repeat(9), 'ledger')).toStartWith('Nothing happened')
  })

  test('starts with the sentence that has most of the words; of equal ones, the first', () => {
    const text = `${FILLER.repeat(5)}The retry waits. The retry of the ledger waits. The ledger of the retry waits.`
    expect(snippet(text, 'retry', 'ledger')).toStartWith('…The retry of the ledger waits.')
  })

  test('starts shortly before the first word in a very long sentence', () => {
    const found = snippet(`${'and so on '.repeat(50)}the ledger is full`, 'ledger')
    expect(found).toStartWith('…')
    expect(found).toContain('the ledger is full')
  })

  test('finds words without regard to case and accents', () => {
    expect(snippet(`${FILLER.repeat(5)}Das CAFÉ ist zu.`, 'cafe')).toBe('…Das CAFÉ ist zu.')
  })
})

describe('the coverage of a query by a text', () => {
  test('is the share of its words by weight, matched by their stems', () => {
    const words = [word('retries', { stem: 'retri', weight: 3 }), word('ledger', { weight: 1 })]
    expect(queryCoverage('It retried twice.', words)).toEqual({ coverage: 0.75, matched: 1, unlikely: 3 })
    expect(queryCoverage('The ledger retries.', words)).toEqual({ coverage: 1, matched: 2, unlikely: 4 })
    expect(queryCoverage('Nothing.', words)).toEqual({ coverage: 0, matched: 0, unlikely: 0 })
    expect(queryCoverage('Nothing.', [])).toEqual({ coverage: 0, matched: 0, unlikely: 0 })
  })

  test('counts a short word only as a whole word or its plural, in a script without spaces anywhere', () => {
    const matched = (text: string, short: string) => queryCoverage(text, [word(short)]).matched
    expect(['the same', 'ask sam', 'sams boat', 'sam', 'samba sam', 'x_sam'].map((text) => matched(text, 'sam'))).toEqual([
      0, 1, 1, 1, 1, 1,
    ])
    expect(matched('修复缓存的错误', '缓存')).toBe(1)
  })

  test('counts a word that no memory contains as missing, but in a long query not at all', () => {
    const unknown = word('install', { documents: 0 })
    expect(queryCoverage('installed', [unknown, word('ledger')]).coverage).toBe(0)
    const many = Array.from({ length: 12 }, (_, n) => word(`unknown${n}`, { documents: 0 }))
    expect(queryCoverage('The ledger.', [...many, word('ledger')]).coverage).toBe(1)
  })
})

test('a document repeats a better one of its turn, unless both are observations', () => {
  const prompt = { ...place, kind: 'prompt' as const }
  expect([
    repeatsTurn(place, undefined),
    repeatsTurn(place, 'observation'),
    repeatsTurn(place, 'prompt'),
    repeatsTurn(prompt, 'observation'),
  ]).toEqual([false, false, true, true])
  expect([turnKey(place), turnKey({ ...place, turn: null })]).toEqual(['1 2', null])
})

describe('a stored document as a hit', () => {
  const described = async (store: Store, kind: DocumentLocation['kind'], ref: string) => {
    const location = await store.documents.locationOf(kind, ref)
    const hit = location && (await describeHit(store, location))
    return hit && [hit.type, hit.title, hit.snippet]
  }

  test('has the texts of an observation, with a mark if it was undone', async () => {
    using t = await temporaryStore()
    await addObservations(t.store, [observation({ title: 'Set the clock', subtitle: 'by an hour', narrative: '', facts: ['It was slow'] })])
    expect(await described(t.store, 'observation', '1')).toEqual(['change', 'Set the clock', 'by an hour It was slow'])
    await (await t.store.turnWork()).markObservation(1, 'P7')
    expect(await described(t.store, 'observation', '1')).toEqual([
      'undone',
      expect.stringMatching(/^\[.*P7.*\] Set the clock$/),
      'by an hour It was slow',
    ])
  })

  test('has the fields of a summary', async () => {
    using t = await temporaryStore()
    const session = await openSession(t.store)
    await t.store.summaries.put(
      'turn:1',
      summary({ sessionId: session.id, request: 'Fix the clock', completed: 'It is right', learned: 'It was slow' }),
    )
    expect(await described(t.store, 'summary', '1')).toEqual(['turn', 'Fix the clock', 'It was slow It is right'])
  })

  test('titles a long prompt by its beginning, and a reply to a menu by the chosen option', async () => {
    using t = await temporaryStore()
    const session = await openSession(t.store)
    const ask = (key: string, text: string) =>
      t.store.prompts.add(session, { key, promptId: null, uuid: null, origin: 'person', text, at: 1000 })
    await ask('k1', `Repair the tide clock of the harbour. ${'It has been slow for many days now. '.repeat(12)}`)
    await ask('k2', '7')
    await t.store.summaries.put('k2', summary({ sessionId: session.id, promptNumber: 2, request: '7 (Remove the old provider)' }))
    expect((await described(t.store, 'prompt', '1'))?.[1]).toStartWith('Repair the tide clock of the harbour.')
    expect((await described(t.store, 'prompt', '2'))?.[1]).toStartWith('7 (Remove the old provider)')
  })

  test('names the author of a copied note, and the note that replaced an older one', async () => {
    using t = await temporaryStore()
    const put = (id: string, given: Parameters<typeof note>[0]) =>
      t.store.notes.put(note({ id: asNoteId(id), path: `${id}.md`, body: 'Use tabs.', ...given }), id)
    await put('01ARZ3NDEKTSV4RRFFQ69G5FA1', { title: 'Indent', author: 'ana' })
    expect(await described(t.store, 'note', '01ARZ3NDEKTSV4RRFFQ69G5FA1')).toEqual(['context', 'Indent (by ana)', 'Use tabs.'])
    await put('01ARZ3NDEKTSV4RRFFQ69G5FA2', { title: 'Indent anew', supersedes: [asNoteId('01ARZ3NDEKTSV4RRFFQ69G5FA1')] })
    expect((await described(t.store, 'note', '01ARZ3NDEKTSV4RRFFQ69G5FA1'))?.[1]).toMatch(/^Replaced by N\S+: Indent$/)
  })

  test('costs as many tokens as its title and text', () => {
    expect(makeHit(place, { type: 'change', title: 'Title', body: 'Body' }, [], { score: 0, signals: {} }).tokens).toBe(
      countTokens('Title\nBody'),
    )
  })
})
