import { isJsonDeeperThan } from '../core/json-depth.ts'
import { MAX_SPOOLED_PAYLOAD_BYTES } from '../core/limits.ts'

const MAX_SPOOLED_JSON_DEPTH = 1000

export function isTooLargeToSpool(payload: Uint8Array): boolean {
  return payload.length > MAX_SPOOLED_PAYLOAD_BYTES || isJsonDeeperThan(payload, MAX_SPOOLED_JSON_DEPTH)
}
