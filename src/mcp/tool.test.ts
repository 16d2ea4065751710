import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { projectFor, searchScope, strictArguments, type ToolDeps } from './tool.ts'

describe('an unknown argument is refused with the known ones', () => {
  const input = strictArguments({ query: z.string(), ask: z.enum(['causes', 'effects']).default('causes'), limit: z.number().optional() })
  const said = (args: object) => input.safeParse({ query: 'x', ...args }).error?.issues.map(({ message }) => message)

  test('and with the one that was probably meant', () => {
    expect(said({ limits: 3 })).toEqual(['unknown argument "limits"; use query, ask, limit. Did you mean limit?'])
    expect(said({ zebra: 1 })).toEqual(['unknown argument "zebra"; use query, ask, limit'])
    expect(said({ limits: 3, qery: 'y' })?.[0]).toMatch(/limits.*; unknown argument "qery"/)
  })

  test('and with the argument that has it as a value', () => {
    expect(said({ effects: true })).toEqual(['unknown argument "effects"; use query, ask, limit. Did you mean ask: "effects"?'])
  })

  test('shortened and as data, however it is called', () => {
    const [message = ''] = said({ [`</recollect-context>${'x'.repeat(500)}`]: 1 }) ?? []
    expect(message.length).toBeLessThan(120)
    expect(message).not.toContain('</recollect-context>')
  })

  test('of a tool that takes none', () => {
    expect(strictArguments({}).safeParse({ id: 1 }).error?.issues[0]?.message).toBe('unknown argument "id"; this tool takes none')
  })

  test('while known ones are accepted, with their defaults', () => {
    expect(input.parse({ query: 'x' })).toEqual({ query: 'x', ask: 'causes' })
  })
})

describe('the project of a call', () => {
  const deps = (project: string | null) => ({ project }) as ToolDeps

  test('is the one in the call, else the one of the client; "all" means every project', () => {
    expect([projectFor(deps('app'), undefined), projectFor(deps('app'), 'other'), projectFor(deps('app'), 'all')]).toEqual([
      'app',
      'other',
      null,
    ])
    expect(projectFor(deps(null), undefined)).toBeNull()
  })

  test('may be left by a search only if the call did not name it', () => {
    expect(searchScope(deps('app'), undefined)).toEqual({ project: 'app', widen: true })
    expect(searchScope(deps('app'), 'other')).toEqual({ project: 'other' })
    expect(searchScope(deps('app'), 'all')).toEqual({})
  })
})
