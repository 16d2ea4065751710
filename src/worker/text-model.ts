import { resolve } from 'node:path'
import { findClient } from '../integrations/install.ts'
import type { Environment } from '../platform/environment.ts'
import { readKeychainSecret } from '../platform/keychain.ts'
import { installPackage } from '../platform/packages.ts'
import type { Home } from '../platform/paths.ts'
import { costInUsd, findPrice, type Price, type Prices } from '../platform/prices.ts'
import type { StartSettings } from '../platform/settings.ts'
import {
  AGENT_SDK,
  type AgentSdk,
  estimateInputTokens,
  type FailureReason,
  hostMissingKey,
  isOnThisMachine,
  keychainName,
  type ModelAnswer,
  type ModelRequest,
  type OpenedTextModel,
  openTextModel,
  type TextModel,
  type TextModelSettings,
  type Usage,
} from '../providers/text.ts'
import type { Store } from '../store/store.ts'

/** What `openModels` needs from the worker. */
export type OpenModelsDeps = {
  settings: StartSettings
  environment: Environment
  home: Home
  store: Store
  prices: Prices
  clean(text: string): string
  logInfo(message: string): void
}

/** A configured model, and the cheaper one for simple requests. */
export type ModelChainMember = { provider: string; full: TextModel; cheap: TextModel | null; isFree: boolean }

/**
 * Opens the text models of the settings as one: the first one that can answers. Every request is recorded with its cost, and a request
 * that could exceed the person's budget is not sent. A relative path to a key file is relative to the home.
 */
export async function openModels(deps: OpenModelsDeps): Promise<OpenedTextModel> {
  const configured = configuredModels(deps.settings, deps.environment)
  const [first] = configured
  if (!first) return openTextModel({ provider: 'plain', name: '', base_url: '', api_key_file: '' }, {}, deps.clean)
  const keys = await keysFor(configured, deps.environment)
  const sdk = configured.some(({ provider }) => provider === 'claude') ? await installAgentSdk(deps) : 'no configured model needs it'
  const members: ModelChainMember[] = []
  const reasons: string[] = []
  for (const settings of configured) {
    const open = (name: string) => openTextModel({ ...settings, name }, keys, deps.clean, undefined, sdk)
    const full = open(settings.name)
    const cheap = settings === first && deps.settings.model.cheap_name ? open(deps.settings.model.cheap_name) : null
    if (full.kind === 'absent') reasons.push(full.reason)
    else {
      const isFree = settings.provider === 'openai' && isOnThisMachine({ ...settings, provider: 'openai' })
      members.push({ provider: settings.provider, full: full.model, cheap: cheap?.kind === 'ready' ? cheap.model : null, isFree })
    }
  }
  for (const reason of reasons) deps.logInfo(reason)
  return members.length > 0 ? { kind: 'ready', model: chainModels(members, deps) } : { kind: 'absent', reason: reasons.join('; ') }
}

/** The model of the settings and its fallbacks. The key file belongs to the first; fallbacks have keys of their own. */
function configuredModels({ model }: StartSettings, environment: Environment): TextModelSettings[] {
  if (model.provider === 'plain') return []
  const file = model.api_key_file === '' ? '' : resolve(environment.home, model.api_key_file.replace(/^~(?=\/)/, environment.userHome))
  const fallbacks = model.fallbacks.map((fallback) => {
    const [, provider = '', name = '', base_url = ''] = /^(\w+):([^@\s]+)(?:@(\S+))?$/.exec(fallback) ?? []
    return { provider: provider as TextModelSettings['provider'], name, base_url, api_key_file: '' }
  })
  return [{ provider: model.provider, name: model.name, base_url: model.base_url, api_key_file: file }, ...fallbacks]
}

/** The keychain comes last and only for missing keys, because it may be locked. */
async function keysFor(configured: TextModelSettings[], environment: Environment): Promise<Record<string, string>> {
  const keys = { ...environment.keys }
  for (const host of new Set(configured.map((settings) => hostMissingKey(settings, keys)))) {
    const secret = host ? await readKeychainSecret(host, environment.path) : null
    if (host && secret) keys[keychainName(host)] = secret
  }
  return keys
}

async function installAgentSdk({ environment, home, logInfo }: OpenModelsDeps): Promise<AgentSdk | string> {
  const client = await findClient(environment)
  if (!client) return 'model.provider = "claude" needs the claude command, but it is not on the worker\'s PATH'
  logInfo(`installing ${AGENT_SDK.name} into ${home.packages} unless it is already there`)
  const problem = await installPackage(home.packages, AGENT_SDK.name, AGENT_SDK.version)
  return problem ?? { packages: home.packages, executable: client.path, folder: home.thinking }
}

type ChainDeps = Pick<OpenModelsDeps, 'settings' | 'store' | 'prices'>
type ModelChainFailure = Extract<ModelAnswer, { kind: 'failed' }>

const NO_MODEL_ASKED: ModelChainFailure = { kind: 'failed', reason: 'quota', message: 'no model could be asked', retryAfterMs: null }

