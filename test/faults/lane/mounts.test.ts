import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/builders.ts'
import { aHome } from '../home.ts'
import { aClient } from './client.ts'
import { lacksMounts, mountPrivately } from './disk.ts'
import { expectHealthy, expectJournalIsTranscript, recover } from './recovery.ts'

const turn = (n: number) => ({ prompt: `Question ${n} about tides`, commands: [`echo ${n}`], answer: `Answer ${n} about tides.` })

/** A folder whose file system never answers, as on a network disk whose server is gone: no program reads the other end of FUSE. */
async function aDeadMount() {
  const folder = temporaryFolder()
  mkdirSync(join(folder.path, 'dead'))
  const options = 'fd=9,rootmode=40000,user_id=0,group_id=0'
  const mounts = await mountPrivately(`exec 9<>/dev/fuse && mount -i -t fuse -o ${options} dead ${folder.path}/dead`)
  return {
    ...mounts,
    dead: join(folder.path, 'dead'),
    [Symbol.asyncDispose]: async () => {
      await mounts[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

test.skipIf(lacksMounts)(
  'a project and a transcript on a dead mount hold up neither the worker nor other sessions',
  async () => {
    await using mount = await aDeadMount()
    using own = temporaryFolder()
    await using at = aHome({}, { prefix: mount.prefix, folder: own.path })
    mkdirSync(join(own.path, 'project'))
    await at.run('', 'start')
    const { prefix, dead } = mount
    const [stuck, alive] = [aClient(at, 'stuck', { prefix, folder: dead }), aClient(at, 'alive', { prefix })]
    await stuck.hook('SessionStart', { source: 'startup' })
    const started = performance.now()
    await alive.start()
    await alive.turn(turn(1))
    await stuck.hook('UserPromptSubmit', { prompt: 'Where am I?', prompt_id: 'p1' })
    await stuck.hook('PostToolUse', { prompt_id: 'p1', tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'ls' } })
    await stuck.hook('Stop', { prompt_id: 'p1', last_assistant_message: 'On a disk that is gone.' })
    await alive.turn(turn(2))
    expect(await at.run('', 'status')).toMatchObject({ code: 0, stderr: '' })
    await stuck.hook('SessionEnd', { reason: 'other' })
    await alive.end()
    await stuck.die()
    expect(performance.now() - started).toBeLessThan(60_000)
    await recover(at)
    await expectJournalIsTranscript(at, [alive])
    const prompts = await at.rows('prompts')
    expect(prompts.filter(({ sessionId }) => sessionId === 'stuck').map(({ text, answer }) => [text, answer])).toEqual([
      ['Where am I?', 'On a disk that is gone.'],
    ])
    expect(stuck.failures).toEqual([])
    await expectHealthy(at)
  },
  300_000,
)
