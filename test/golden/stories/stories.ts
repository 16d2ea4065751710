import { bugfix } from './bugfix.ts'
import { decide } from './decide.ts'
import { explore } from './explore.ts'
import { feature } from './feature.ts'
import { noise } from './noise.ts'
import { plan } from './plan.ts'
import { refactor } from './refactor.ts'
import { research } from './research.ts'
import type { Story } from './story.ts'
import { upgrade } from './upgrade.ts'

/** One story for each kind of work. */
export const STORIES: Story[] = [bugfix, feature, refactor, explore, upgrade, decide, research, plan, noise]
