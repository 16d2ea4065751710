import { bash, edit, read, type Story, step, write } from './story.ts'

/** Documentation and a decision record; no code. */
export const decide: Story = {
  name: 'docs-decision-record',
  project: 'ledger',
  files: {
    'README.md': `# Ledger

A small double-entry ledger with an HTTP API.

## Amounts

Amounts are numbers, e.g. \`12.5\`.
`,
    'docs/decisions/0001-sqlite.md': `# 0001 SQLite is enough

Status: accepted, 2025-11-03

Context: one process writes, a handful read.
Decision: SQLite in WAL mode.
Consequences: no server to run; a second writer would mean a new decision.
`,
    'docs/decisions/0002-utc.md': `# 0002 Times are UTC

Status: accepted, 2025-11-20

Context: two offices, two time zones.
Decision: everything is stored in UTC and shown in the reader's zone.
Consequences: day totals need a zone to be asked for.
`,
  },
  prompts: [
    {
      says: "We decided in today's meeting to store amounts as integers in minor units (cents) plus an ISO currency code, because summing floats drifted by a cent in the March report. Decimal strings were the alternative, Mara wanted those, but SQLite can't sum them. Write it down as a decision record in our format, and fix the README.",
      model: [
        step('', bash('ls docs/decisions && cat docs/decisions/0002-utc.md', 'See the format of our records'), read('README.md')),
        step(
          '',
          write(
            'docs/decisions/0003-minor-units.md',
            `# 0003 Amounts are integers in minor units

Status: accepted, 2026-03-12

Context: amounts were floating-point numbers, and the sum of the March report drifted by a cent.
Decision: an amount is an integer in the minor unit of its currency (cents), stored beside an ISO 4217 code.
Decimal strings were considered: exact too, but SQLite cannot sum them.
Consequences: sums are exact and stay in SQL. Whoever shows an amount must know its currency's digits (JPY has none).
Amounts of different currencies are never added.
`,
          ),
          edit(
            'README.md',
            'Amounts are numbers, e.g. `12.5`.',
            'An amount is an integer in minor units with its currency: `{ "amount": 1250, "currency": "EUR" }` is 12.50 euros.\nWhy: [decision 0003](docs/decisions/0003-minor-units.md).',
          ),
        ),
        step('', bash('git diff --stat && git status --short', 'Check what changed')),
        'I wrote `docs/decisions/0003-minor-units.md` in the format of the other two and replaced the paragraph about amounts in the README, which links to it. I added one consequence you did not mention: amounts of different currencies must never be added. Nothing is committed yet.',
      ],
    },
  ],
}
