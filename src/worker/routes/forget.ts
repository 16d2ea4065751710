import type { forget } from '../../wire/contract/forget.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'

const notYet = (): never => {
  throw new BadRequest('not available yet')
}

export const handlers = {
  'POST /api/forget/preview': notYet,
  'POST /api/forget': notYet,
  'POST /api/restore': notYet,
  'GET /api/forgotten': notYet,
} satisfies Handlers<typeof forget>
