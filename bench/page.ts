/** The measured part of docs/benchmarks.md: tables, growth curves, and where we lose. */
import type { Result } from './result.ts'

export type BenchPage = { markdown: string; curves: Record<string, string> }

export type BenchMachine = { date: string; cpu: string; cores: number; memoryGb: number; system: string; load: number; commit: string }

/** The measurements drawn as curves, by the name of the image. The baseline is drawn in grey. */
const CURVES: Record<string, { title: string; lines: Record<string, string> }> = {
  'bench-search': {
    title: 'Search: milliseconds by number of observations',
    lines: {
      'plain FTS5, common words': 'plain FTS5',
      'common words, all projects': 'common words',
      'ordinary question, all projects': 'seven words',
      'source:plain, seven words': 'seven words and a filter',
    },
  },
  'bench-brief': {
    title: 'What hooks wait for: milliseconds by number of observations',
    lines: {
      'brief, a large project': 'brief',
      'recall, a short prompt': 'recall, short prompt',
      'recall, a long prompt': 'recall, long prompt',
      'file with the most memories': 'memories of a file',
      'timeline around a memory': 'timeline',
    },
  },
}

export function benchPage(results: Result[], machine: BenchMachine): BenchPage {
  const parts = [...new Set(results.map(({ part }) => part))].filter((part) => !isGrowth(results, part))
  const curves = Object.fromEntries(
    Object.entries(CURVES).flatMap(([name, curve]) =>
      (['light', 'dark'] as const).map((theme) => [
        `${name}-${theme}.svg`,
        growthCurve(curve.title, curveLines(results, curve.lines), theme),
      ]),
    ),
  )
  const markdown = [
    `Measured on ${machine.date} at ${machine.commit}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}; load ${machine.load.toFixed(1)} from other programs at the start.`,
    ...parts.flatMap((part) => [`### ${part}`, partTable(results.filter((result) => result.part === part))]),
    '### Growth',
    growthTable(results),
    ...Object.entries(CURVES).map(([name, { title }]) => pictureOf(name, title)),
    '### Missed goals and lost comparisons',
    losses(results),
  ].join('\n\n')
  return { markdown, curves }
}

const isGrowth = (results: Result[], part: string) => results.some((result) => result.part === part && result.size !== undefined)

