/** The entry in the status bar: whether memory is there, and whether this window is recorded. */
import { type Disposable, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode'
import type { RecorderState } from './recorder.ts'
import { plain } from './render.ts'

export type StatusState = RecorderState | 'off' | 'paused' | 'empty' | 'starting' | 'untrusted' | 'unsupported'

const STATES: Record<StatusState, { icon: string; text: string; isProblem?: true }> = {
  starting: { icon: 'sync~spin', text: 'Looking for the worker.' },
  recording: { icon: 'history', text: 'What you do in this window is remembered.' },
  agent: { icon: 'history', text: 'An agent works in this folder and reports that work itself.' },
  off: { icon: 'circle-slash', text: 'This window is not recorded: recording is switched off in the settings, or with RECOLLECT=off.' },
  paused: { icon: 'debug-pause', text: 'Recording is paused in this window.' },
  excluded: { icon: 'circle-slash', text: 'This project is excluded by the settings of Recollect, so nothing is recorded.' },
  empty: { icon: 'history', text: 'No folder is open, so nothing is recorded.' },
  untrusted: { icon: 'shield', text: 'This window is not recorded, because its folder is not trusted.' },
  away: {
    icon: 'warning',
    text: 'Recollect is not running. What you do is kept for a while and stored when it runs again.',
    isProblem: true,
  },
  unsupported: { icon: 'warning', text: 'Recollect runs on Linux and macOS. On Windows, reopen the folder in WSL.', isProblem: true },
}

const isRecorded = (state: StatusState) => state === 'recording' || state === 'agent' || state === 'away'

export function addStatus(): { update(state: StatusState, brief: string): void } & Disposable {
  const item = window.createStatusBarItem('recollect.status', StatusBarAlignment.Right, 100)
  item.name = 'Recollect'
  item.show()
  return {
    update: (state, brief) => {
      const { icon, text, isProblem } = STATES[state]
      item.text = `$(${icon}) Recollect`
      item.accessibilityInformation = { label: `Recollect. ${text}` }
      item.command = state === 'away' ? 'recollect.start' : 'recollect.status'
      item.backgroundColor = isProblem ? new ThemeColor('statusBarItem.warningBackground') : undefined
      const lines = brief.split('\n').filter((line) => line.trim() !== '')
      const pause =
        state === 'paused' ? ' · [Resume](command:recollect.resume)' : isRecorded(state) ? ' · [Pause](command:recollect.pause)' : ''
      const actions = `[Brief](command:recollect.brief) · [Search](command:recollect.search) · [Remember](command:recollect.remember)${pause}`
      const tooltip = new MarkdownString(
        [
          text,
          lines
            .slice(0, 8)
            .map((line) => plain(line.slice(0, 120)))
            .join('  \n'),
          actions,
        ]
          .filter(Boolean)
          .join('\n\n'),
        true,
      )
      tooltip.isTrusted = {
        enabledCommands: ['recollect.brief', 'recollect.search', 'recollect.remember', 'recollect.pause', 'recollect.resume'],
      }
      item.tooltip = tooltip
    },
    dispose: () => item.dispose(),
  }
}
