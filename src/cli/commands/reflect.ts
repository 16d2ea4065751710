import { json, project } from '../command.ts'
import { planOptions, planOrApply } from '../note-plans.ts'
import { defineCommand } from '../parse.ts'

export const command = defineCommand({
  name: 'reflect',
  summary: 'turn sessions into lasting notes; needs a text model',
  usage: `recollect reflect [--apply] [--undo [plan]] [--project P] [--all] [--json]

  Asks the text model (model.provider) which findings of recent sessions are worth keeping. Prints a plan and changes nothing; --apply
  carries it out. Every sentence must cite the notes it comes from; answers that invent facts are rejected.`,
  words: '[<plan>]',
  options: { ...planOptions, project, json },
  run: (args) => planOrApply('reflect', args),
})