/** Replaces what is between the two marks of a page. */
export function withMeasuredPart(page: string, measured: string): string {
  const [start, end] = ['<!-- measured: begin -->', '<!-- measured: end -->']
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page has no part between ${start} and ${end}`)
  return `${page.slice(0, from + start.length)}\n\n${measured}\n\n${page.slice(to)}`
}

function partTable(results: Result[]): string {
  const names = [...new Set(results.filter(({ unit }) => unit !== 'not run').map(({ name }) => name))]
  const rows = names.map((name) => {
    const of = results.filter((result) => result.name === name)
    const goal = of.find((result) => result.goal !== undefined)?.goal
    return `| ${name} | ${of.map((result) => `${number(result.value)} ${result.unit}`).join(', ')} | ${goal ?? ''} |`
  })
  const notRun = results.filter(({ unit }) => unit === 'not run').map(({ name }) => `Not run: ${name.replace(/\.+$/, '')}.`)
  return [['| what | measured | goal |\n|---|---|---|', ...rows].join('\n'), ...notRun].join('\n\n')
}

function growthTable(results: Result[]): string {
  const grown = results.filter(({ size }) => size !== undefined)
  const sizes = [...new Set(grown.map(({ size }) => size ?? 0))].sort((a, b) => a - b)
  const names = [...new Set(grown.map(({ part, name }) => `${part}\0${name}`))]
  const rows = names.map((key) => {
    const [part, name] = key.split('\0')
    const of = (size: number) => grown.find((result) => result.part === part && result.name === name && result.size === size)
    const unit = grown.find((result) => result.part === part && result.name === name)?.unit
    return `| ${name} (${unit}) | ${sizes.map((size) => (of(size) ? number(of(size)?.value ?? 0) : '')).join(' | ')} |`
  })
  return [
    `| number of observations | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |`,
    `|---|${sizes.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n')
}

/** Everything that missed its goal, and everything in which plain FTS5 or claude-mem was faster or smaller. */
function losses(results: Result[]): string {
  const isHigherBetter = (result: Result) => result.unit === 'MB/s' || result.unit === 'events/s'
  const missed = results.filter(
    (result) => result.goal !== undefined && (isHigherBetter(result) ? result.value < result.goal : result.value > result.goal),
  )
  const lines = missed.map(
    (result) =>
      `- ${result.part}, ${result.name}${result.size ? ` at ${result.size.toLocaleString('en')}` : ''}: ${number(result.value)} ${result.unit}, goal ${result.goal}`,
  )
  for (const theirs of results.filter(({ part, unit }) => part === 'claude-mem' && unit !== 'not run')) {
    const ours = results.find((result) => result.part !== 'claude-mem' && result.name === theirs.name && result.unit === theirs.unit)
    if (ours && ours.value > theirs.value)
      lines.push(`- ${ours.name}: ${number(ours.value)} ${ours.unit}, claude-mem ${number(theirs.value)}`)
  }
  for (const ours of results.filter(({ part, name, size }) => part === 'Search' && size !== undefined && !name.startsWith('plain FTS5'))) {
    const baseline = ours.name.startsWith('common words') ? 'plain FTS5, common words' : 'plain FTS5, ordinary question'
    const plain = results.find((result) => result.part === 'Search' && result.name === baseline && result.size === ours.size)
    if (plain && ours.unit === 'ms' && ours.value > plain.value)
      lines.push(`- ${ours.name} at ${ours.size?.toLocaleString('en')}: ${number(ours.value)} ms, plain FTS5 ${number(plain.value)} ms`)
  }
  return lines.length > 0 ? lines.join('\n') : 'None.'
}

const pictureOf = (name: string, title: string) =>
  `<picture><source media="(prefers-color-scheme: dark)" srcset="img/${name}-dark.svg"><img alt="${title}" src="img/${name}-light.svg"></picture>`

type CurveLine = { label: string; points: [size: number, ms: number][] }

function curveLines(results: Result[], lines: Record<string, string>): CurveLine[] {
  return Object.entries(lines).map(([name, label]) => ({
    label,
    points: results
      .filter((result) => result.name === name && result.size !== undefined && result.unit === 'ms')
      .map((result): [number, number] => [result.size ?? 0, result.value])
      .sort((a, b) => a[0] - b[0]),
  }))
}

const THEMES = {
  light: { text: '#24292f', grid: '#d0d7de', lines: ['#8c959f', '#0969da', '#1a7f37', '#9a6700', '#8250df'] },
  dark: { text: '#e6edf3', grid: '#30363d', lines: ['#8b949e', '#58a6ff', '#3fb950', '#d29922', '#bc8cff'] },
}
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [720, 320, 60, 36, 190, 36]

/** Both axes are logarithmic: a line that rises with the data is linear growth. */
export function growthCurve(title: string, lines: CurveLine[], theme: 'light' | 'dark'): string {
  const { text, grid, lines: colors } = THEMES[theme]
  const points = lines.flatMap((line) => line.points)
  const [minSize, maxSize] = [Math.min(...points.map(([size]) => size)), Math.max(...points.map(([size]) => size))]
  const [minMs, maxMs] = [
    10 ** Math.floor(Math.log10(Math.min(1, ...points.map(([, ms]) => ms)))),
    10 ** Math.ceil(Math.log10(Math.max(10, ...points.map(([, ms]) => ms)))),
  ]
  const part = (value: number, min: number, max: number) => (max === min ? 0.5 : Math.log(value / min) / Math.log(max / min))
  const x = (size: number) => LEFT + part(size, minSize, maxSize) * (WIDTH - LEFT - RIGHT)
  const y = (ms: number) => HEIGHT - BOTTOM - part(ms, minMs, maxMs) * (HEIGHT - TOP - BOTTOM)
  const label = (at: { x: number; y: number }, words: string, extra = '') =>
    `<text x="${at.x.toFixed(0)}" y="${at.y.toFixed(0)}" fill="${text}" font-size="12" ${extra}>${words}</text>`
  const sizes = [...new Set(points.map(([size]) => size))].sort((a, b) => a - b)
  const decades = Array.from({ length: Math.round(Math.log10(maxMs / minMs)) + 1 }, (_, n) => minMs * 10 ** n)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" role="img"><title>${title}</title>`,
    label({ x: LEFT, y: 18 }, title, 'font-weight="600"'),
    ...decades.map((ms) => `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}" stroke="${grid}"/>`),
    ...decades.map((ms) => label({ x: LEFT - 8, y: y(ms) + 4 }, number(ms), 'text-anchor="end"')),
    ...sizes.map((size) => label({ x: x(size), y: HEIGHT - 14 }, size.toLocaleString('en'), 'text-anchor="middle"')),
    ...lines.flatMap(({ label: name, points: of }, n) => {
      const last = of.at(-1)
      if (!last) return []
      const path = of.map(([size, ms]) => `${x(size).toFixed(1)},${y(ms).toFixed(1)}`).join(' ')
      return [
        `<polyline points="${path}" fill="none" stroke="${colors[n]}" stroke-width="2"/>`,
        ...of.map(([size, ms]) => `<circle cx="${x(size).toFixed(1)}" cy="${y(ms).toFixed(1)}" r="3" fill="${colors[n]}"/>`),
        `<text x="${WIDTH - RIGHT + 12}" y="${TOP + 16 + n * 20}" fill="${colors[n]}" font-size="12">${name}: ${number(last[1])} ms</text>`,
      ]
    }),
    '</svg>\n',
  ].join('\n')
}

function number(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0)
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2).replace(/\.?0+$/, '')
}
