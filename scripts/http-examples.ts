import type { Contract, RequestOf, RouteName } from '../src/wire/contract/contract.ts'
import type { ErrorsType } from '../src/wire/contract/route.ts'

/** Stands for the id of the note that the example of `POST /api/notes` saves. */
export const NOTE_ID = '01K5TIDEPOOL0000000000NOTE'

/**
 * An example request for every route, in the order in which a test runs them on the memories of `recollect demo`: routes that delete something come
 * last. See `REFUSED` for the examples that cannot succeed everywhere.
 */
export const EXAMPLES: { [Name in RouteName]: RequestOf<Name> } = {
  'GET /health': {},
  'GET /api/status': {},
  'GET /api/check': {},
  'POST /hook/:agent': {
    agent: 'claude-code',
    hook_event_name: 'UserPromptSubmit',
    session_id: 's1',
    cwd: '/tmp',
    prompt: 'Fix the tide table',
  },

  'POST /api/sessions/init': { contentSessionId: 'my-session', project: 'harbour', prompt: 'Why is low tide an hour late?' },
  'POST /sessions/init': { contentSessionId: 'my-session', project: 'harbour', prompt: 'And high tide?' },
  'POST /api/sessions/:id/init': { id: 1, promptNumber: 1 },
  'POST /sessions/:id/init': { id: 1, promptNumber: 1 },
  'POST /api/sessions/observations': {
    contentSessionId: 'my-session',
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_response: { stdout: '12 passed' },
  },
  'POST /api/sessions/summarize': { contentSessionId: 'my-session', last_assistant_message: 'The station reports in local time.' },
  'POST /api/sessions/complete': { contentSessionId: 'my-session', reason: 'exit' },
  'POST /sessions/observations': {
    contentSessionId: 'my-editor',
    host: 'VS Code',
    project: 'harbour',
    tool_name: 'FileSave',
    tool_input: { path: '/home/dev/harbour/tides.ts' },
    tool_response: 'File saved successfully',
  },
  'POST /sessions/summarize': { contentSessionId: 'my-editor', last_assistant_message: 'The tides are computed in UTC now.' },
  'POST /sessions/complete': { contentSessionId: 'my-editor', reason: 'exit' },
  'POST /api/processing': { isProcessing: true },
  'GET /api/sessions': { project: 'tidepool', limit: 10 },
  'GET /api/sessions/:id': { id: 1 },
  'GET /api/sessions/labels': { ids: '1' },
  'PATCH /api/sessions/:id': { id: 1, title: 'Tides an hour late' },
  'GET /api/sessions/:id/export': { id: 1, format: 'json' },
  'GET /api/sessions/:id/handover': { id: 1 },
  'GET /api/tool-uses/:id': { id: 1 },

  'GET /api/context/inject': { project: 'tidepool', format: 'json' },
  'POST /api/context/inject': { project: 'tidepool', prompt: 'Why is low tide shown an hour late?', format: 'json' },

  'GET /api/search': { query: 'low tide an hour late', limit: 5 },
  'POST /api/search': { query: 'type:bugfix low tide', project: 'tidepool', widen: true },
  'GET /api/timeline': { anchor: '#1' },
  'POST /api/timeline': { query: 'low tide an hour late', depth_before: 3, depth_after: 3 },
  'GET /api/memory/:id': { id: '1' },
  'GET /api/stale': { project: 'tidepool' },
  'POST /api/verify': { id: '#1', verdict: 'ok' },
  'POST /api/memories/batch': { ids: ['#1', 'S1', 'P1'] },
  'GET /api/injections': { limit: 5 },
  'GET /api/injections/:id/usage': { id: 1 },

  'POST /api/observations/batch': { ids: [1, 2] },
  'GET /api/observations/:id': { id: 1 },
  'DELETE /api/observations/:id': { id: 1 },
  'POST /api/observations/:id/restore': { id: 1 },

  'GET /api/graph': { ask: 'causes', ref: 'observation:1' },
  'GET /api/near': { kind: 'observation', name: '1' },
  'GET /api/feed': { kinds: 'observation,note', limit: 20 },
  'GET /api/feed/days': { limit: 1 },
  'GET /api/activity': { since: 0 },

  'POST /api/notes': { body: 'Stations keep their own time zone.', namespace: 'decisions', project: 'tidepool' },
  'GET /api/notes': { project: 'tidepool', limit: 10 },
  'GET /api/notes/:id': { id: NOTE_ID },
  'PATCH /api/notes/:id': { id: NOTE_ID, pinned: true },
  'GET /api/notes/:id/history': { id: NOTE_ID },
  'DELETE /api/notes/:id': { id: NOTE_ID },
  'POST /api/notes/:id/restore': { id: NOTE_ID },

  'POST /api/forget/preview': { query: 'low tide', since: 'last year', hard: true },
  'POST /api/forget': { ids: ['#1'] },
  'POST /api/restore': { ids: ['#1'] },
  'GET /api/forgotten': { limit: 10 },

  'GET /api/sync': {},
  'POST /api/sync': { dryRun: true },
  'GET /api/sync/history': { id: NOTE_ID },
  'POST /api/sync/remote': { remote: 'git@github.com:me/notes.git' },
  'POST /api/sync/resolve': { id: NOTE_ID, choice: 'ours' },

  'GET /api/projects': {},
  'GET /api/projects/names': {},
  'GET /api/settings': {},
  'PUT /api/settings': { name: 'worker.idle_minutes', value: 30 },

  'POST /api/gc': { dryRun: true },
  'POST /api/consolidate': { project: 'tidepool' },
  'POST /api/reflect': { project: 'tidepool' },
  'POST /api/redistill': { since: 'last week' },
  'POST /api/import': { from: 'native' },
  'POST /api/capture/transcript': { path: '/tmp/session.jsonl' },
  'GET /api/export': { kind: 'prompts' },
  'POST /api/jobs/retry': {},
  'GET /api/audit': { since: 'yesterday', limit: 10 },
  'GET /api/cost': { days: 7 },
  'GET /api/economy': {},

  'GET /api/embedder': {},
  'POST /api/embedder/reload': {},
  'POST /api/embedder/remove': {},
  'POST /api/embedder/weights': { tarball: '/tmp/weights.tgz' },

  'POST /api/view/link': { to: '/search' },
  'ANY /mcp': {},
  'GET /stream': {},

  'GET /api/projects/offers': { project: 'tidepool' },
  'POST /api/projects/join': { from: 'harbour', into: 'quay' },
  'POST /api/projects/split': { project: 'harbour' },
  'POST /api/projects/apart': { a: 'harbour', b: 'quay' },
  'POST /api/projects/rename': { from: 'harbour', to: 'marina' },
  'POST /api/projects/wipe': { project: 'marina', confirm: 'marina' },
  'DELETE /api/sessions/:id': { id: 1 },
  'POST /api/shutdown': {},
}

