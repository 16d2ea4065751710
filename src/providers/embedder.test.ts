import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { minilmOrNull } from '../../test/support/minilm.ts'
import { type Embedder, openEmbedder } from './embedder.ts'
import { openHttpEmbedder } from './http/http.ts'
import { openMinilmEmbedder } from './minilm.ts'
import { openStaticEmbedder } from './static/static.ts'

// The sentence model takes some seconds for two hundred texts, and longer on a busy machine.
setDefaultTimeout(60_000)
const never = new AbortController().signal
const folder = temporaryFolder()
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: letterCounts })
afterAll(async () => {
  folder[Symbol.dispose]()
  await server.stop(true)
})

const minilm = await minilmOrNull()

/** The contract that every embedder fulfils. */
describe.each([
  ['static', () => smallTable(join(folder.path, 'table')).then(openStaticEmbedder)],
  ['shipped static', () => openStaticEmbedder()],
  ['http', () => openHttpEmbedder({ baseUrl: `${server.url}v1`, model: 'letters', apiKey: '' }, never)],
  ...(minilm ? [['minilm', () => openMinilmEmbedder(join(minilm.models, 'minilm'))] as const] : []),
] as const)('the %s embedder', (_, open) => {
  const opened = open().then((answer) => {
    if (answer.kind === 'absent') throw new Error(answer.reason)
    return answer.embedder
  })

  test('returns one vector of length one for each text, in their order', async () => {
    const embedder = await opened
    const texts = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 'fix the bug' : 'a walk'))
    const vectors = await embedder.embed(texts, never)
    expect(vectors).toHaveLength(200)
    expect(vectors.every((vector) => vector.length === embedder.dimensions)).toBe(true)
    expect(vectors.every((vector) => Math.abs(cosine(vector, vector) - 1) < 1e-5)).toBe(true)
    expect(cosine(vectors[0], vectors[198])).toBeCloseTo(1, 5)
    expect(cosine(vectors[0], vectors[1])).toBeLessThan(0.99)
  })

  test('gives the same vector for a text regardless of the other texts', async () => {
    const embedder = await opened
    const [alone] = await embedder.embed(['fix the bug'], never)
    const [, beside] = await embedder.embed(['a walk', 'fix the bug'], never)
    expect(beside).toEqual(alone as Float32Array)
  })

  test('accepts any text: empty, very long, without words', async () => {
    const embedder = await opened
    const vectors = await embedder.embed(['', 'fix '.repeat(20_000), '\u0000\ud800', '山'], never)
    expect(vectors).toHaveLength(4)
    expect(vectors.every((vector) => vector.length === embedder.dimensions && vector.every(Number.isFinite))).toBe(true)
  })

  test('returns nothing for an empty list', async () => {
    expect(await (await opened).embed([], never)).toEqual([])
  })

  test('stops when the signal is aborted', async () => {
    const embedder = await opened
    await expect(embedder.embed(['fix'], AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })

  test('has a name to store with its vectors', async () => {
    expect((await opened).name).toMatch(/\S/)
  })
})

test('embedNow gives the same vector as embed', async () => {
  const opened = await openStaticEmbedder(await smallTable(join(folder.path, 'again')))
  const embedder = (opened as { embedder: Embedder }).embedder
  expect(embedder.embedNow?.('fix the bug')).toEqual((await embedder.embed(['fix the bug'], never))[0] as Float32Array)
})

test('in the shipped table related words have similar vectors, in prose and in code', async () => {
  const { embedder } = (await openStaticEmbedder()) as { embedder: Embedder }
  const near = async (a: string, b: string) => cosine(...((await embedder.embed([a, b], never)) as [Float32Array, Float32Array]))
  expect(await near('the car broke down', 'our vehicle needs repair')).toBeGreaterThan(
    await near('the car broke down', 'bake a banana cake'),
  )
  expect(await near('deleteUserAccount', 'remove a user')).toBeGreaterThan(await near('deleteUserAccount', 'render a chart'))
})

test('a text in a script that the vocabulary does not know has no vector; the English words in it do', async () => {
  const { embedder } = (await openStaticEmbedder()) as { embedder: Embedder }
  const vectorOf = (text: string) => embedder.embedNow?.(text) ?? new Float32Array()
  for (const text of FOREIGN_TEXTS) expect([text, vectorOf(text).every((value) => value === 0)]).toEqual([text, true])
  expect(vectorOf('ошибка в функции login session')).toEqual(vectorOf('login session'))
  for (const text of ['Wrocław und die Straße', 'el niño comió piñas', 'déjà vu à l’été', 'Ağaç ile çiçek'])
    expect([text, vectorOf(text).some((value) => value !== 0)]).toEqual([text, true])
})

const FOREIGN_TEXTS = [
  'Кэш хранится в файле, потому что база не нужна',
  'Ο διακομιστής δεν απαντά μετά την ενημέρωση',
  'キャッシュはファイルに保存する',
  '缓存保存在文件中，因为不需要数据库',
  '캐시는 파일에 저장된다',
  'يتم حفظ ذاكرة التخزين المؤقت في ملف',
  'המטמון נשמר בקובץ',
  'แคชถูกเก็บไว้ในไฟล์',
  'कैश फ़ाइल में सहेजा जाता है',
  'ქეში ინახება ფაილში',
  'Քեշը պահվում է ֆայլում',
  'ক্যাশ ফাইলে রাখা হয়',
]

test('an absent embedder has a reason', async () => {
  const none = await openEmbedder({ provider: 'none', name: '', base_url: '', api_key: '' }, folder.path, never)
  expect(none).toEqual({ kind: 'absent', reason: expect.stringContaining('switched off') })
  expect(await openStaticEmbedder(join(folder.path, 'missing'))).toEqual({ kind: 'absent', reason: expect.stringContaining('no table') })
})

test('an incomplete table is not used', async () => {
  const path = await smallTable(join(folder.path, 'cut'))
  await Bun.write(join(path, 'rows.i8'), new Int8Array(3))
  expect(await openStaticEmbedder(path)).toEqual({ kind: 'absent', reason: expect.stringContaining('incomplete') })
})

/** A table of five pieces with four dimensions. */
async function smallTable(path: string): Promise<string> {
  const pieces = ['fix', 'the', 'bug', 'a', 'walk']
  await Bun.write(join(path, 'embedder.json'), JSON.stringify({ name: 'small', dimensions: 4 }))
  await Bun.write(join(path, 'vocabulary.txt'), `${pieces.join('\n')}\n`)
  await Bun.write(
    join(path, 'rows.i8'),
    Int8Array.from({ length: 20 }, (_, index) => ((index * 37) % 200) - 100),
  )
  await Bun.write(
    join(path, 'scales.f32'),
    Float32Array.from(pieces, (_, index) => 0.01 * (index + 1)),
  )
  return path
}

/** An endpoint whose vectors count letters. It answers in reverse order, as the protocol allows. */
async function letterCounts(request: Request): Promise<Response> {
  const { input, model } = (await request.json()) as { input: string[]; model: string }
  const data = input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: [1, ...['f', 'w', 'b'].map((letter) => text.split(letter).length - 1)],
  }))
  return Response.json({ object: 'list', data: data.reverse(), model, usage: { prompt_tokens: 1, total_tokens: 1 } })
}

function cosine(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}
