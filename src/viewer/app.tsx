/**
 * The viewer: a web page where people see, search, edit and delete memories. It runs in a browser, talks only to the worker that
 * served it, and stores nothing there except the choice between light and dark.
 */
import './style.css'
import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ViewerPage } from '../wire/viewer-pages.ts'
import { Dialog, EmptyState, PageHead } from './components.tsx'
import { FeedPage } from './feed.tsx'
import { ForgetDialog } from './forget.tsx'
import { ForgottenPage } from './forgotten.tsx'
import { GraphPage } from './graph.tsx'
import { HealthPage } from './health.tsx'
import { Icon } from './icons.tsx'
import { InjectionsPage } from './injections.tsx'
import { connectionState, startLiveEvents } from './live.ts'
import { MemoryPage } from './memory.tsx'
import { watchProjects } from './project-list.ts'
import { ProjectsPage } from './projects.tsx'
import { hrefOf, type ViewerRoute } from './route.ts'
import { currentRoute, navigate, watchAddressBar } from './router.ts'
import { RulesPage } from './rules.tsx'
import { SearchPage } from './search.tsx'
import { SessionsPage } from './sessions.tsx'
import { SettingsPage } from './settings.tsx'
import { isHelpShown, listenForKeys, useKeyBindings } from './shortcuts.ts'
import { TeamPage } from './team.tsx'
import { openTheme, toggleTheme } from './theme.ts'
import { TimelinePage } from './timeline.tsx'
import { toast, undoLastAction } from './user-actions.ts'

type NavEntry = { page: ViewerPage; text: string; key: string; opensGroup?: true }

/** The pages in the order of the list. The first four fit on a phone; the others are behind a button there. */
const NAV: NavEntry[] = [
  { page: 'feed', text: 'Feed', key: 'f' },
  { page: 'search', text: 'Search', key: '/' },
  { page: 'sessions', text: 'Sessions', key: 's' },
  { page: 'rules', text: 'Rules', key: 'r' },
  { page: 'timeline', text: 'Timeline', key: 't', opensGroup: true },
  { page: 'graph', text: 'Graph', key: 'g' },
  { page: 'injections', text: 'Injections', key: 'i' },
  { page: 'projects', text: 'Projects', key: 'p', opensGroup: true },
  { page: 'team', text: 'Team', key: 'm' },
  { page: 'forgotten', text: 'Forgotten', key: 'x' },
  { page: 'worker', text: 'Health', key: 'h' },
  { page: 'settings', text: 'Settings', key: 'e' },
]
const PAGES_ON_A_PHONE = 4

const PAGE_COMPONENTS: Record<ViewerRoute['page'], () => preact.JSX.Element> = {
  feed: FeedPage,
  search: SearchPage,
  sessions: SessionsPage,
  memory: MemoryPage,
  timeline: TimelinePage,
  graph: GraphPage,
  injections: InjectionsPage,
  projects: ProjectsPage,
  forgotten: ForgottenPage,
  team: TeamPage,
  worker: HealthPage,
  settings: SettingsPage,
  rules: RulesPage,
  missing: MissingPage,
}

