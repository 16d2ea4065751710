import { expect, test } from 'bun:test'
import { findAxes, project } from './axes.ts'
import { addRows, initialRows, type Lesson, learn, quantizeRows } from './student.ts'

const east = Float32Array.of(1, 0)
const north = Float32Array.of(0, 1)

test('training turns the sum of a text’s rows towards the teacher’s vector', () => {
  const lessons: Lesson[] = [
    { pieces: [0, 2], target: east },
    { pieces: [1, 2], target: north },
  ]
  const rows = Float32Array.of(0.5, 0.4, 0.4, 0.5, 0.3, 0.3)
  expect(learn(rows, 2, lessons, 1, 0.01)).toBeLessThan(0.9)
  expect(learn(rows, 2, lessons, 200, 0.1)).toBeGreaterThan(0.99)
})

test('frequent pieces and pieces that are not words start with short rows', () => {
  const lessons = [{ pieces: [0, 0, 0, 0], target: east }]
  const rows = initialRows(['the', 'harbour', '##xy'], [east, east, east], lessons)
  expect(rows[2]).toBeGreaterThan(1)
  expect(rows[0]).toBeLessThan(0.01)
  expect(rows[4]).toBeLessThan(0.2)
})

test('rounding keeps the direction of a row', () => {
  const { rows, scales } = quantizeRows(Float32Array.of(0.5, -1, 0, 0), 2)
  expect([...rows]).toEqual([64, -127, 0, 0])
  expect((scales[0] as number) * 127).toBeCloseTo(1, 5)
  expect(addRows(Float32Array.from(rows, Number), 2, [1], new Float32Array(2))).toBe(0)
})

test('the axes keep the differences and drop what is constant', () => {
  const vectors = Array.from({ length: 60 }, (_, n) => Float32Array.of(5, Math.cos(n), Math.sin(n), 0.001 * (n % 2)))
  const axes = findAxes(vectors, 2)
  const angle = (n: number) =>
    Math.atan2(project(axes, vectors[n] as Float32Array)[1] ?? 0, project(axes, vectors[n] as Float32Array)[0] ?? 0)
  const cosine = Math.abs(Math.cos(angle(1) - angle(0)))
  expect(cosine).toBeCloseTo(Math.cos(1), 1)
})
