import { GOLDEN, render } from './golden.ts'

// Writes what the distiller says today. Sessions that are not on this machine keep what they have.
for (const { transcript, expected } of GOLDEN) {
  if (await Bun.file(transcript).exists()) await Bun.write(expected, await render(transcript))
}
