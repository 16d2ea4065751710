import { formatAgo } from '../core/time-format.ts'
import { type HubOperator, openOperator } from '../hub/hub.ts'
import { hubDatabaseUrl } from '../platform/environment.ts'
import { RIGHTS, type Right } from '../wire/contract/hub.ts'
import { confirmed } from './confirm.ts'
import { requireAddress, withDatabase } from './hub-database.ts'
import { unknownValue } from './parse.ts'
import { dim, invalidInput, plural, print, printExactly, printJson, printTable } from './print.ts'

type Values = {
  database?: string | undefined
  role?: 'member' | 'admin' | undefined
  grant?: string[] | undefined
  hours?: number | undefined
  'device-of'?: string | undefined
  device?: string | undefined
  member?: string | undefined
  project?: string | undefined
  limit: number
  'dry-run'?: boolean | undefined
  yes?: boolean | undefined
  json?: boolean | undefined
}
type ManagementAction = (operator: HubOperator, words: string[], values: Values) => Promise<undefined>

const ACTIONS: Record<string, ManagementAction> = { invite, members, grants, revoke, erase, handover, retention, audit }

/** Manages members, rights and data of a hub, with access to its database. */
export async function manageHub(name: string, words: string[], values: Values): Promise<undefined> {
  const address = requireAddress(
    values.database ?? hubDatabaseUrl(),
    "which hub? Pass --database or set RECOLLECT_HUB_DATABASE to the address that 'recollect hub init' was given",
  )
  return withDatabase(address, 2, async (database) => ACTIONS[name]?.(openOperator(database), words, values))
}

/** Prints what would happen and stops at a dry run; otherwise asks. */
async function goesAhead(values: Values, question: string, facts: object): Promise<boolean> {
  if (values['dry-run']) {
    if (values.json) printJson({ dryRun: true, ...facts })
    else print(question.replace(/\?$/, '. Nothing was changed.'))
    return false
  }
  return values.yes || (await confirmed(question))
}

const DEFAULT_HOURS = 72

async function invite(operator: HubOperator, [name]: string[], values: Values): Promise<undefined> {
  const deviceOf = values['device-of'] ?? null
  if ((name === undefined) === (deviceOf === null)) throw invalidInput('pass the name of a new member, or --device-of with a member')
  const grants = (values.grant ?? []).map(parseGrant)
  const invitation = { name: name ?? null, role: values.role ?? 'member', grants, hours: values.hours ?? DEFAULT_HOURS, deviceOf }
  if (values['dry-run']) return print(`Would invite ${name ?? `another device of ${deviceOf}`}. Nothing was changed.`)
  const invited = await operator.invite(invitation)
  if (values.json) return printJson(invited)
  print(`The code works once, until ${new Date(invited.expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC:`)
  printExactly(invited.code)
  print(dim('On the laptop: recollect team join <address of the hub> <code>'))
}

function parseGrant(text: string): { project: string; may: Right } {
  const [, project = '', may = ''] = /^(.+)=([^=]*)$/.exec(text) ?? []
  const right = RIGHTS.find((name) => name === may)
  if (!project || !right) throw invalidInput(`--grant must be a project and a right, such as my-project=write, not "${text}"`)
  return { project, may: right }
}

async function members(operator: HubOperator, _: string[], values: Values): Promise<undefined> {
  const list = await operator.members()
  if (values.json) return printJson(list)
  if (list.length === 0) return print('There are no members yet. Invite the first one: recollect hub invite <name> --role admin')
  for (const { id, name, role, disabledAt, devices } of list) {
    print(`${name}${role === 'admin' ? ' (admin)' : ''}${disabledAt === null ? '' : ' (disabled)'}  ${dim(id)}`)
    const rows = devices.map((device) => [
      `  ${device.name}`,
      device.id,
      device.revokedAt !== null
        ? 'revoked'
        : device.lastSeenAt === null
          ? 'never seen'
          : `seen ${formatAgo(device.lastSeenAt, Date.now())}`,
    ])
    if (rows.length > 0) printTable(rows)
  }
}

