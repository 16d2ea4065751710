import { z } from 'zod'
import { entitiesIn } from '../core/entities.ts'
import { asNoteId, type Note, type NoteId } from '../core/note.ts'
import { normalised } from '../notes/notes.ts'
import type { Store } from '../store/store.ts'

/** A question, and the note that answers it. */
export type Question = { text: string; note: NoteId }

const MOST_SENTENCES = 5
const WORDS_ASKED = 4

/** Questions that a note answers, made from itself: its title, the rarest words of each sentence, the names it holds. */
export async function questionsFrom(note: Note, store: Pick<Store, 'documents'>): Promise<Question[]> {
  const asked = new Set<string>([note.title])
  for (const sentence of sentencesOf(note.body).slice(0, MOST_SENTENCES)) {
    const words = [
      ...new Set(
        normalised(sentence)
          .split(' ')
          .filter((word) => word.length > 2),
      ),
    ].slice(0, 60)
    const known = await store.documents.frequencies(words)
    const rarest = known.sort((a, b) => a.documents - b.documents || words.indexOf(a.word) - words.indexOf(b.word)).slice(0, WORDS_ASKED)
    if (rarest.length >= 2) asked.add(rarest.map(({ word }) => word).join(' '))
  }
  const names = entitiesIn(note.body).slice(0, WORDS_ASKED)
  if (names.length > 0) asked.add(names.map(({ name }) => name).join(' '))
  return [...asked].map((text) => ({ text, note: note.id }))
}

/** A line, or what ends with a full stop. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((part) => part.replace(/^[\s#>*-]+/, '').trim())
    .filter((part) => part !== '')
}

/** A person's own questions: one JSON object a line, `{"question": "…", "note": "<id>"}`. What cannot be read is named. */
export function readQuestions(text: string): { questions: Question[]; problems: string[] } {
  const questions: Question[] = []
  const problems: string[] = []
  for (const [index, line] of text.split('\n').slice(0, MOST_LINES).entries()) {
    if (line.trim() === '') continue
    const read = Line.safeParse(jsonIn(line))
    if (read.success) questions.push({ text: read.data.question, note: asNoteId(read.data.note) })
    else problems.push(`line ${index + 1} of questions.jsonl is no {"question": "…", "note": "<id>"}; it is passed over`)
  }
  return { questions, problems }
}

const MOST_LINES = 1000

const Line = z.object({ question: z.string().trim().min(1).max(1000), note: z.string().min(1).max(80) })

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
