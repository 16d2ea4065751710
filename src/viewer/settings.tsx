import type { SettingsInForce } from '../wire/view.ts'
import { ErrorMessage, Loading, PageHead } from './components.tsx'
import { useFetch } from './use-fetch.ts'

/** Every setting in force and where it came from. Secrets are named, never shown. */
export function SettingsPage() {
  const asked = useFetch<SettingsInForce>('/api/settings')
  if (!asked.value) return asked.error ? <ErrorMessage text={asked.error} again={asked.refetch} /> : <Loading />
  const { settings, problems, file } = asked.value
  return (
    <>
      <PageHead title="Settings" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to do that */}
      <section class="scroll detail" aria-label="All settings" tabIndex={0}>
        {problems.map((problem) => (
          <p class="trouble" role="alert">
            {problem}
          </p>
        ))}
        <p class="dim">
          Written in <code>{file}</code>; a variable such as <code>RECOLLECT_WORKER_PORT</code> goes before it. The worker reads them when
          it starts: <code>recollect restart</code>.
        </p>
        <table class="settings">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {settings.map((setting) => (
              <tr class={setting.source === 'default' ? '' : 'set'}>
                <td class="mono">{setting.name}</td>
                <td class="mono">{formatSettingValue(setting.value)}</td>
                <td>{setting.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

function formatSettingValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return value === '' ? 'not set' : String(value)
}
