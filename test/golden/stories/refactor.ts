import { bash, edit, read, type Story, step } from './story.ts'

/** A rename across files; the tests pass before and after. */
export const refactor: Story = {
  name: 'refactor-rename',
  project: 'invoices',
  files: {
    'package.json': { name: 'invoices', type: 'module', scripts: { test: 'node --test' } },
    'src/total.mjs': `/** Net, tax and gross of an invoice, in cents. */
export function calcTot(inv) {
  const net = inv.lines.reduce((sum, line) => sum + line.count * line.cents, 0)
  const tax = Math.round(net * inv.taxRate)
  return { net, tax, gross: net + tax }
}
`,
    'src/mail.mjs': `import { calcTot } from './total.mjs'

export function subjectFor(inv) {
  return \`Invoice \${inv.number}: \${(calcTot(inv).gross / 100).toFixed(2)} EUR\`
}
`,
    'src/report.mjs': `import { calcTot } from './total.mjs'

/** What a month brought in, without tax. */
export function monthNet(invoices) {
  return invoices.reduce((sum, inv) => sum + calcTot(inv).net, 0)
}
`,
    'README.md': '# Invoices\n\n`calcTot(invoice)` gives net, tax and gross in cents.\n',
    'test/total.test.mjs': `import assert from 'node:assert/strict'
import test from 'node:test'
import { subjectFor } from '../src/mail.mjs'
import { monthNet } from '../src/report.mjs'
import { calcTot } from '../src/total.mjs'

const invoice = { number: 7, taxRate: 0.2, lines: [{ count: 2, cents: 1050 }] }

test('tax is added to the net', () => assert.deepEqual(calcTot(invoice), { net: 2100, tax: 420, gross: 2520 }))
test('the subject names the gross', () => assert.equal(subjectFor(invoice), 'Invoice 7: 25.20 EUR'))
test('a month is summed up net', () => assert.equal(monthNet([invoice, invoice]), 4200))
`,
  },
  prompts: [
    {
      says: 'calcTot is a terrible name. Rename it to invoiceTotals everywhere (and spell out inv). No behaviour change.',
      model: [
        step(
          '',
          bash('grep -rn "calcTot\\|\\binv\\b" src test README.md', 'Find every use'),
          bash('npm test 2>&1 | tail -12', 'Run the tests before'),
        ),
        step(
          'Green before. Four files and the README use it.',
          read('src/total.mjs'),
          read('src/mail.mjs'),
          read('src/report.mjs'),
          read('test/total.test.mjs'),
        ),
        step(
          '',
          edit(
            'src/total.mjs',
            `export function calcTot(inv) {
  const net = inv.lines.reduce((sum, line) => sum + line.count * line.cents, 0)
  const tax = Math.round(net * inv.taxRate)`,
            `export function invoiceTotals(invoice) {
  const net = invoice.lines.reduce((sum, line) => sum + line.count * line.cents, 0)
  const tax = Math.round(net * invoice.taxRate)`,
          ),
          edit('src/mail.mjs', 'calcTot', 'invoiceTotals', true),
          edit('src/report.mjs', 'calcTot', 'invoiceTotals', true),
          edit('test/total.test.mjs', 'calcTot', 'invoiceTotals', true),
        ),
        step(
          '',
          bash(
            "sed -i 's/\\binv\\b/invoice/g' src/mail.mjs src/report.mjs && sed -i 's/calcTot/invoiceTotals/' README.md",
            'Spell out inv, update the README',
          ),
        ),
        step(
          '',
          bash('npm test 2>&1 | tail -12 && ! grep -rn "calcTot" . --include=*.mjs --include=*.md', 'Run the tests, look for leftovers'),
        ),
        'Renamed `calcTot` to `invoiceTotals` in `src/total.mjs`, its callers `src/mail.mjs` and `src/report.mjs`, the test and the README; `inv` is `invoice` everywhere. Behaviour is unchanged: the same three tests pass before and after, and nothing mentions `calcTot` any more.',
      ],
    },
  ],
}
