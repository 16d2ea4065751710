import { bash, read, type Story, step } from './story.ts'

/** A subagent investigates, and the main conversation checks the important point. */
export const research: Story = {
  name: 'research-subagent',
  project: 'photo-share',
  files: {
    'package.json': { name: 'photo-share', type: 'module' },
    'src/upload.mjs': `import { randomUUID } from 'node:crypto'
import { store } from './storage.mjs'

export async function upload(user, file) {
  const id = randomUUID()
  await store.put(\`originals/\${user.id}/\${id}\`, file.bytes)
  return { id, owner: user.id, name: file.name }
}
`,
    'src/remove.mjs': `import { store } from './storage.mjs'

/** Deletes a photo of its owner. */
export async function remove(user, photo) {
  if (photo.owner !== user.id) throw new Error('not yours')
  await store.delete(\`originals/\${photo.owner}/\${photo.id}\`)
}
`,
    'src/thumbs.mjs': `import { store } from './storage.mjs'

export async function thumbnail(photo, size, scale) {
  const key = \`thumbs/\${photo.id}-\${size}\`
  const kept = await store.get(key)
  if (kept) return kept
  const made = scale(await store.get(\`originals/\${photo.owner}/\${photo.id}\`), size)
  await store.put(key, made)
  return made
}
`,
    'src/storage.mjs': `const things = new Map()
export const store = {
  put: async (key, bytes) => void things.set(key, bytes),
  get: async (key) => things.get(key) ?? null,
  delete: async (key) => void things.delete(key),
}
`,
  },
  prompts: [
    {
      says: 'A user asks us to delete all their data. Have an agent find out where we keep anything of a photo, I want to know whether deleting it really deletes it.',
      model: {
        main: [
          {
            tools: [
              {
                name: 'Agent',
                input: {
                  description: 'Find where photo data is kept',
                  prompt:
                    'Find every place in src/ that writes something derived from a photo (originals, thumbnails, caches, logs), and every place that deletes one. Report the storage keys and which writes have no matching delete.',
                  subagent_type: 'Explore',
                  run_in_background: false,
                },
              },
            ],
          },
          step(
            'The agent says thumbnails are never deleted. That is the important claim, so I check it.',
            read('src/remove.mjs'),
            read('src/thumbs.mjs'),
          ),
          `No, deleting a photo does not delete everything:

- \`remove\` (\`src/remove.mjs\`) deletes \`originals/<owner>/<id>\` only.
- \`thumbnail\` (\`src/thumbs.mjs\`) keeps a copy under \`thumbs/<id>-<size>\` for every size ever asked for, and nothing deletes those.
- The thumbnail keys have no owner in them, so "everything of this user" cannot be found by prefix either.

To honour the request, \`remove\` would have to delete the thumbnails as well; putting the owner into their key would make both possible. I have not changed anything.`,
        ],
        sub: [
          step('', bash('grep -rn "store\\.\\(put\\|delete\\)" src', 'Find writes and deletes')),
          step('', read('src/thumbs.mjs'), read('src/remove.mjs')),
          `Writes:
- \`src/upload.mjs:6\` puts \`originals/<user>/<id>\`
- \`src/thumbs.mjs:8\` puts \`thumbs/<id>-<size>\`, one per size

Deletes:
- \`src/remove.mjs:6\` deletes \`originals/<owner>/<id>\`

Thumbnails are written and never deleted: there is no \`store.delete\` for \`thumbs/\`. Their key holds the photo id but not the owner. No caches or logs were found.`,
        ],
      },
    },
  ],
}
