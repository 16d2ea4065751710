/**
 * A text whose web addresses are reduced to what they say about its subject: `https://github.com/owner/repo/pull/102` becomes `pull/102`. Host, owner
 * and repository are in every address that a project's prompts have, so they would make any two of them alike.
 */
export function withoutRepositories(text: string): string {
  return text.replace(ADDRESS, (address) => {
    const path = address.replace(HOST, '').split('/').filter(Boolean)
    const start = path.findIndex((part) => PAGES.has(part))
    const shown = start >= 0 ? path.slice(start) : path.slice(FORGE.test(address) ? 2 : 0)
    return shown.join('/')
  })
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`)\]]+|\bgit@[\w.-]+:[\w./-]+/gi
const HOST = /^(?:https?:\/\/[^/]*|git@[^:]*:)/i
const FORGE = /^(?:https?:\/\/|git@)(?:www\.)?(?:github|gitlab|bitbucket|codeberg)\b/i
/** The parts of an address that follow the owner and the repository. */
const PAGES = new Set(
  `issues issue pull pulls pull-requests merge_requests blob tree raw commit commits compare releases security actions discussions wiki src`.split(
    ' ',
  ),
)
