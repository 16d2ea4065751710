/**
 * Why an embedder failed. `unreachable` and `busy` are temporary; `refused` needs a person (wrong key or model); `unreadable` means that the
 * endpoint does not follow the protocol, or serves another model under the same name.
 */
export class EmbedderError extends Error {
  constructor(
    readonly kind: 'unreachable' | 'busy' | 'refused' | 'unreadable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
