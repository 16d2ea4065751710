import { bash, read, type Story, step } from './story.ts'

/** A question that is answered from the code, without changes. */
export const explore: Story = {
  name: 'explore-retries',
  project: 'mail-queue',
  files: {
    'package.json': { name: 'mail-queue', type: 'module', scripts: { test: 'node --test' } },
    'src/worker.mjs': `import { backoff } from './backoff.mjs'
import { isTemporary } from './errors.mjs'

const MAX_ATTEMPTS = 6

/** Sends one job; a temporary failure puts it back with a later time, a permanent one parks it. */
export async function work(job, send, queue, now = Date.now) {
  try {
    await send(job.mail)
    queue.remove(job.id)
  } catch (error) {
    const attempts = job.attempts + 1
    if (!isTemporary(error) || attempts >= MAX_ATTEMPTS) return queue.park(job.id, error.message)
    queue.putBack({ ...job, attempts, notBefore: now() + backoff(attempts) })
  }
}
`,
    'src/backoff.mjs': `const FIRST_MS = 30_000
const LONGEST_MS = 60 * 60_000

/** Doubles every time, up to an hour, with a fifth of jitter so that a recovered server is not met by everyone at once. */
export function backoff(attempt, random = Math.random) {
  const plain = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1))
  return Math.round(plain * (0.9 + random() * 0.2))
}
`,
    'src/errors.mjs': `/** SMTP says 4xx for "later" and 5xx for "never"; a broken connection is a later too. */
export function isTemporary(error) {
  if (error.code === 'ECONNRESET' || error.code === 'ETIMEDOUT') return true
  return error.responseCode >= 400 && error.responseCode < 500
}
`,
    'src/queue.mjs': `export function makeQueue() {
  const jobs = new Map()
  const parked = new Map()
  return {
    add: (job) => jobs.set(job.id, { attempts: 0, notBefore: 0, ...job }),
    due: (now) => [...jobs.values()].filter((job) => job.notBefore <= now),
    putBack: (job) => jobs.set(job.id, job),
    park: (id, reason) => parked.set(id, { ...jobs.get(id), reason }) && jobs.delete(id),
    remove: (id) => jobs.delete(id),
    parked: () => [...parked.values()],
  }
}
`,
    'docs/operations.md': '# Operations\n\nMails that were given up on are in `queue.parked()`. Nobody is told about them yet.\n',
  },
  prompts: [
    {
      says: 'How do retries work here? Which errors are retried, how often, and what happens to a mail we give up on?',
      model: [
        step('', bash('ls -R src docs && grep -rn "retr\\|attempt\\|backoff\\|park" src docs', 'Find everything about retries')),
        step('', read('src/worker.mjs'), read('src/backoff.mjs'), read('src/errors.mjs')),
        step('', read('src/queue.mjs'), bash('grep -n "parked" -r . --include=*.mjs --include=*.md', 'Who looks at parked mails?')),
        `Retries are decided in \`work\` (\`src/worker.mjs\`):

- **Which errors**: \`isTemporary\` (\`src/errors.mjs\`) retries SMTP 4xx replies and the connection errors \`ECONNRESET\` and \`ETIMEDOUT\`. SMTP 5xx and everything else, e.g. \`ENOTFOUND\`, is permanent.
- **How often**: at most 6 attempts (\`MAX_ATTEMPTS\`). \`backoff\` waits 30 s, then doubles up to an hour, with ±10 % jitter; so a mail is given up about 15 minutes after its first failure.
- **Given up**: \`queue.park\` moves it to an in-memory map with the reason. Nothing reads \`parked()\` and the map is lost on restart, so those mails disappear silently.

The last point looks like a gap: parked mails should be written to disk and someone should be told.`,
      ],
    },
    { says: 'thanks, that is what I needed', model: ['You are welcome.'] },
  ],
}