async function grants(operator: HubOperator, [project, member, right]: string[], values: Values): Promise<undefined> {
  if (project === undefined) {
    const list = await operator.members()
    const rows = list.flatMap(({ name, grants }) => grants.map(({ project, may }) => ({ project, member: name, may })))
    if (values.json) return printJson(rows)
    if (rows.length === 0) return print('No member has a right in a project yet.')
    return printTable(rows.map(({ project, member, may }) => [project, member, may]))
  }
  if (member === undefined || right === undefined) throw invalidInput('pass the project, the member and the right')
  const may = right === 'none' ? null : RIGHTS.find((name) => name === right)
  if (may === undefined) throw invalidInput(unknownValue('right', right, [...RIGHTS, 'none']))
  const question = may === null ? `Take all rights in ${project} from ${member}?` : `Let ${member} ${may} in ${project}?`
  // Giving a right can be undone, so only taking one is confirmed.
  if ((values['dry-run'] || may === null) && !(await goesAhead(values, question, { project, member, may }))) return
  await operator.changeGrant(project, member, may)
  if (values.json) return printJson({ project, member, may })
  return print(may === null ? `${member} has no right in ${project} any more.` : `${member} may ${may} in ${project}.`)
}

const DEVICE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function revoke(operator: HubOperator, _: string[], values: Values): Promise<undefined> {
  const { device, member } = values
  if ((device === undefined) === (member === undefined)) throw invalidInput('pass either --device or --member')
  if (device !== undefined && !DEVICE_ID.test(device))
    throw invalidInput(`"${device}" is not a device id; 'recollect hub members' lists them`)
  const what = device === undefined ? `all devices of ${member}, who then cannot join again` : `the device ${device}`
  if (!(await goesAhead(values, `Revoke ${what}?`, { device, member }))) return
  const revoked = device === undefined ? await operator.disableMember(member ?? '') : { devices: 1 }
  if (device !== undefined) await operator.revokeDevice(device)
  if (values.json) return printJson(revoked)
  return print(`Revoked ${plural(revoked.devices, 'device')}.`)
}

async function erase(operator: HubOperator, [member = '']: string[], values: Values): Promise<undefined> {
  const found = await operator.erase(member, true)
  const what = `${plural(found.memories, 'shared memory', 'shared memories')}, ${plural(found.devices, 'device')} and ${plural(found.sealed, 'sealed item')}`
  if (!(await goesAhead(values, `Erase ${what} and the name of ${member}, on the hub and on every laptop?`, found))) return
  const erased = await operator.erase(member, false)
  if (values.json) return printJson(erased)
  return print(`Erased. Laptops delete the memories when they next pull; backups of the database still contain them.`)
}

async function handover(operator: HubOperator, [from = '', to = '']: string[], values: Values): Promise<undefined> {
  const project = values.project ?? null
  const found = await operator.handOver(from, to, project, true)
  const question = `Make ${to} the author of ${plural(found, 'memory', 'memories')} of ${from}?`
  if (!(await goesAhead(values, question, { memories: found }))) return
  const memories = await operator.handOver(from, to, project, false)
  if (values.json) return printJson({ memories })
  return print(`${to} is now the author of ${plural(memories, 'memory', 'memories')}.`)
}

const MAX_DAYS = 36_500

async function retention(operator: HubOperator, [project, days]: string[], values: Values): Promise<undefined> {
  if (project === undefined) {
    const list = await operator.projects()
    if (values.json) return printJson(list)
    if (list.length === 0) return print('There are no projects yet.')
    return printTable(list.map(({ key, retainDays }) => [key, retainDays === null ? 'forever' : plural(retainDays, 'day')]))
  }
  const retainDays = days === 'forever' ? null : /^\d{1,5}$/.test(days ?? '') ? Number(days) : undefined
  if (retainDays === undefined || retainDays === 0 || (retainDays ?? 1) > MAX_DAYS)
    throw invalidInput(`pass a number of days from 1 to ${MAX_DAYS}, or forever`)
  if (retainDays !== null) {
    const memories = await operator.countExpiring(project, retainDays)
    const question = `Keep memories of ${project} for ${plural(retainDays, 'day')} after their last change, and delete ${memories} that are older now?`
    if (!(await goesAhead(values, question, { project, retainDays, memories }))) return
  } else if (values['dry-run']) return print(`Would keep memories of ${project} forever. Nothing was changed.`)
  await operator.changeProject(project, { retainDays })
  if (values.json) return printJson({ project, retainDays })
  return print(retainDays === null ? `${project} keeps memories forever.` : `${project} keeps memories for ${plural(retainDays, 'day')}.`)
}

async function audit(operator: HubOperator, _: string[], values: Values): Promise<undefined> {
  const entries = await operator.audit(values.project ?? null, null, values.limit)
  if (values.json) return printJson(entries)
  if (entries.length === 0) return print('Nothing is recorded yet.')
  return printTable(
    entries.map(({ at, action, project, member, memory, details }) => [
      new Date(at).toISOString().slice(0, 19).replace('T', ' '),
      action,
      project ?? '',
      member ?? 'operator',
      [memory, ...Object.entries(details).map(([name, value]) => `${name}: ${value}`)].filter(Boolean).join(', '),
    ]),
  )
}
