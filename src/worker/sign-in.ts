import { cookieName, frameCookieName } from './access.ts'
import { VISIT_LIFETIME_SECONDS, type Visitors } from './visitors.ts'

/** A response, and the origins whose pages may show it in a frame. */
export type Received = { response: Response; frame: string[] }

/** Signs a browser in with the code of a link, which works once. */
export function admitVisitor(code: string, visitors: Visitors, port: number): Received {
  const visit = visitors.enter(code, Date.now())
  if (!visit) return { response: signedOutPage('This link has been used, or is older than half a minute.'), frame: [] }
  const cookieFor = (name: string, sites: string) =>
    `${name}=${visit.secret}; HttpOnly; ${sites}; Path=/; Max-Age=${VISIT_LIFETIME_SECONDS}`
  if (visit.frame.length === 0) return { response: entryPage(visit.to, cookieFor(cookieName(port), 'SameSite=Strict')), frame: [] }
  // Partitioned: the browser sends it only inside the same top page, so that a page of another site cannot use the visit.
  const cookie = cookieFor(frameCookieName(port), 'SameSite=None; Secure; Partitioned')
  return { response: entryPage(visit.to, cookie), frame: visit.frame }
}

/** For browsers that are not signed in, or whose link has expired. The page loads nothing. */
export function signedOutPage(reason: string): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Recollect</title></head>
<body><h1>Recollect</h1><p>${reason}</p><p>Run <code>recollect view</code> in a terminal to open the viewer.</p></body></html>`
  return new Response(page, {
    status: 401,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" },
  })
}

/**
 * Hands out the cookie. The page forwards the browser itself: after a redirect the browser would treat the request as coming from another site and not
 * send the strict cookie.
 */
function entryPage(to: string, cookie: string): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${to}"><title>Recollect</title></head>
<body><p><a href="${to}">Open the viewer</a></p></body></html>`
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'set-cookie': cookie,
    },
  })
}
