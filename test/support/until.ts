/** Far longer than anything takes on a busy machine; after this time it will not happen any more. */
const MAX_WAIT_MS = 60_000

/** Waits until something is true that happens in the background. A fixed pause would be too short on a busy machine, and too long on a quiet one. */
export async function until(isTrue: () => boolean | Promise<boolean>, what = String(isTrue)): Promise<void> {
  for (const end = Date.now() + MAX_WAIT_MS; !(await isTrue()); await Bun.sleep(20))
    if (Date.now() > end) throw new Error(`this did not happen: ${what}`)
}