/** One model made of several: asks each in turn until one answers, and leaves a model that failed alone for a while. */
export function chainModels(members: ModelChainMember[], deps: ChainDeps, now = () => Date.now()): TextModel {
  const paused = openPausedMembers(now)
  const ask = openMeteredModel(deps, now)
  return {
    name: members[0]?.full.name ?? '',
    overhead: Math.max(...members.map(({ full }) => full.overhead ?? 0)),
    currentProblem: paused.problem,
    ask: async (request, signal) => {
      const failures: ModelChainFailure[] = []
      for (const member of members) {
        const pause = paused.failureOf(member)
        if (pause) {
          failures.push(pause)
          continue
        }
        const model = request.isSimple && member.cheap ? member.cheap : member.full
        const answer = await ask(member, model, request, signal)
        if (answer.kind === 'answered') {
          paused.resume(member)
          return { ...answer, by: answer.by ?? model.name }
        }
        failures.push(paused.pause(member, answer))
      }
      // The caller retries when the first of the models may be asked again.
      return failures.sort((a, b) => (a.retryAfterMs ?? 0) - (b.retryAfterMs ?? 0))[0] ?? NO_MODEL_ASKED
    },
  }
}

/** How long a model is left alone after each kind of failure, unless it says itself when to come back. */
const PAUSE_AFTER_FAILURE_MS: Record<FailureReason, number> = {
  auth: 600_000,
  quota: 600_000,
  rate: 30_000,
  network: 15_000,
  'bad-answer': 5_000,
}

/** The members of a chain that failed a short time ago. */
function openPausedMembers(now: () => number) {
  const paused = new Map<ModelChainMember, { until: number; failure: ModelChainFailure }>()
  return {
    /** The failure of a member that is still paused, with the time that is left; null when it may be asked. */
    failureOf: (member: ModelChainMember): ModelChainFailure | null => {
      const pause = paused.get(member)
      return pause && pause.until > now() ? { ...pause.failure, retryAfterMs: pause.until - now() } : null
    },
    pause: (member: ModelChainMember, failure: ModelChainFailure): ModelChainFailure => {
      const retryAfterMs = failure.retryAfterMs ?? PAUSE_AFTER_FAILURE_MS[failure.reason]
      paused.set(member, { until: now() + retryAfterMs, failure })
      return { ...failure, retryAfterMs }
    },
    resume: (member: ModelChainMember) => void paused.delete(member),
    problem: () => [...paused.values()].find(({ until }) => until > now())?.failure.message ?? null,
  }
}

const NO_USAGE: Usage = { input: 0, output: 0, cached: 0 }
const FREE_PRICE: Price = { input: 0, cached: 0, output: 0 }

/** Asks one model within the budget, and records what the request cost. */
function openMeteredModel({ settings, store, prices }: ChainDeps, now: () => number) {
  const budget = openBudget(settings, store, now)
  const record = (
    member: ModelChainMember,
    model: TextModel,
    { about }: ModelRequest,
    failed: boolean,
    usage: Usage,
    price: Price | null,
  ) =>
    store.transaction(() =>
      store.costs.add({
        day: dayOf(now()),
        provider: member.provider,
        model: model.name,
        project: about?.project ?? '',
        purpose: about?.purpose ?? 'notes',
        calls: 1,
        failed: failed ? 1 : 0,
        ...usage,
        usd: price ? costInUsd(price, usage) : 0,
        unpriced: price || usage.input + usage.output === 0 ? 0 : 1,
      }),
    )

  return async (member: ModelChainMember, model: TextModel, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> => {
    signal.throwIfAborted()
    // A gateway on this machine may forward to a model with a price; without a price, a local model is free.
    const price = findPrice(prices, model.name) ?? (member.isFree ? FREE_PRICE : null)
    const maxUsage: Usage = { input: estimateInputTokens(request) + (model.overhead ?? 0), output: request.maxTokens, cached: 0 }
    const maxUsd = price ? costInUsd(price, maxUsage) : 0
    const refusal = await budget.reserve(price, maxUsd)
    if (refusal) return { ...NO_MODEL_ASKED, message: `${model.name} was not asked: ${refusal}` }
    try {
      const answer = await model.ask(request, signal).catch(async (cause) => {
        // An aborted request may go on at the provider, which does not report its cost. Assume the most it could be.
        await record(member, model, request, true, maxUsage, price)
        throw cause
      })
      const usage = answer.usage === 'unknown' ? maxUsage : (answer.usage ?? NO_USAGE)
      // A short name may be an alias, so the model that answered decides the price.
      const paid = (answer.kind === 'answered' && answer.by ? findPrice(prices, answer.by) : null) ?? price
      await record(member, model, request, answer.kind === 'failed', usage, paid)
      return answer
    } finally {
      budget.release(maxUsd)
    }
  }
}

/** The daily and the monthly budget, and what requests in progress may still cost. */
function openBudget({ model }: StartSettings, store: Store, now: () => number) {
  let reservedUsd = 0
  const limits = async () => {
    const day = dayOf(now())
    return [
      { period: 'daily', limit: model.daily_usd, spent: (await store.costs.spent(day, day)).usd },
      { period: 'monthly', limit: model.monthly_usd, spent: (await store.costs.spent(`${day.slice(0, 7)}-01`, day)).usd },
    ].filter(({ limit }) => limit > 0)
  }
  return {
    /** Why a request may not be sent; null when its cost is reserved, so two requests at once cannot spend the same dollar. */
    reserve: async (price: Price | null, usd: number): Promise<string | null> => {
      const set = await limits()
      if (set.length > 0 && !price) return 'its price is not known, and there is a budget; add the price to prices.toml in the home'
      const over = set.find(({ limit, spent }) => spent + reservedUsd + usd > limit)
      if (over)
        return `the ${over.period} budget ($${over.limit}) has $${Math.max(0, over.limit - over.spent).toFixed(4)} left, which is not enough`
      reservedUsd += usd
      return null
    },
    release: (usd: number): void => {
      reservedUsd -= usd
    },
  }
}

/** The day in the person's time zone, as YYYY-MM-DD. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
