import { bash, type Story, step } from './story.ts'

/** A fruitless search; a person who types ahead, interrupts, and then asks for something small. */
export const noise: Story = {
  name: 'noise-interrupted',
  project: 'weather-board',
  files: {
    'package.json': { name: 'weather-board', type: 'module', scripts: { dev: 'node server.mjs' } },
    'server.mjs': "console.log('listening on 8080')\n",
    '.nvmrc': '20.11\n',
    'scripts/profile.mjs': "console.log('sampling the start-up, please wait …')\nsetTimeout(() => console.log('done'), 60_000)\n",
  },
  model: [
    step('Let me look around.', bash('pwd', 'Where am I')),
    step('', bash('ls', 'List files'), bash('git status --short', 'Check the working tree')),
    step('', bash('git log --oneline -5', 'Recent commits'), bash('cat package.json', 'See the scripts')),
    step('', bash('sleep 4; which node', 'Find node')),
    step('', bash('node scripts/profile.mjs', 'Profile the start-up')),
    step('', bash('cat .nvmrc', 'Read the pinned version')),
    'We pin Node 20.11 (`.nvmrc`).',
  ],
  person: async (at) => {
    await at.waitFor(/❯/)
    await at.submit('the dev server feels slow to start today, any idea?')
    await at.waitFor(/which node/)
    await at.submit('and see if the machine is just busy')
    await at.waitFor(/profile\.mjs/)
    await Bun.sleep(1500)
    await at.press('Escape')
    await at.waitFor(/[Ii]nterrupted/)
    await at.submit('never mind. which node version do we pin?')
    await at.waitFor(/We pin Node/)
  },
}
