import { RIGHTS } from '../../wire/contract/hub.ts'
import { dryRun, json, limit, yes } from '../command.ts'
import { defineCommand, seeHelp, unknownValue } from '../parse.ts'
import { invalidInput } from '../print.ts'

const ACTIONS = ['init', 'start', 'invite', 'members', 'grants', 'revoke', 'erase', 'handover', 'retention', 'audit'] as const

export const command = defineCommand({
  name: 'hub',
  summary: 'run and manage the server through which a team shares memories',
  usage: `recollect hub init --database URL [--credentials FILE] [--partitions N] [--new-password]
       recollect hub start [--database URL | --credentials FILE] [--host H] [--port N] [--cert FILE --key FILE | --behind-proxy]
       recollect hub invite <name> [--role admin] [--grant PROJECT=RIGHT] [--hours N]
       recollect hub invite --device-of <member> [--hours N]
       recollect hub members
       recollect hub grants [<project> <member> read|write|curate|none]
       recollect hub revoke --device ID | --member <member>
       recollect hub handover <from> <to> [--project P]
       recollect hub erase <member>
       recollect hub retention [<project> <days>|forever]
       recollect hub audit [--project P] [--limit N]

  init creates the roles, tables and partitions in a PostgreSQL database, or updates them, and writes the address for the hub's own role
  into a private file (by default hub.env in the home). start uses that file. All other actions need the address that init was given, in --database
  or RECOLLECT_HUB_DATABASE. A member is named by name or id. The guide: docs/guide/hub.md`,
  words: '<action> …',
  options: {
    database: { type: 'string', value: 'URL', about: 'postgres://user:password@host/database; also RECOLLECT_HUB_DATABASE' },
    credentials: { type: 'string', value: 'FILE', about: "init, start: the file with the address for the hub's own role" },
    'new-password': { type: 'boolean', about: "init: give the hub's role a new password" },
    partitions: {
      type: 'string',
      value: 'N',
      range: [1, 256],
      about: 'init: parts of the table of memories (default 16); fixed afterwards',
    },
    host: { type: 'string', value: 'H', about: 'start: the address to listen on (default 127.0.0.1)' },
    port: { type: 'string', value: 'N', range: [0, 65_535], about: 'start: the port (default 7077)' },
    cert: { type: 'string', value: 'FILE', about: 'start: the TLS certificate, as PEM' },
    key: { type: 'string', value: 'FILE', about: 'start: its private key, as PEM' },
    'behind-proxy': { type: 'boolean', about: 'start: a reverse proxy does TLS, so listen without it on --host' },
    metrics: { type: 'string', value: 'HOST:PORT', about: 'start: serve /metrics for Prometheus there' },
    connections: { type: 'string', value: 'N', range: [2, 500], about: 'start: connections to PostgreSQL (default 20)' },
    role: { type: 'string', of: ['member', 'admin'], about: 'invite: admins invite, revoke and erase members' },
    grant: { type: 'string', multiple: true, value: 'P=RIGHT', about: 'invite: a right in a project; can be repeated' },
    hours: { type: 'string', value: 'N', range: [1, 720], about: 'invite: how long the code works (default 72)' },
    'device-of': { type: 'string', value: 'MEMBER', about: 'invite: a code for another device of this member' },
    device: { type: 'string', value: 'ID', about: 'revoke: the device' },
    member: { type: 'string', value: 'MEMBER', about: 'revoke: all devices of the member, who can no longer join' },
    project: { type: 'string', value: 'P', about: 'handover, audit: only this project' },
    limit: limit('50', 1000),
    'dry-run': dryRun,
    yes,
    json,
  },
  async run({ values, positionals }) {
    const [action, ...words] = positionals
    if (action === undefined) throw invalidInput(`which action? Use one of: ${ACTIONS.join(', ')}; ${seeHelp('hub')}`)
    const known = ACTIONS.find((name) => name === action)
    if (!known) throw invalidInput(unknownValue('hub action', action, ACTIONS))
    const [least, most] = WORDS[known]
    if (words.length < least || words.length > most)
      throw invalidInput(`wrong number of arguments for 'hub ${known}'; use: ${CALLS[known]}`)
    if (known === 'init') return (await import('../hub-server.ts')).initHubDatabase(values)
    if (known === 'start') return (await import('../hub-server.ts')).runHub(values)
    return (await import('../hub-management.ts')).manageHub(known, words, values)
  },
})

/** How many words each action takes: at least, at most. */
const WORDS: Record<(typeof ACTIONS)[number], [number, number]> = {
  init: [0, 0],
  start: [0, 0],
  invite: [0, 1],
  members: [0, 0],
  grants: [0, 3],
  revoke: [0, 0],
  erase: [1, 1],
  handover: [2, 2],
  retention: [0, 2],
  audit: [0, 0],
}
const CALLS: Record<(typeof ACTIONS)[number], string> = {
  init: 'recollect hub init --database URL',
  start: 'recollect hub start',
  invite: 'recollect hub invite <name>, or recollect hub invite --device-of <member>',
  members: 'recollect hub members',
  grants: `recollect hub grants, or recollect hub grants <project> <member> ${RIGHTS.join('|')}|none`,
  revoke: 'recollect hub revoke --device ID, or recollect hub revoke --member <member>',
  erase: 'recollect hub erase <member>',
  handover: 'recollect hub handover <from> <to>',
  retention: 'recollect hub retention, or recollect hub retention <project> <days>|forever',
  audit: 'recollect hub audit',
}