type RouteWithErrors = { [Name in RouteName]: keyof ErrorsType<Contract[Name]> extends never ? never : Name }[RouteName]

const UNKNOWN_NOTE = 'N01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** For every route that declares errors, a request that the worker refuses with the first of them. The test runs them before the examples. */
export const REFUSED_REQUESTS: { [Name in RouteWithErrors]: RequestOf<Name> } = {
  'GET /api/stale': {},
  'POST /api/verify': { id: '#999999', verdict: 'ok' },
  'GET /api/timeline': { anchor: '#999999' },
  'POST /api/timeline': { anchor: '#999999' },
  'DELETE /api/observations/:id': { id: 999_999 },
  'POST /api/observations/:id/restore': { id: 1 },
  'GET /api/graph': { ref: 'observation:999999' },
  'GET /api/near': { kind: 'observation', name: '999999' },
  'GET /api/context/inject': {},
  'POST /api/context/inject': {},
  'POST /api/sessions/:id/init': { id: 999_999 },
  'POST /sessions/:id/init': { id: 999_999 },
  'GET /api/sessions/:id': { id: 999_999 },
  'DELETE /api/sessions/:id': { id: 999_999 },
  'PATCH /api/sessions/:id': { id: 999_999, title: 'Tides' },
  'GET /api/sessions/:id/export': { id: 999_999 },
  'GET /api/sessions/:id/handover': { id: 999_999 },
  'GET /api/injections/:id/usage': { id: 999_999 },
  'GET /api/tool-uses/:id': { id: 999_999 },
  'POST /api/notes': { body: ' ' },
  'GET /api/notes/:id': { id: UNKNOWN_NOTE },
  'PATCH /api/notes/:id': { id: UNKNOWN_NOTE, pinned: true },
  'DELETE /api/notes/:id': { id: UNKNOWN_NOTE },
  'POST /api/notes/:id/restore': { id: UNKNOWN_NOTE },
  'GET /api/notes/:id/history': { id: UNKNOWN_NOTE },
  'POST /api/sync/remote': { remote: '--upload-pack=x' },
  'POST /api/sync/resolve': { id: UNKNOWN_NOTE, choice: 'ours' },
  'GET /api/sync/history': { id: UNKNOWN_NOTE },
  'POST /api/projects/join': { from: 'harbour', into: 'harbour' },
  'POST /api/projects/split': { project: 'no-such-project' },
  'POST /api/projects/rename': { from: 'no-such-project', to: 'other' },
  'POST /api/projects/wipe': { project: 'no-such-project', confirm: 'no-such-project' },
  'PUT /api/settings': { name: 'no.such.setting', value: 1 },
  'POST /api/consolidate': { undo: 999_999 },
  'POST /api/reflect': { undo: 999_999 },
  'POST /api/capture/transcript': { path: '/no/such/file.jsonl' },
  'GET /api/export': { kind: 'prompts', format: 'markdown' },
  'POST /api/embedder/weights': { tarball: '/no/such/file.tgz' },
  'POST /api/view/link': { to: '//elsewhere.example' },
}

/** Examples that need a conflict, a downloaded file, or a session that was shown something. Without it the worker refuses them, for this reason. */
export const REFUSED: { [Name in RouteName]?: string } = {
  'POST /api/sync/resolve': 'has no conflict',
  'GET /api/injections/:id/usage': 'there is no injection',
  'POST /api/embedder/weights': '/tmp/weights.tgz',
  'POST /api/capture/transcript': '/tmp/session.jsonl is not a transcript',
}
