/** Splits the texts of a package into passages of one or a few sentences, for teacher and student. */

const MIN_PASSAGE_CHARS = 20
const MAX_PASSAGE_CHARS = 420

/** The paragraphs, list items, headings and code blocks of a markdown page. */
export function passagesOfMarkdown(page: string): string[] {
  const parts = page.split(/^(?:```|~~~).*$/m)
  return parts
    .flatMap((part, index) => (index % 2 === 1 ? [part] : part.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.|#+)\s)/)))
    .flatMap(cleanPassages)
}

/** The comments of a source file, and its functions: the comment above, the name, the first lines. */
export function passagesOfSource(code: string): string[] {
  const comments = [...code.matchAll(/\/\*\*([\s\S]{20,3000}?)\*\//g)].flatMap(([, body = '']) =>
    body
      .replace(/^\s*\* ?/gm, '')
      .split(/\n\s*\n|\n(?=\s*@)/)
      .flatMap(cleanPassages),
  )
  const functions = [...code.matchAll(/(?:\/\*\*[^/]{0,300}\*\/\s*)?(?:async )?function \w{4,}\([^)]*\)[^{\n]*\{[\s\S]{40,400}?\n\}/g)]
  return [...comments, ...functions.flatMap(([body]) => cleanPassages(body.replace(/^\s*\* ?|\/\*\*|\*\//gm, '')))]
}

/** The paragraphs of plain prose, such as a novel. */
export function passagesOfProse(text: string): string[] {
  return text.split(/\r?\n\s*\r?\n/).flatMap(cleanPassages)
}

/** A WordNet data file: each line has words with the same meaning, a definition, and example sentences. */
export function passagesOfWordNet(data: string): string[] {
  return data.split('\n').flatMap((line) => {
    const [fields = '', gloss = ''] = line.split(' | ')
    if (line.startsWith(' ') || !gloss) return []
    const count = Number.parseInt(fields.split(' ')[3] ?? '', 16)
    const words = Array.from({ length: count }, (_, index) =>
      fields
        .split(' ')
        [4 + 2 * index]?.replaceAll('_', ' ')
        .replace(/\(\w+\)$/, ''),
    )
    const sentences = [...gloss.matchAll(/"([^"]{20,})"/g)].map(([, sentence = '']) => sentence)
    return [`${words.join(', ')}: ${gloss.replace(/;? *"[^"]*"/g, '')}`.trim(), ...sentences]
  })
}

/** The passage without markup: several if it is long, none if it has too little text. */
function cleanPassages(passage: string): string[] {
  const text = passage
    .replace(/<!--[\s\S]*?-->|<[^>\n]{1,200}>|!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\bhttps?:\/\/\S+/g, ' ')
    .replace(/\{@link(?:code|plain)? ([^}|\s]*)[^}]*\}/g, '$1')
    .replace(/^[\s#>*+-]+|[*_`|]{1,}|[-=]{3,}/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return splitLongText(text).filter((part) => part.length >= MIN_PASSAGE_CHARS && isReadable(part))
}

/** Splits long text at the ends of sentences. */
function splitLongText(text: string): string[] {
  if (text.length <= MAX_PASSAGE_CHARS) return [text]
  const parts: string[] = []
  for (const sentence of text.split(/(?<=[.;!?}]["”’]?) +/)) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + sentence.length < MAX_PASSAGE_CHARS) parts[parts.length - 1] = `${last} ${sentence}`
    else parts.push(sentence.slice(0, MAX_PASSAGE_CHARS))
  }
  return parts
}

/** Mostly Latin letters, and more than two words of them: not a table, a blob or another script. */
function isReadable(text: string): boolean {
  const letters = text.match(/[a-z]/gi)?.length ?? 0
  return letters > text.length * 0.55 && (text.match(/[a-z]{2,}/gi)?.length ?? 0) >= 4
}

/** A number between 0 and 1 that depends only on the text, so that sorting by it shuffles in the same way every time. */
export function shuffleKey(text: string): number {
  return Number(Bun.hash.xxHash64(text) >> 11n) / 2 ** 53
}
