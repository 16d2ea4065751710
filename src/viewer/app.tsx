/**
 * The viewer: a web page where people see, search, edit and delete memories. It runs in a browser, talks only to the worker that
 * served it, and stores nothing there except the choice between light and dark.
 */
import './style.css'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ViewerPage } from '../wire/viewer-pages.ts'
import { Dialog } from './components.tsx'
import { FeedPage } from './feed.tsx'
import { ForgetDialog } from './forget.tsx'
import { ForgottenPage } from './forgotten.tsx'
import { GraphPage } from './graph.tsx'
import { HealthPage } from './health.tsx'
import { InjectionsPage } from './injections.tsx'
import { connectionState, startLiveEvents } from './live.ts'
import { MemoryPage } from './memory.tsx'
import { watchProjects } from './project-list.ts'
import { ProjectsPage } from './projects.tsx'
import { currentRoute, navigate, watchAddressBar } from './router.ts'
import { SearchPage } from './search.tsx'
import { SessionsPage } from './sessions.tsx'
import { SettingsPage } from './settings.tsx'
import { isHelpShown, listenForKeys, useKeyBindings } from './shortcuts.ts'
import { applyTheme, toggleTheme } from './theme.ts'
import { TimelinePage } from './timeline.tsx'
import { toast, undoLastAction } from './user-actions.ts'

const NAV: { page: ViewerPage; text: string; key: string }[] = [
  { page: 'feed', text: 'Feed', key: 'f' },
  { page: 'search', text: 'Search', key: '/' },
  { page: 'sessions', text: 'Sessions', key: 's' },
  { page: 'timeline', text: 'Timeline', key: 't' },
  { page: 'graph', text: 'Graph', key: 'g' },
  { page: 'injections', text: 'Injections', key: 'i' },
  { page: 'projects', text: 'Projects', key: 'p' },
  { page: 'forgotten', text: 'Forgotten', key: 'x' },
  { page: 'worker', text: 'Health', key: 'h' },
  { page: 'settings', text: 'Settings', key: 'e' },
]

const PAGE_COMPONENTS: Record<ViewerPage, () => preact.JSX.Element> = {
  feed: FeedPage,
  search: SearchPage,
  sessions: SessionsPage,
  memory: MemoryPage,
  timeline: TimelinePage,
  graph: GraphPage,
  injections: InjectionsPage,
  projects: ProjectsPage,
  forgotten: ForgottenPage,
  worker: HealthPage,
  settings: SettingsPage,
}

function App() {
  const { page, id } = currentRoute.value
  const Page = PAGE_COMPONENTS[page]
  useKeyBindings({
    ...Object.fromEntries(NAV.map(({ page, key }) => [`g ${key}`, () => navigate(`/${page}`)])),
    '/': () => navigate('/search'),
    c: () => navigate('/memory/new'),
    d: toggleTheme,
    u: () => void undoLastAction(),
    '?': () => {
      isHelpShown.value = !isHelpShown.value
    },
    Escape: () => {
      if (isHelpShown.value) isHelpShown.value = false
      else if (document.activeElement instanceof HTMLElement && document.activeElement.tagName === 'INPUT') document.activeElement.blur()
      else if (currentRoute.value.page === 'memory' && history.length > 1) history.back()
    },
  })
  const title = NAV.find((entry) => entry.page === page)?.text ?? 'Memory'
  useEffect(() => {
    document.title = `${title} · Recollect`
  }, [title])
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <nav class="side" aria-label="Pages">
        <a class="brand" href="/feed">
          <img src="/icon.svg" alt="" width="18" height="18" /> Recollect
        </a>
        {NAV.map((entry) => (
          <a href={`/${entry.page}`} aria-current={entry.page === page ? 'page' : undefined}>
            {entry.text}
            <kbd>{entry.key === '/' ? '/' : `g ${entry.key}`}</kbd>
          </a>
        ))}
        <span class="grow" />
        <div class="foot">
          <button type="button" class="plain" onClick={toggleTheme} aria-label="Switch between light and dark">
            ◐
          </button>
          <button
            type="button"
            class="plain"
            aria-label="Keyboard shortcuts"
            onClick={() => {
              isHelpShown.value = true
            }}
          >
            ?
          </button>
          <ConnectionStatus />
        </div>
      </nav>
      <main id="main" tabIndex={-1} key={`${page} ${page === 'memory' ? id : ''}`}>
        <Banner />
        <Page />
      </main>
      <Toast />
      <ForgetDialog />
      {isHelpShown.value && <Help />}
    </>
  )
}

const CONNECTION_LABELS = { connecting: 'connecting', live: 'live', lost: 'not connected', 'signed-out': 'signed out' }

function ConnectionStatus() {
  return (
    <span class="line" role="status">
      <i class={`dot ${connectionState.value}`} aria-hidden="true" />
      {CONNECTION_LABELS[connectionState.value]}
    </span>
  )
}

/** Says that the connection is lost, or that the browser is signed out. */
function Banner() {
  if (connectionState.value === 'lost')
    return (
      <div class="banner" role="alert">
        The worker is not responding, so this page may be out of date. Reconnecting…
      </div>
    )
  if (connectionState.value === 'signed-out')
    return (
      <div class="banner" role="alert">
        This browser is signed out. To open the viewer again, run <code>recollect view</code>.
      </div>
    )
  return null
}

function Toast() {
  const message = toast.value
  return (
    <div class="toast-place" role="status">
      {message && (
        <div class={`toast ${message.isError ? 'error' : ''}`}>
          <span>{message.text}</span>
          {message.undo && (
            <button type="button" onClick={() => void undoLastAction()}>
              Undo <kbd>u</kbd>
            </button>
          )}
          <button
            type="button"
            class="plain"
            aria-label="Dismiss"
            onClick={() => {
              toast.value = null
            }}
          >
            ✕
          </button>
        </div>
      )}
    </div>
  )
}

const HELP: [string, string][] = [
  ['/', 'search'],
  ...NAV.slice(0, 1).map(({ key, text }): [string, string] => [`g ${key}`, text]),
  ...NAV.slice(2).map(({ key, text }): [string, string] => [`g ${key}`, text]),
  ['j k', 'move down or up in a list'],
  ['Enter', 'open'],
  ['n', 'show new memories'],
  ['c', 'new note'],
  ['e', 'edit, or save as a note'],
  ['p', 'pin a note'],
  ['x', 'forget; shows what goes along first'],
  ['u', 'undo'],
  ['← →', 'step through a session or the timeline'],
  ['space', 'play a session'],
  ['d', 'light or dark'],
  ['Esc', 'close, leave a field, or go back'],
  ['?', 'show these keys'],
]

function Help() {
  const close = () => {
    isHelpShown.value = false
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {HELP.map(([key, text]) => (
          <div>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

applyTheme()
watchAddressBar()
listenForKeys()
watchProjects()
void startLiveEvents()
const root = document.getElementById('app')
if (root) render(<App />, root)
