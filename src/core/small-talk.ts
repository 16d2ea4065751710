/**
 * The part of a prompt that memory may answer: without the name of a slash command, and null for small talk that any session of any project
 * contains ("commit and push", "ok, back to main", "7"). Earlier turns with the same small talk would not help.
 */
export function queryInPrompt(prompt: string): string | null {
  const { request, words, small } = splitPrompt(prompt)
  return words.every((word) => EVERYDAY_WORDS.has(word) || small.test(word)) && !NUMBERED.test(request) ? null : request
}

/** Whether a prompt asks Recollect itself, from an editor: `/recollect search tides`, `@recollect /why`. It says nothing about the work. */
export const asksRecollect = (prompt: string): boolean => /^[@/]recollect(?:\s|$)/.test(prompt)

/** Why memory has nothing to look up for a prompt, for a person who asks. */
export function whyNoQuery(prompt: string): string {
  const { request, words, small } = splitPrompt(prompt)
  if (prompt.trim() === '') return 'it is empty, or all of it is private'
  if (request === '') return 'it is only a slash command'
  if (words.every((word) => small.test(word))) return words.length > 0 ? 'it only answers a menu' : 'it has no words'
  return 'it is small talk: it has only everyday words'
}

function splitPrompt(prompt: string): { request: string; words: string[]; small: RegExp } {
  const request = prompt.replace(COMMAND, '').trim()
  const words = request.toLowerCase().replace(/['’]/g, '').match(WORD) ?? []
  // The answer to a menu is a number, and a small one when there are other words.
  return { request, words, small: words.length === 1 ? /^(?:\d{1,3}|.)$/ : /^(?:\d{1,2}|.)$/ }
}

/** `/review`, `/team:check-todos`, but not the paths `/usr/bin` and `/etc`. */
const COMMAND = /^\s*\/(?!(?:etc|tmp|usr|var|home|dev|proc|opt)(?:\s|$))[a-z][\w:-]*(?=\s|$)/i

/** Things named by a number: `#12`, `PR 7`, `line 40`. */
const NUMBERED = /(?:#|\b(?:pr|pull[ -]request|issue|ticket|bug|error|commit|version|port|line)s?[\s:#]{1,3})\d/i

/** Names of code and versions count as one word each, so they are not everyday words. */
const WORD = /[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}_]|[./:#@-](?=[\p{L}\p{N}_]))*/gu

/** Whether a word says nothing about a project. */
export const isEverydayWord = (word: string): boolean => EVERYDAY_WORDS.has(word)

/** Words that say nothing about a project: function words, agreement, and what people do with any code. */
const EVERYDAY_WORDS = new Set(
  `a about actually add added address addressed again agree ah ahead all also am an and another any anything appropriate are as at back
  basically be been before better biggest both branch branches bug bugs build bunch but by can change changed changes check checkout ci
  clean cleanup clear code comment comments commit commits committed continue cool could create created current delete dependencies dev did
  diff different directly do does doesnt doing don done dont double draft each easier else error errors especially etc every everything
  exactly explain fail failed failing fails failure failures feedback feel few file files fine finish first fix fixed fixes fixing for
  format from further general get getting git give go going good got great guess had handle happened has have help here hmm honestly how i
  idea if im implement implemented improve in including install into is isnt issue issues it its just keep kind know last later leave left
  let lets lgtm like lint linter linting little ll look looking looks lot made main make makes master maybe me mean means merge merged
  merging message more most much my need needs new next nice no not nothing now number obviously of off ok okay old on once one ones only
  open option options or other our out over own pass passes passing perfect plan please pls possible possibly pr probably problem problems
  project proper prs pull pull-request push pushed put question quick quickly quite re-run read readme ready real really rebase rebased
  remaining remove rename rerun rest restart result results resume revert review right run running runs same save say see seem seems seen
  sense server several ship short shorter should show similar simple simplify since skip so some somehow something sorry sort start started
  status step steps still stop sure switch take tell test tested testing tests than thank thanks that thats the them then there these they
  thing things think this those though to today together too try trying two undo up update updated us use using usually variable ve version
  very wait want was way we well were what whats when where which while whole why will with without wondering wont work working works would
  write wrong yeah yep yes yet you your`.split(/\s+/),
)
