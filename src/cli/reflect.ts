import { planOrApply } from './consolidate.ts'

export function run(args: string[]): Promise<number> {
  return planOrApply('reflect', args)
}
