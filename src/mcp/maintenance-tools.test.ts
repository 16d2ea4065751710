import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { servicesWithMcp } from '../../test/support/mcp-client.ts'

const at = await servicesWithMcp()
const { client } = at
afterAll(() => at[Symbol.asyncDispose]())

describe('memory_configure', () => {
  const savedSettings = () => (existsSync(at.desk.home.config) ? readFileSync(at.desk.home.config, 'utf8') : '')

  test('lists all settings, or one, with the source of each value', async () => {
    const all = await client.call('memory_configure')
    expect(all.text).toContain('key | value | source\n')
    expect(all.text).toContain('worker.idle_minutes | 30 | default')
    const one = await client.call('memory_configure', { key: 'worker.idle_minutes' })
    expect(one.text).toContain('worker.idle_minutes | 30 | default')
    expect(one.text).not.toContain('worker.port')
  })

  test('sets a setting, and resets it', async () => {
    expect((await client.call('memory_configure', { key: 'worker.idle_minutes', value: 45 })).text).toContain('worker.idle_minutes | 45 |')
    expect(savedSettings()).toContain('45')
    expect((await client.call('memory_configure', { key: 'worker.idle_minutes', unset: true })).text).toContain('| 30 | default')
    expect(savedSettings()).not.toContain('45')
  })

  test.each([
    'privacy.redact',
    'sync.remote',
    'model.provider',
    'embedder.base_url',
    'worker.port',
    'hooks.post_tool_use.skip_tools',
    'hooks.post_tool_use.exclude_patterns',
  ])('does not change %s: a model could be tricked into leaking memories with it', async (key) => {
    const before = savedSettings()
    for (const change of [{ value: 'https://evil.example' }, { unset: true }]) {
      const { text, isError } = await client.call('memory_configure', { key, ...change })
      expect([isError, text]).toEqual([true, expect.stringContaining(`Only the person may change ${key}`)])
    }
    expect(savedSettings()).toBe(before)
  })

  test('changes nothing without the name of a setting', async () => {
    expect(await client.call('memory_configure', { value: 'x' })).toMatchObject({ isError: true, text: expect.stringContaining('as key') })
  })
})

test('memory_status counts what is stored, and names each project', async () => {
  await client.call('memory_capture', { text: 'Sluices open at noon.' })
  const { text } = await client.call('memory_status')
  expect(text).toMatch(/sessions: 0, live 0 \| notes: 1, hidden 0, conflicted 0\n/)
  expect(text).toContain('last event: none')
  expect(text).toContain('sync: no remote')
  expect(text).not.toContain('problem:')
})

describe('memory_consolidate', () => {
  test('shows a plan without writing, carries it out, and reverts it', async () => {
    const notes = async () => Number(/notes: (\d+), hidden/.exec((await client.call('memory_status')).text)?.[1])
    expect((await client.call('memory_consolidate')).text).toContain('Nothing to consolidate.')
    await client.call('memory_capture', { text: 'Locks fill slowly.' })
    const { text } = await client.call('memory_capture', { text: 'Locks fill quickly.' })
    await client.call('memory_update', { id: /Saved as (N\w+)/.exec(text)?.[1], text: 'locks fill slowly' })
    const before = await notes()
    const planned = await client.call('memory_consolidate')
    expect(planned.text).toMatch(/keeps N\w+ [Ll]ocks fill[\s\S]*hides N\w+ [Ll]ocks fill[\s\S]*Nothing was written/)
    expect(await notes()).toBe(before)
    const applied = await client.call('memory_consolidate', { apply: true })
    expect(applied.text).toMatch(/hides N\w+ [Ll]ocks[\s\S]*Done\. To revert it within 30 days, pass undo: \d+\./)
    expect((await client.call('memory_consolidate', { undo: true })).text).toMatch(/^Reverted plan \d+: \d+ notes restored\.$/)
  })
})

test('memory_sync without a remote says what it would do, and changes nothing', async () => {
  const { text, isError } = await client.call('memory_sync', { dry_run: true })
  expect(isError).toBe(false)
  expect(text).toStartWith('Nothing was changed. A sync would do this:')
  expect(text).toContain('nothing pushed')
})
