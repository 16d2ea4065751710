import { z } from 'zod'
import { entitiesIn } from '../core/entities.ts'
import { asNoteId, type Note, type NoteId } from '../core/note.ts'
import { normalised } from '../notes/notes.ts'
import type { Store } from '../store/store.ts'

/** A search query, and the note that it should find. */
export type NoteQuestion = { text: string; note: NoteId }

const MAX_SENTENCES = 5
const MAX_QUESTION_WORDS = 4

/** Queries that should find a note, made from its own text: its title, the rarest words of each sentence, and the names in it. */
export async function questionsFromNote(note: Note, store: Pick<Store, 'documents'>): Promise<NoteQuestion[]> {
  const queries = new Set<string>([note.title])
  for (const sentence of splitSentences(note.body).slice(0, MAX_SENTENCES)) {
    const words = [
      ...new Set(
        normalised(sentence)
          .split(' ')
          .filter((word) => word.length > 2),
      ),
    ].slice(0, 60)
    const known = await store.documents.frequencies(words)
    const rarest = known
      .sort((a, b) => a.documents - b.documents || words.indexOf(a.word) - words.indexOf(b.word))
      .slice(0, MAX_QUESTION_WORDS)
    if (rarest.length >= 2) queries.add(rarest.map(({ word }) => word).join(' '))
  }
  const names = entitiesIn(note.body).slice(0, MAX_QUESTION_WORDS)
  if (names.length > 0) queries.add(names.map(({ name }) => name).join(' '))
  return [...queries].map((text) => ({ text, note: note.id }))
}

/** Splits at line ends and after `.`, `!` and `?`. */
export function splitSentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((part) => part.replace(/^[\s#>*-]+/, '').trim())
    .filter((part) => part !== '')
}

/** Reads a person's own questions: one JSON object per line, `{"question": "…", "note": "<id>"}`. Invalid lines are reported as problems. */
export function readQuestions(text: string): { questions: NoteQuestion[]; problems: string[] } {
  const questions: NoteQuestion[] = []
  const problems: string[] = []
  for (const [index, line] of text.split('\n').slice(0, MAX_QUESTION_LINES).entries()) {
    if (line.trim() === '') continue
    const read = QuestionLine.safeParse(parseJsonLine(line))
    if (read.success) questions.push({ text: read.data.question, note: asNoteId(read.data.note) })
    else problems.push(`line ${index + 1} of questions.jsonl is ignored: it must be {"question": "…", "note": "<id>"}`)
  }
  return { questions, problems }
}

const MAX_QUESTION_LINES = 1000

const QuestionLine = z.object({ question: z.string().trim().min(1).max(1000), note: z.string().min(1).max(80) })

function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
