import { GOLDEN, render } from './golden.ts'

// Rewrites the expected texts. Sessions that are not on this machine keep theirs.
for (const { transcript, expected } of GOLDEN) {
  if (await Bun.file(transcript).exists()) await Bun.write(expected, await render(transcript))
}
