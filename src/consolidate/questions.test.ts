import { expect, test } from 'bun:test'
import { note } from '../../test/support/builders.ts'
import { aNotebook } from '../../test/support/notebook.ts'
import { asNoteId } from '../core/note.ts'
import { indexNote } from '../notes/notes.ts'
import { questionsFromNote, readQuestions, splitSentences } from './questions.ts'

test('the questions for a note are its title, the rarest words of its sentences, and the names in it', async () => {
  using at = await aNotebook()
  const ours = note({ title: 'The lock', body: 'The worker holds a lock in `run/worker.lock`.\n- Only the kernel lets go of it.' })
  for (const [index, body] of ['The worker runs.', 'The worker holds the database.', 'A kernel is there.'].entries())
    await indexNote(at.book, note({ id: asNoteId(`X${index}`), path: `memory/app/X${index}.md`, body }), null)
  await indexNote(at.book, ours, null)
  const texts = (await questionsFromNote(ours, at.store)).map(({ text }) => text)
  expect(texts[0]).toBe('The lock')
  expect(texts[1]).toMatch(/lock/)
  expect(texts[1]).not.toMatch(/the /)
  expect(texts.at(-1)).toContain('run/worker.lock')
  expect(await questionsFromNote(ours, at.store)).toEqual(await questionsFromNote(ours, at.store))
})

test('text is split at line ends and after full stops', () => {
  expect(splitSentences('# Title\n\n- One. Two is v1.2.3!\n> Three')).toEqual(['Title', 'One.', 'Two is v1.2.3!', 'Three'])
})

test("a person's questions are read line by line, and invalid lines are reported", () => {
  const { questions, problems } = readQuestions('{"question": "which port?", "note": "N1"}\n\nnonsense\n{"question": ""}\n')
  expect(questions).toEqual([{ text: 'which port?', note: asNoteId('N1') }])
  expect(problems).toEqual([expect.stringContaining('line 3'), expect.stringContaining('line 4')])
})
