/** Why a question was not answered: nobody listens, too late, or the worker said no (`status` says how). */
export class RecollectError extends Error {
  constructor(
    readonly kind: 'unreachable' | 'late' | 'refused',
    message: string,
    readonly status: number | null = null,
  ) {
    super(message)
    this.name = 'RecollectError'
  }
}
