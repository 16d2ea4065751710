import { z } from 'zod'
import { route } from './route.ts'

/** @internal */
export const viewer = {
  /** Create a link that signs one browser in to the viewer. It works once, within `seconds`. */
  'POST /api/view/link': route({
    request: () => z.object({ to: z.string().max(200).default('/feed').describe('a page of the viewer') }),
    // The first link waits until the viewer is bundled.
    unlimited: true,
  }).returns<{ url: string; seconds: number }, { 400: '`to` is not a page of the viewer' }>(),
}
