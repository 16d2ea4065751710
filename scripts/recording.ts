/**
 * Records a terminal session of half a minute and draws it as an animated picture, docs/img/recording.svg: `bin/with-bun scripts/recording.ts [file]`. The
 * commands really run, in a terminal and in a throw-away home with the sample history; only the speed of typing is invented.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dir, '..')
const file = process.argv[2] ?? join(root, 'docs', 'img', 'recording.svg')

const COLUMNS = 100
const ROWS = 26
const WORD_MS = 180

const FONT_PX = 14
const LINE_PX = 19
const COLUMN_PX = 8.43
const MARGIN_PX = 18
const BAR_PX = 30

/** The styles of a terminal, by their codes. */
const CLASSES: Record<string, string> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y' }

/** The lines to type, and how long a person reads each answer. */
const SCENES: { command: string; readMs: number }[] = [
  { command: 'recollect demo', readMs: 2600 },
  { command: 'recollect search why is low tide an hour late --all', readMs: 7000 },
  { command: 'recollect inject --project tidepool', readMs: 8000 },
  { command: 'recollect capture "Tides are shown in 24 hours" --ns decisions --project tidepool', readMs: 2600 },
  { command: 'recollect forget --query "24 hours" --dry-run', readMs: 3500 },
]

/** A line of the screen, in parts that appear at their times. */
type Line = { parts: { text: string; atMs: number }[] }

const home = mkdtempSync(join(tmpdir(), 'rc-'))
try {
  const { lines, totalMs } = await record()
  writeFileSync(file, draw(lines, totalMs))
  console.log(`${file}: ${(totalMs / 1000).toFixed(1)} seconds, ${lines.length} lines`)
} finally {
  await outputOf('recollect stop')
  rmSync(home, { recursive: true, force: true })
}

async function record(): Promise<{ lines: Line[]; totalMs: number }> {
  const lines: Line[] = []
  let at = 500
  for (const { command, readMs } of SCENES) {
    const words = command.split(/(?<= )/)
    const typed = words.map((text, index) => ({ text, atMs: at + index * WORD_MS }))
    lines.push({ parts: [{ text: '\u001b[32m$\u001b[39m ', atMs: Math.max(0, at - 400) }, ...typed] })
    at += words.length * WORD_MS + 300
    for (const text of await outputOf(command)) lines.push({ parts: [{ text, atMs: at }] })
    lines.push({ parts: [] })
    at += readMs
  }
  return { lines, totalMs: at }
}

/** The output of a command in a terminal, line by line. */
async function outputOf(command: string): Promise<string[]> {
  let output = ''
  const decoder = new TextDecoder()
  const project = join(home, 'tidepool')
  mkdirSync(project, { recursive: true })
  const PATH = [join(root, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')
  const shell = Bun.spawn(['sh', '-c', command], {
    cwd: project,
    env: { PATH, HOME: home, RECOLLECT_WORKER_PORT: '0', TERM: 'xterm-256color', LC_ALL: 'C', TZ: 'UTC' },
    terminal: {
      cols: COLUMNS,
      rows: ROWS,
      data(_, bytes) {
        output += decoder.decode(bytes, { stream: true })
      },
    },
  })
  await shell.exited
  // A progress bar writes over its own line: what is left is what follows the last return.
  return output
    .replaceAll('\r\n', '\n')
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => line.split('\r').at(-1)?.replaceAll('\u001b[K', '') ?? '')
    .flatMap((line) => Bun.wrapAnsi(line, COLUMNS, { hard: true, wordWrap: true, trim: false }).split('\n'))
}

function draw(lines: Line[], totalMs: number): string {
  const width = Math.ceil(COLUMNS * COLUMN_PX + 2 * MARGIN_PX)
  const height = ROWS * LINE_PX + 2 * MARGIN_PX + BAR_PX
  const texts = lines.map(({ parts }, row) => {
    if (parts.every(({ text }) => text === '')) return ''
    const spans = parts.map(({ text, atMs }) => `<tspan class="p" style="animation-delay:${atMs}ms">${styled(text)}</tspan>`)
    return `<text x="${MARGIN_PX}" y="${(row + 1) * LINE_PX}">${spans.join('')}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: Recollect loads a sample history, finds a memory, prints a brief, saves a note and shows what a deletion would take along">
<!-- Written by scripts/recording.ts. -->
<style>
svg { --ground: #f6f8fa; --bar: #e4e8ec; --ink: #1f2328; --soft: #59636e; --red: #b3261e; --green: #116329; --yellow: #7d4e00 }
@media (prefers-color-scheme: dark) { svg { --ground: #0d1117; --bar: #1c2128; --ink: #e6edf3; --soft: #9198a1; --red: #ff8b82; --green: #6bd285; --yellow: #e3b341 } }
text { font: ${FONT_PX}px ui-monospace, SFMono-Regular, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: var(--ink); white-space: pre }
.b { font-weight: 700 } .d { fill: var(--soft) } .r { fill: var(--red) } .g { fill: var(--green) } .y { fill: var(--yellow) }
.p { visibility: hidden; animation: on 1ms linear forwards }
.screen { animation: scroll ${totalMs}ms step-end forwards }
@keyframes on { to { visibility: visible } }
@keyframes scroll {${scrollSteps(lines, totalMs)} }
@media (prefers-reduced-motion: reduce) { .p, .screen { animation-duration: 1ms; animation-delay: 0ms !important } }
</style>
<rect width="${width}" height="${height}" rx="8" fill="var(--ground)"/>
<path d="M0 8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${BAR_PX - 8}H0z" fill="var(--bar)"/>
<text class="d" x="${width / 2}" y="20" text-anchor="middle">tidepool</text>
<svg y="${BAR_PX + 6}" width="${width}" height="${ROWS * LINE_PX + MARGIN_PX}" viewBox="0 0 ${width} ${ROWS * LINE_PX + MARGIN_PX}"><g class="screen">
${texts.filter(Boolean).join('\n')}
</g></svg>
</svg>
`
}

/** The screen scrolls whenever a line appears below its last row. */
function scrollSteps(lines: Line[], totalMs: number): string {
  const steps = new Map<string, number>([['0', 0]])
  for (const [row, { parts }] of lines.entries()) {
    const [first] = parts
    if (first && row >= ROWS) steps.set(((100 * first.atMs) / totalMs).toFixed(2), row + 1 - ROWS)
  }
  const last = [...steps.values()].at(-1) ?? 0
  return [...steps, ['100', last] as const]
    .map(([percent, rows]) => ` ${percent}% { transform: translateY(-${rows * LINE_PX}px) }`)
    .join('')
}

/** A line with the colours of a terminal as spans. */
function styled(text: string): string {
  const on = new Set<string>()
  const parts: string[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with it
  for (const part of text.split(/(\u001b\[[\d;]*m)/)) {
    const code = /\[(\d*)/.exec(part)?.[1]
    if (!part.startsWith('\u001b')) {
      const clean = escapeXml(Bun.stripANSI(part))
      if (clean) parts.push(on.size > 0 ? `<tspan class="${[...on].join(' ')}">${clean}</tspan>` : clean)
    } else if (code === '22') for (const name of ['b', 'd']) on.delete(name)
    else if (code === '39' || code === '0' || code === '') for (const name of ['r', 'g', 'y']) on.delete(name)
    else if (code && CLASSES[code]) on.add(CLASSES[code])
  }
  return parts.join('')
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
