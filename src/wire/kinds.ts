/** The kinds of memories that can be found and shown. */
export const KINDS = ['observation', 'summary', 'prompt', 'note'] as const
export type Kind = (typeof KINDS)[number]
