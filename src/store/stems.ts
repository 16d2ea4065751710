import type { Database } from 'bun:sqlite'

const MAX_CACHED_STEMS = 10_000

/** The stem of each word, made by SQLite's own stemmer through a small index in memory, so that it cannot differ from the real indexes. */
export function stemStatements(db: Database): (words: string[]) => Map<string, string> {
  db.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5 (word, tokenize = 'porter unicode61 remove_diacritics 2')")
  db.run('CREATE VIRTUAL TABLE IF NOT EXISTS temp.stem_words USING fts5vocab (temp, stems, instance)')
  const insert = db.prepare('INSERT INTO temp.stems (rowid, word) VALUES (@id, @word)')
  const read = db.prepare<{ term: string; doc: number }, []>('SELECT term, doc FROM temp.stem_words')
  const clear = db.prepare('DELETE FROM temp.stems')
  const stems = new Map<string, string>()

  return (words) => {
    const unknown = words.filter((word) => !stems.has(word))
    if (unknown.length > 0) {
      if (stems.size > MAX_CACHED_STEMS) stems.clear()
      clear.run()
      for (const [id, word] of unknown.entries()) insert.run({ id, word })
      const terms = new Map(read.all().map((row) => [row.doc, row.term]))
      for (const [id, word] of unknown.entries()) stems.set(word, terms.get(id) ?? word)
    }
    return new Map(words.map((word) => [word, stems.get(word) ?? word]))
  }
}
