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

/** What opening the models needs of the worker. */
export type OpenModelsDeps = {
  settings: StartSettings
  environment: Environment
  home: Home
  store: Store
  prices: Prices
  clean(text: string): string
  say(what: string): void
}

/** One model that can be asked, and the smaller one for simple questions. */
export type ModelChainMember = { provider: string; full: TextModel; cheap: TextModel | null; isFree: boolean }

/**
 * The text models of the settings as one: the first that can answers. Every question is counted, and none is asked that could cost more
 * than the person wants to spend. Keys come from where the person keeps them; a path that is not absolute begins at the home.
 */
export async function openModels(means: OpenModelsDeps): Promise<OpenedTextModel> {
  const wanted = configuredModels(means.settings, means.environment)
  const [first] = wanted
  if (!first) return openTextModel({ provider: 'plain', name: '', base_url: '', api_key_file: '' }, {}, means.clean)
  const keys = await keysFor(wanted, means.environment)
  const sdk = wanted.some(({ provider }) => provider === 'claude') ? await installAgentSdk(means) : 'nobody wants it'
  const members: ModelChainMember[] = []
  const reasons: string[] = []
  for (const settings of wanted) {
    const open = (name: string) => openTextModel({ ...settings, name }, keys, means.clean, undefined, sdk)
    const full = open(settings.name)
    const cheap = settings === first && means.settings.model.cheap_name ? open(means.settings.model.cheap_name) : null
    if (full.kind === 'absent') reasons.push(full.reason)
    else {
      const isFree = settings.provider === 'openai' && isOnThisMachine({ ...settings, provider: 'openai' })
      members.push({ provider: settings.provider, full: full.model, cheap: cheap?.kind === 'ready' ? cheap.model : null, isFree })
    }
  }
  for (const reason of reasons) means.say(reason)
  return members.length > 0 ? { kind: 'ready', model: chainModels(members, means) } : { kind: 'absent', reason: reasons.join('; ') }
}

/** The model of the settings and those to fall back to. A key file is for the first: the others have keys of their own. */
function configuredModels({ model }: StartSettings, environment: Environment): TextModelSettings[] {
  if (model.provider === 'plain') return []
  const file = model.api_key_file === '' ? '' : resolve(environment.home, model.api_key_file.replace(/^~(?=\/)/, environment.userHome))
  const fallbacks = model.fallbacks.map((written) => {
    const [, provider = '', name = '', base_url = ''] = /^(\w+):([^@\s]+)(?:@(\S+))?$/.exec(written) ?? []
    return { provider: provider as TextModelSettings['provider'], name, base_url, api_key_file: '' }
  })
  return [{ provider: model.provider, name: model.name, base_url: model.base_url, api_key_file: file }, ...fallbacks]
}

/** The keychain is asked last, and only for what is missing: it may be locked. */
async function keysFor(wanted: TextModelSettings[], environment: Environment): Promise<Record<string, string>> {
  const keys = { ...environment.keys }
  for (const host of new Set(wanted.map((settings) => hostMissingKey(settings, keys)))) {
    const secret = host ? await readKeychainSecret(host, environment.path) : null
    if (host && secret) keys[keychainName(host)] = secret
  }
  return keys
}

async function installAgentSdk({ environment, home, say }: OpenModelsDeps): Promise<AgentSdk | string> {
  const client = await findClient(environment)
  if (!client) return 'model.provider = "claude" needs the Claude Code client, which is not on the PATH of the worker'
  say(`${AGENT_SDK.name} is fetched into ${home.packages} unless it is there`)
  const trouble = await installPackage(home.packages, AGENT_SDK.name, AGENT_SDK.version)
  return trouble ?? { packages: home.packages, executable: client.path, folder: home.thinking }
}

/** How long a model is left alone after each kind of trouble; one that says itself when to come back is believed. */
const REST_AFTER_FAILURE_MS: Record<FailureReason, number> = {
  auth: 600_000,
  quota: 600_000,
  rate: 30_000,
  network: 15_000,
  'bad-answer': 5_000,
}

