import { json, project } from '../command.ts'
import { planOptions, planOrApply } from '../note-plans.ts'
import { defineCommand } from '../parse.ts'

export const command = defineCommand({
  name: 'consolidate',
  summary: 'fold duplicate notes and merge related ones',
  usage: `recollect consolidate [--apply] [--undo [plan]] [--project P] [--all] [--json]

  Prints a plan for this folder's notes and changes nothing. Each group is tested on a copy first; if a search gets worse, the group is
  rejected. Without a text model (model.provider) only duplicates are folded.`,
  words: '[<plan>]',
  options: { ...planOptions, project, json },
  run: (args) => planOrApply('consolidate', args),
})
