import { dryRun, json, yes } from '../command.ts'
import { defineCommand, seeHelp } from '../parse.ts'
import { invalidInput } from '../print.ts'
import {
  grantRight,
  handOver,
  invite,
  joinTeam,
  leaveTeam,
  listConflicts,
  listDevices,
  listMembers,
  ownMachines,
  printTeam,
  resolveTeamConflict,
  reviewMemories,
  shareProject,
  syncTeam,
  withdraw,
} from '../team-actions.ts'

export const command = defineCommand({
  name: 'team',
  summary: 'share memories with the people you work with',
  usage: `recollect team [status] [--json]
       recollect team join [<url>] <code> [--device NAME] [--json]
       recollect team share <project> [--policy notes|notes+distilled] [--note ID] [--create] [--dry-run] [--yes] [--json]
       recollect team withdraw <project> | --note ID [--dry-run] [--yes] [--json]
       recollect team review [accept|reject <id>] | on|off <project> [--json]
       recollect team conflicts [--resolve ID --mine|--theirs] [--json]
       recollect team members | devices [--revoke ID] [--json]
       recollect team grant <project> <member> read|write|curate|none [--json]
       recollect team invite [<name>] [--json]
       recollect team own on [--phrase] | phrase | off [--dry-run] [--yes] [--json]
       recollect team handover <member> [--project P] [--dry-run] [--yes] [--json]
       recollect team sync [--json]
       recollect team leave [--delete] [--dry-run] [--yes] [--json]

  A team runs a hub ('recollect hub'). Nothing is shared until you share a project. Then lasting notes that you wrote or accepted go to the
  members who may read the project, and theirs come to you with their author's name. Prompts, tool uses, transcripts, session notes,
  proposals, global and local notes stay here. See docs/guide/team.md.

  share       share a project's notes, or with notes+distilled its observations and summaries too; lists first what would be sent
  withdraw    stop sharing, and delete on the hub and on every laptop what you shared
  review      list what members proposed, and accept or reject it, if you may curate the project; 'review on <project>' requires it
  conflicts   memories that two people or machines changed; both versions are kept until you choose
  grant       give a member a right in a project that you curate; whoever shares a project first curates it
  invite      make a code: without a name for another machine of yours, with one for a new member if you are an admin
  own         share your private sessions and notes between your own machines, sealed with a recovery phrase that the hub never has;
              'own phrase' makes a new one
  handover    make another member the author of what you shared, in projects that you curate
  leave       remove the copies of others' memories and this machine's access; --delete also deletes what you shared`,
  words: '[status | join | share | withdraw | review | conflicts | members | devices | grant | invite | own | handover | sync | leave]',
  options: {
    policy: { type: 'string', of: ['notes', 'notes+distilled'], about: 'with share: what to share (default: the setting team.share)' },
    note: { type: 'string', value: 'ID', about: 'with share and withdraw: only this note' },
    create: { type: 'boolean', about: 'with share: also a project that neither this machine nor the hub knows' },
    project: { type: 'string', value: 'P', about: 'with handover: only in this project' },
    device: { type: 'string', value: 'NAME', about: 'with join: the name of this machine for the team' },
    revoke: { type: 'string', value: 'ID', about: 'with devices: end the access of one of your devices' },
    resolve: { type: 'string', value: 'ID', about: 'with conflicts: choose a version' },
    phrase: { type: 'boolean', about: 'with own on: enter the recovery phrase of your other machines (or pass it on standard input)' },
    mine: { type: 'boolean', about: 'with --resolve: the team gets your version' },
    theirs: { type: 'boolean', about: "with --resolve: your note gets the team's version" },
    delete: { type: 'boolean', about: 'with leave: delete on the hub what you shared' },
    'dry-run': dryRun,
    yes,
    json,
  },
  async run({ values, positionals: [action = 'status', ...words] }) {
    const options = { json: values.json ?? false, dryRun: values['dry-run'] ?? false, yes: values.yes ?? false }
    const most = MAX_WORDS[action]
    if (most === undefined) throw invalidInput(`unknown team action "${action}"; use one of: ${Object.keys(MAX_WORDS).join(', ')}`)
    if (words.length > most) throw invalidInput(`unexpected argument "${words[most]}"; ${seeHelp('team')}`)
    switch (action) {
      case 'status':
        return printTeam(options)
      case 'join':
        return joinTeam(words, values.device, options)
      case 'share':
        return shareProject(words[0], { policy: values.policy, note: values.note, create: values.create ?? false }, options)
      case 'withdraw':
        return withdraw(words[0], values.note, options)
      case 'review':
        return reviewMemories(words, options)
      case 'conflicts':
        return values.resolve === undefined
          ? listConflicts(options)
          : resolveTeamConflict(values.resolve, values.mine ?? false, values.theirs ?? false, options)
      case 'members':
        return listMembers(options)
      case 'devices':
        return listDevices(values.revoke, options)
      case 'grant':
        return grantRight(words, options)
      case 'invite':
        return invite(words[0], options)
      case 'own':
        return ownMachines(words[0], values.phrase ?? false, options)
      case 'handover':
        return handOver(words[0], values.project, options)
      case 'sync':
        return syncTeam(options)
      default:
        return leaveTeam(values.delete ?? false, options)
    }
  },
})

/** Every action with the number of words that may follow it. */
const MAX_WORDS: Record<string, number> = {
  status: 0,
  join: 2,
  share: 1,
  withdraw: 1,
  review: 2,
  conflicts: 0,
  members: 0,
  devices: 0,
  grant: 3,
  invite: 1,
  own: 1,
  handover: 1,
  sync: 0,
  leave: 0,
}
