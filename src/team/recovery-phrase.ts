/**
 * The recovery phrase of a person's own memory: sixteen random words (128 bits) and one that is their checksum. The hub never
 * sees it.
 */
export type RecoveryPhrase = { words: string; secret: Uint8Array<ArrayBuffer> }

const SECRET_BYTES = 16

/** A new phrase. */
export function newPhrase(secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))): RecoveryPhrase {
  return { secret, words: [...secret, checksum(secret)].map((byte) => WORDS[byte] ?? '').join(' ') }
}

/** The phrase that a person typed, or what is wrong with it. Case and spaces do not matter. */
export function parsePhrase(text: string): RecoveryPhrase | string {
  const words = text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
  const unknown = words.find((word) => !WORDS.includes(word))
  if (unknown) return `"${unknown}" is not a word of a recovery phrase`
  if (words.length !== SECRET_BYTES + 1) return `a recovery phrase has ${SECRET_BYTES + 1} words; these are ${words.length}`
  const bytes = Uint8Array.from(words, (word) => WORDS.indexOf(word))
  const secret = bytes.slice(0, SECRET_BYTES)
  if (checksum(secret) !== bytes[SECRET_BYTES]) return 'one of the words is wrong, or their order is'
  return newPhrase(secret)
}

const checksum = (secret: Uint8Array) => new Bun.CryptoHasher('sha256').update(secret).digest()[0] ?? 0

/** One word for each byte. */
const WORDS = `
  acid acorn actor agent alarm album alley amber anchor angle ankle apple apron arch arena arrow ash atlas attic aunt autumn axle badge bagel
  baker ball bamboo banjo barn basil basket beach bean bear beaver bed belt bench berry bike bird blade blanket board boat bolt book bottle
  bowl box brick bridge broom brush bucket bugle butter button cabin cactus cake camel camera candle canoe canyon carpet castle cedar cellar
  chair chalk cherry chess chimney circle cliff clock cloud clover coast cobra coffee coin comb comet copper coral corner cotton cousin crab
  crane crayon crown cup curtain daisy dance desert desk diary dinner doctor dolphin donkey door dragon drum duck eagle ear easel echo egg
  elbow elm engine evening fabric falcon farm feather fence fern fiddle field finger flag flame flute forest fork fox frog garden garlic ghost
  giant ginger glove goat grape guitar hammer harbor harp hat hazel hedge hill honey hook horse hotel igloo ink iron island ivory jacket jar
  jelly jewel judge juice jungle kettle key kite kitten knee knot ladder lake lamp lantern leaf lemon letter lily lion lobster lunch magnet
  maple marble market meadow melon mill mirror moon moss motor mouse museum nail needle nest noodle north oak oar ocean olive onion orange
  orbit otter oven owl oyster paddle palm panda paper parrot peach pear pencil pepper piano pigeon pillow pine pirate planet plum pocket pond
  potato pretzel pumpkin puzzle quill rabbit radio raft river robot rocket saddle salmon scarf sheep spoon squid tiger tulip turtle violin
  walnut whale window zebra`
  .trim()
  .split(/\s+/)
