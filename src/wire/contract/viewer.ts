import { z } from 'zod'
import { route } from './route.ts'

/** @internal */
export const viewer = {
  /**
   * Create a link that signs one browser in to the viewer. It works once, within `seconds`. With `frame`, the visit may be shown in a frame, by
   * these pages only.
   */
  'POST /api/view/link': route({
    request: () =>
      z.object({
        to: z.string().max(200).default('/feed').describe('a page of the viewer'),
        frame: z
          .array(z.string().max(200))
          .max(5)
          .default([])
          .describe('origins of the pages around the frame: `vscode-webview://…`, `vscode-file://…` or a port of this machine'),
      }),
    // The first link waits until the viewer is bundled.
    unlimited: true,
  }).returns<{ url: string; seconds: number }, { 400: '`to` is not a page of the viewer, or `frame` names another origin' }>(),
}