function App() {
  const { page, id } = currentRoute.value
  const Page = PAGE_COMPONENTS[page]
  useKeyBindings({
    ...Object.fromEntries(NAV.map(({ page, key }) => [`g ${key}`, () => navigate(`/${page}`)])),
    '/': () => navigate('/search'),
    c: () => navigate(hrefOf('memory', 'new', { project: currentRoute.value.query.project })),
    d: toggleTheme,
    u: () => void undoLastAction(),
    '?': () => {
      isHelpShown.value = !isHelpShown.value
    },
    Escape: () => {
      if (isHelpShown.value) isHelpShown.value = false
      else if (document.activeElement instanceof HTMLElement && document.activeElement.tagName === 'INPUT') document.activeElement.blur()
      else if (currentRoute.value.id !== '' && history.length > 1) history.back()
    },
  })
  const title = NAV.find((entry) => entry.page === page)?.text ?? (page === 'missing' ? 'Not found' : 'Memory')
  useEffect(() => {
    document.title = `${title} · Recollect`
  }, [title])
  const isMenuOpen = useSignal(false)
  const closeMenu = () => {
    isMenuOpen.value = false
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <nav class="side" aria-label="Pages">
        <a class="brand" href="/feed">
          <img src="/icon.svg" alt="" width="20" height="20" /> Recollect
        </a>
        {NAV.map((entry, index) => (
          <a
            class={`${index >= PAGES_ON_A_PHONE ? 'rest' : ''} ${entry.opensGroup ? 'gap' : ''}`}
            href={`/${entry.page}`}
            aria-current={entry.page === page ? 'page' : undefined}
          >
            <Icon name={entry.page} />
            {entry.text}
            <kbd>{entry.key === '/' ? '/' : `g ${entry.key}`}</kbd>
          </a>
        ))}
        <button
          type="button"
          class="rest-button"
          onClick={() => {
            isMenuOpen.value = true
          }}
        >
          <Icon name="more" />
          More
        </button>
        <span class="grow" />
        <FrameControls />
      </nav>
      <main id="main" tabIndex={-1} key={`${page} ${page === 'memory' ? id : ''}`}>
        <Banner />
        <Page />
      </main>
      <Toast />
      <ForgetDialog />
      {isHelpShown.value && <Help />}
      {isMenuOpen.value && <PageMenu current={page} onClose={closeMenu} />}
    </>
  )
}

/** The pages that have no room on a phone. */
function PageMenu({ current, onClose }: { current: string; onClose: () => void }) {
  return (
    <Dialog title="More pages" onClose={onClose}>
      <div class="page-menu">
        {NAV.slice(PAGES_ON_A_PHONE).map((entry) => (
          <a href={`/${entry.page}`} aria-current={entry.page === current ? 'page' : undefined} onClick={onClose}>
            <Icon name={entry.page} /> {entry.text}
          </a>
        ))}
      </div>
      <FrameControls />
    </Dialog>
  )
}

function FrameControls() {
  return (
    <div class="foot">
      <button type="button" class="plain" onClick={toggleTheme} aria-label="Switch between light and dark">
        <Icon name="theme" />
      </button>
      <button
        type="button"
        class="plain"
        aria-label="Keyboard shortcuts"
        onClick={() => {
          isHelpShown.value = true
        }}
      >
        <Icon name="keyboard" />
      </button>
      <ConnectionStatus />
    </div>
  )
}

/** For addresses that lead nowhere. */
function MissingPage() {
  return (
    <>
      <PageHead title="Not found" />
      <EmptyState icon="missing" title="There is no such page.">
        <p>
          The address <code>{location.pathname.slice(0, 200)}</code> is not a page of the viewer. Start at the <a href="/feed">feed</a> or{' '}
          <a href="/search">search</a>.
        </p>
      </EmptyState>
    </>
  )
}

const CONNECTION_LABELS = { connecting: 'connecting', live: 'live', lost: 'not connected', 'signed-out': 'signed out' }

function ConnectionStatus() {
  return (
    <span class="connection" role="status">
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
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  )
}

const HELP: [string, string][] = [
  ['/', 'search'],
  ...NAV.filter(({ key }) => key !== '/').map(({ key, text }): [string, string] => [`g ${key}`, text]),
  ['j k', 'move down or up in a list'],
  ['Enter', 'open'],
  ['n', 'show new memories'],
  ['c', 'new note'],
  ['e', 'edit, rename, or save as a note'],
  ['a', 'accept a rule or decision'],
  ['p', 'pin a note'],
  ['x', 'forget; lists first what goes with it'],
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

openTheme()
watchAddressBar()
listenForKeys()
watchProjects()
void startLiveEvents()
const root = document.getElementById('app')
if (root) render(<App />, root)
