import { cleanText } from '../../core/clean-text.ts'
import { BRIEF_BUDGET, briefFor, MAX_RECALL_TOKENS, recallFor } from '../../inject/brief.ts'
import { defaultAgent } from '../../integrations/agent.ts'
import type { InjectResponse, inject } from '../../wire/contract/inject.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { commandName } from '../../wire/start.ts'
import { resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'

export const handlers = {
  'GET /api/context/inject': injectContext,
  'POST /api/context/inject': injectContext,
} satisfies Handlers<typeof inject>

async function injectContext(
  services: Services,
  request: ParsedRequest<typeof inject, 'GET /api/context/inject'>,
): Promise<InjectResponse | Response> {
  const project = await resolveProject(services, request.project)
  if (!project) throw new BadRequest('project is missing; pass the key or a folder of a project')
  const tokens = Math.min(BRIEF_BUDGET.tokens, Math.max(0, request.tokens ?? BRIEF_BUDGET.tokens))
  const branch = request.branch?.slice(0, 300) || null
  const brief =
    request.prompt === undefined
      ? await briefFor(services.store, {
          project,
          now: Date.now(),
          budget: { ...BRIEF_BUDGET, tokens },
          command: commandName(),
          branch,
          maxNotes: request.k,
        })
      : await recallFor(
          services.store,
          { project, id: null },
          cleanText(request.prompt, services.rules(defaultAgent)).text,
          Date.now(),
          Math.min(tokens, MAX_RECALL_TOKENS),
          services.quickSemanticSearch,
        )
  if (request.format !== 'json') return new Response(brief.text, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
  const { left: omitted, leftOut: omittedObservations, text, items } = brief
  const message = 'said' in brief && typeof brief.said === 'string' ? { message: brief.said } : {}
  return { project, branch, text, tokens: brief.tokens, items, omittedObservations, omitted, ...message }
}
