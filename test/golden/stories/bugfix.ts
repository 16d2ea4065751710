import { bash, edit, read, type Story, step } from './story.ts'

/** A failing test with two causes: the first fix is not enough. */
export const bugfix: Story = {
  name: 'bugfix-two-causes',
  project: 'parcel-rates',
  files: {
    'package.json': { name: 'parcel-rates', version: '1.4.0', type: 'module', scripts: { test: 'node --test' } },
    'src/zones.mjs': `const ZONES = [
  { from: 1000, to: 1999, zone: 'A' },
  { from: 2000, to: 4999, zone: 'B' },
  { from: 5000, to: 9999, zone: 'C' },
]

/** The delivery zone of a postcode, or null when we do not deliver there. */
export function zoneOf(postcode) {
  const number = Number(postcode)
  const found = ZONES.find(({ from, to }) => number > from && number < to)
  return found ? found.zone : null
}
`,
    'src/rates.mjs': `import { zoneOf } from './zones.mjs'

const CENTS = { A: 490, B: 690, C: 890 }

/** The price of a parcel in cents: that of its zone, and a euro more for every kilogram begun after the first. */
export function rateFor({ postcode, grams }) {
  const extra = Math.floor(grams / 1000) - 1
  return CENTS[zoneOf(postcode)] + Math.max(0, extra) * 100
}
`,
    'test/rates.test.mjs': `import assert from 'node:assert/strict'
import test from 'node:test'
import { rateFor } from '../src/rates.mjs'
import { zoneOf } from '../src/zones.mjs'

test('a postcode inside a zone has that zone', () => {
  assert.equal(zoneOf('1500'), 'A')
})

test('the first and the last postcode belong to their zone', () => {
  assert.equal(zoneOf('2000'), 'B')
  assert.equal(zoneOf('4999'), 'B')
})

test('a kilogram that was begun is paid for', () => {
  assert.equal(rateFor({ postcode: '2000', grams: 1500 }), 790)
})

test('the first kilogram is part of the price', () => {
  assert.equal(rateFor({ postcode: '1500', grams: 300 }), 490)
})
`,
  },
  prompts: [
    {
      says: 'Customers in 2000 see NaN as the shipping price at checkout. The tests show it too. Can you find out why and fix it?',
      model: [
        step("I'll run the tests first to see what fails.", bash('npm test 2>&1 | tail -60', 'Run the tests')),
        step('', read('src/zones.mjs'), read('src/rates.mjs')),
        step(
          'The zone lookup excludes both ends of each range, so 2000 has no zone and the price is `undefined + …`, which is NaN.',
          edit('src/zones.mjs', 'number > from && number < to', 'number >= from && number <= to'),
        ),
        step('', bash('npm test 2>&1 | tail -60', 'Run the tests again')),
        step(
          'One test is left: 1500 g is priced like 1000 g, because `Math.floor` drops the kilogram that was begun.',
          edit('src/rates.mjs', 'Math.floor(grams / 1000)', 'Math.ceil(grams / 1000)'),
        ),
        step('', bash('npm test 2>&1 | tail -20', 'Run the tests again')),
        `There were two separate bugs:

1. **NaN at checkout**: \`zoneOf\` in \`src/zones.mjs\` compared with \`>\` and \`<\`, so the first and last postcode of every zone (2000, 4999, …) had no zone and the price became NaN. The bounds are inclusive now.
2. **Weight rounded down**: \`rateFor\` in \`src/rates.mjs\` used \`Math.floor\`, so a begun kilogram was free. It uses \`Math.ceil\` now.

All four tests pass. Note that a postcode outside every zone (e.g. 0999) still gives NaN; you may want to reject it at checkout.`,
      ],
    },
  ],
}
