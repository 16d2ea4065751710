import { bash, edit, read, type Story, step } from './story.ts'

/** A dependency is upgraded and the build breaks; the first turn leaves it broken, and the second fixes it. */
export const upgrade: Story = {
  name: 'upgrade-left-open',
  project: 'field-notes',
  files: {
    'package.json': {
      name: 'field-notes',
      type: 'module',
      scripts: { build: 'node build.mjs' },
      dependencies: { 'tiny-markdown': 'file:vendor/tiny-markdown-1.9.0' },
    },
    'vendor/tiny-markdown-1.9.0/package.json': { name: 'tiny-markdown', version: '1.9.0', type: 'module', exports: './index.mjs' },
    'vendor/tiny-markdown-1.9.0/index.mjs': 'export function render(text) {\n  return text.replace(/^# (.*)$/gm, "<h1>$1</h1>")\n}\n',
    'vendor/tiny-markdown-2.0.0/package.json': { name: 'tiny-markdown', version: '2.0.0', type: 'module', exports: './index.mjs' },
    'vendor/tiny-markdown-2.0.0/index.mjs': `const escaped = (text) => text.replace(/</g, '&lt;')

export function toHtml(text, { allowHtml = false } = {}) {
  return (allowHtml ? text : escaped(text)).replace(/^# (.*)$/gm, '<h1>$1</h1>')
}
`,
    'vendor/tiny-markdown-2.0.0/CHANGELOG.md':
      '# 2.0.0\n\n- `render` is called `toHtml`.\n- HTML in the text is escaped unless `allowHtml` is set.\n',
    'build.mjs': `import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { render } from 'tiny-markdown'

mkdirSync('dist', { recursive: true })
for (const file of readdirSync('notes')) {
  writeFileSync(\`dist/\${file.replace(/md$/, 'html')}\`, render(readFileSync(\`notes/\${file}\`, 'utf8')))
}
console.log(\`built \${readdirSync('dist').length} pages\`)
`,
    'notes/heron.md': '# Grey heron\n\n<figure>at the weir</figure>\n',
    'notes/otter.md': '# Otter\n\nSeen twice in March.\n',
    '.gitignore': 'node_modules\ndist\n',
  },
  prompts: [
    {
      says: 'Please upgrade tiny-markdown to the 2.0.0 in vendor/ and check that the site still builds.',
      model: [
        step('', read('package.json'), bash('ls vendor && cat build.mjs', 'See what is vendored and how it is used')),
        step('', edit('package.json', 'file:vendor/tiny-markdown-1.9.0', 'file:vendor/tiny-markdown-2.0.0')),
        step('', bash('npm install --offline --no-audit --no-fund 2>&1 | tail -3', 'Install the new version')),
        step('', bash('npm run build', 'Build the site')),
        step('2.0 has no `render`. The changelog should say what replaced it.', read('vendor/tiny-markdown-2.0.0/CHANGELOG.md')),
        `\`package.json\` points to tiny-markdown 2.0.0 and it is installed, but **the build fails**: \`build.mjs\` imports \`render\`, which 2.0 calls \`toHtml\`.

I stopped before changing it, because 2.0 also escapes HTML in the text by default, and \`notes/heron.md\` uses a \`<figure>\`. Should the notes keep their raw HTML (\`allowHtml: true\`), or should it be escaped from now on?`,
      ],
    },
    {
      says: 'Keep the raw HTML, we write all notes ourselves.',
      model: [
        step(
          '',
          edit('build.mjs', "import { render } from 'tiny-markdown'", "import { toHtml } from 'tiny-markdown'"),
          edit(
            'build.mjs',
            `render(readFileSync(\`notes/\${file}\`, 'utf8'))`,
            `toHtml(readFileSync(\`notes/\${file}\`, 'utf8'), { allowHtml: true })`,
          ),
        ),
        step('', bash('npm run build && cat dist/heron.html', 'Build and look at a page with HTML')),
        'The site builds again with tiny-markdown 2.0.0: `build.mjs` calls `toHtml` with `allowHtml: true`, because the notes are all our own and use raw HTML such as `<figure>`. Both pages come out as before.',
      ],
    },
  ],
}
