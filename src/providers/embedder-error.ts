/**
 * What kept an embedder from answering. `unreachable` and `busy` pass by themselves; `refused` needs a person (a wrong key or model);
 * `unreadable` means that the endpoint does not speak the protocol, or has changed its model under the same name.
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