/** Asks one after the other until one answers. */
export function chainModels(
  members: ModelChainMember[],
  means: Pick<OpenModelsDeps, 'settings' | 'store' | 'prices'>,
  now = () => Date.now(),
): TextModel {
  const resting = new Map<ModelChainMember, { until: number; failure: ModelChainFailure }>()
  let pending = 0
  const [first] = members

  const budgets = async () => {
    const { daily_usd, monthly_usd } = means.settings.model
    const day = dayOf(now())
    return [
      { name: 'day', limit: daily_usd, spent: (await means.store.costs.spent(day, day)).usd },
      { name: 'month', limit: monthly_usd, spent: (await means.store.costs.spent(`${day.slice(0, 7)}-01`, day)).usd },
    ].filter(({ limit }) => limit > 0)
  }

  /** Why it may not be asked; null when what it could cost is set aside for it, so that two at once do not spend the same dollar. */
  const setAside = async (price: Price | null, worst: number): Promise<string | null> => {
    const limits = await budgets()
    if (limits.length > 0 && !price) return 'its price is not known, and there is a budget: write it into prices.toml in the home'
    const over = limits.find(({ limit, spent }) => spent + pending + worst > limit)
    if (over) return `the budget of the ${over.name} ($${over.limit}) is spent but for $${Math.max(0, over.limit - over.spent).toFixed(4)}`
    pending += worst
    return null
  }

  const askOne = async (member: ModelChainMember, model: TextModel, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> => {
    signal.throwIfAborted()
    // A gateway on this machine may lead to a model with a price; one that has none costs nothing here.
    const price = findPrice(means.prices, model.name) ?? (member.isFree ? FREE_PRICE : null)
    const most: Usage = { input: estimateInputTokens(request) + (model.overhead ?? 0), output: request.maxTokens, cached: 0 }
    const worst = price ? costInUsd(price, most) : 0
    const refused = await setAside(price, worst)
    if (refused) return { ...NO_MODEL_ASKED, message: `${model.name} was not asked: ${refused}` }
    const record = (failed: boolean, usage: Usage, paid: Price | null) =>
      means.store.transaction(() =>
        means.store.costs.add({
          day: dayOf(now()),
          provider: member.provider,
          model: model.name,
          project: request.about?.project ?? '',
          purpose: request.about?.purpose ?? 'notes',
          calls: 1,
          failed: failed ? 1 : 0,
          ...usage,
          usd: paid ? costInUsd(paid, usage) : 0,
          unpriced: paid || usage.input + usage.output === 0 ? 0 : 1,
        }),
      )
    try {
      const answer = await model.ask(request, signal).catch(async (cause) => {
        // Whoever is told to stop may go on for a while, and nobody hears what it charges for that.
        await record(true, most, price)
        throw cause
      })
      const usage = answer.usage === 'unknown' ? most : (answer.usage ?? NO_USAGE)
      // A short name may stand for one model today and for another tomorrow.
      const paid = (answer.kind === 'answered' && answer.by ? findPrice(means.prices, answer.by) : null) ?? price
      await record(answer.kind === 'failed', usage, paid)
      return answer
    } finally {
      pending -= worst
    }
  }

  return {
    name: first?.full.name ?? '',
    overhead: Math.max(...members.map(({ full }) => full.overhead ?? 0)),
    currentProblem: () => [...resting.values()].find(({ until }) => until > now())?.failure.message ?? null,
    ask: async (request, signal) => {
      const failures: ModelChainFailure[] = []
      for (const member of members) {
        const rest = resting.get(member)
        if (rest && rest.until > now()) {
          failures.push({ ...rest.failure, retryAfterMs: rest.until - now() })
          continue
        }
        const model = request.isSimple && member.cheap ? member.cheap : member.full
        const answer = await askOne(member, model, request, signal)
        if (answer.kind === 'answered') {
          resting.delete(member)
          return { ...answer, by: answer.by ?? model.name }
        }
        resting.set(member, { until: now() + (answer.retryAfterMs ?? REST_AFTER_FAILURE_MS[answer.reason]), failure: answer })
        failures.push({ ...answer, retryAfterMs: answer.retryAfterMs ?? REST_AFTER_FAILURE_MS[answer.reason] })
      }
      // Whoever may be asked soonest decides when it is worth asking again.
      return failures.sort((a, b) => (a.retryAfterMs ?? 0) - (b.retryAfterMs ?? 0))[0] ?? NO_MODEL_ASKED
    },
  }
}

type ModelChainFailure = Extract<ModelAnswer, { kind: 'failed' }>

const NO_USAGE: Usage = { input: 0, output: 0, cached: 0 }
const FREE_PRICE: Price = { input: 0, cached: 0, output: 0 }
const NO_MODEL_ASKED: ModelChainFailure = { kind: 'failed', reason: 'quota', message: 'no model could be asked', retryAfterMs: null }

/** The day on the person's own calendar. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
