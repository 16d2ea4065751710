import type { ConsolidationDeps } from '../../src/consolidate/consolidate.ts'
import { openTextModel } from '../../src/providers/text.ts'
import type { aModelServer } from './model-server.ts'
import { aNotebook } from './notebook.ts'

/** A notebook with everything that consolidation needs. The model is a server on this machine, or null. */
export async function someDeps(server?: ReturnType<typeof aModelServer>, given: Partial<ConsolidationDeps> = {}) {
  const at = await aNotebook()
  const settings = { provider: 'anthropic' as const, name: 'model-1', base_url: server?.anthropic ?? '', api_key_file: '' }
  const opened = server ? openTextModel(settings, { RECOLLECT_MODEL_API_KEY: server.key }, at.book.clean, 5000) : null
  const deps: ConsolidationDeps = {
    book: at.book,
    model: opened?.kind === 'ready' ? opened.model : null,
    maxInputRatio: 100,
    maxQuestions: 10,
    meaning: null,
    questions: [],
    signal: new AbortController().signal,
    progress: () => {},
    ...given,
  }
  return { ...at, deps }
}
