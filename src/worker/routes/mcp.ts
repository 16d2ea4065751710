import type { mcp } from '../../wire/contract/mcp.ts'
import type { Handlers } from '../router.ts'

export const handlers = { 'ANY /mcp': (_, __, { request, control }) => control.mcp(request) } satisfies Handlers<typeof mcp>
