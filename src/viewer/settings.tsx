import { LoadingOrError, PageHead } from './components.tsx'
import { useFetch } from './use-fetch.ts'

/** Every setting with its value and source. The values of secrets are not shown. */
export function SettingsPage() {
  const fetched = useFetch('GET /api/settings', {})
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const { settings, problems, file } = fetched.value
  return (
    <>
      <PageHead title="Settings" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to scroll it */}
      <section class="scroll detail" aria-label="All settings" tabIndex={0}>
        {problems.map((problem) => (
          <p class="error" role="alert">
            {problem}
          </p>
        ))}
        <p class="dim">
          Change a setting with <code>recollect config set</code> or in <code>{file}</code>. Environment variables such as{' '}
          <code>RECOLLECT_WORKER_PORT</code> override the file. To apply changes, restart the worker: <code>recollect restart</code>.
        </p>
        <table class="settings">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">Source</th>
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
