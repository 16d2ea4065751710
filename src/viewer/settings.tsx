import { useSignal } from '@preact/signals'
import type { DescribedSetting } from '../wire/contract/settings.ts'
import { LoadingOrError, PageHead } from './components.tsx'
import { formatValue } from './formats.ts'
import { Marks } from './marks.tsx'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

/** A title for each section of the settings. */
const SECTION_TITLES: Record<string, string> = {
  worker: 'Worker',
  hooks: 'All hooks',
  'hooks.session_start': 'When a session starts',
  'hooks.user_prompt': 'With each prompt',
  'hooks.post_tool_use': 'Tool uses',
  'hooks.pre_tool_use': 'Before a tool runs',
  'hooks.pre_compact': 'Before a compaction',
  'hooks.stop': 'When a session ends',
  embedder: 'Search by meaning',
  model: 'Text model',
  sync: 'Sync',
  git: 'Git history',
  import: 'Import',
  consolidate: 'Consolidation',
  retention: 'Retention',
  privacy: 'Privacy',
}

const sectionOf = (name: string) => name.slice(0, name.lastIndexOf('.'))

/** Every setting with its explanation, value and source. Each change is saved at once and can be undone. Secrets are not shown. */
export function SettingsPage() {
  const fetched = useFetch('GET /api/settings', {})
  const words = useSignal('')
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const { settings, problems, file } = fetched.value
  const wanted = words.value.trim().toLowerCase()
  const found = settings.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(wanted))
  return (
    <>
      <PageHead title="Settings">
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
      </PageHead>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to scroll it */}
      <section class="scroll" aria-label="All settings" tabIndex={0}>
        <div class="column">
          {problems.map((problem) => (
            <p class="notice-box" role="alert">
              {problem}
            </p>
          ))}
          <p class="dim notice">
            Saved in <code>{file}</code>. An environment variable overrides the file. Most changes apply after{' '}
            <code>recollect restart</code>.
          </p>
          {[...Map.groupBy(found, ({ name }) => sectionOf(name))].map(([section, ofSection]) => (
            <div class="settings-section" key={section}>
              <h2>{SECTION_TITLES[section] ?? section}</h2>
              <div class="card">
                {ofSection.map((setting) => (
                  <SettingRow key={`${setting.name} ${JSON.stringify(setting.value)}`} setting={setting} />
                ))}
              </div>
            </div>
          ))}
          {found.length === 0 && <p class="dim">No setting has that name.</p>}
        </div>
      </section>
    </>
  )
}

type NewValue = string | number | boolean | string[]
/** Resolves to false if the value was refused. */
type SaveValue = (value: NewValue) => Promise<boolean>

function SettingRow({ setting }: { setting: DescribedSetting }) {
  const { name, value, source, about, isSecret, takesEffect, variable } = setting
  const isOverridden = source === 'environment'
  const put = (newValue: NewValue) => call('PUT /api/settings', { name, value: newValue })
  const unset = () => call('PUT /api/settings', { name, unset: true })
  const goBack = () => (source === 'default' ? unset() : put(value as NewValue))
  const save: SaveValue = async (newValue) =>
    JSON.stringify(newValue) === JSON.stringify(value) || (await runAction(put(newValue), ({ note }) => note, goBack)) !== null
  return (
    <div class="setting">
      <div>
        <label class="mono" for={name}>
          {name}
        </label>
        <p class="dim small">{about}</p>
      </div>
      <div class="control">
        {isSecret ? (
          <input id={name} disabled value={value ? 'set' : 'not set'} title={`Set ${variable}, or write it into the file yourself.`} />
        ) : (
          <SettingControl setting={setting} isDisabled={isOverridden} onSave={save} />
        )}
        <div class="source">
          <span title={takesEffect}>
            {isOverridden ? (
              <>
                set by <code>{variable}</code>
              </>
            ) : source === 'default' ? (
              'default'
            ) : (
              <Marks
                marks={[{ kind: 'pinned', words: 'changed', about: `From the file. The default is ${formatValue(setting.fallback)}.` }]}
              />
            )}
          </span>
          {source === 'user file' && !isSecret && (
            <button
              type="button"
              class="plain"
              onClick={() => void runAction(unset(), `Back to ${formatValue(setting.fallback)}.`, () => put(value as NewValue))}
            >
              Use the default<span class="sr"> of {name}</span>
            </button>
          )}
        </div>
      </div>
    </div>
  )
}

/** Shows the new state at once, and the old one again if it was refused. */
function Switch({ id, isOn, isDisabled, onSave }: { id: string; isOn: boolean; isDisabled: boolean; onSave: SaveValue }) {
  const shown = useSignal(isOn)
  return (
    <span class="switch">
      <input
        id={id}
        type="checkbox"
        checked={shown.value}
        disabled={isDisabled}
        onChange={async (event) => {
          const wanted = event.currentTarget.checked
          shown.value = wanted
          if (!(await onSave(wanted))) shown.value = !wanted
        }}
      />
      <span aria-hidden="true">{shown.value ? 'on' : 'off'}</span>
    </span>
  )
}

/** The control for what a setting accepts. Text and numbers are saved on Enter, or when the field is left. */
function SettingControl({ setting, isDisabled, onSave }: { setting: DescribedSetting; isDisabled: boolean; onSave: SaveValue }) {
  const { name, value, form } = setting
  const lines = Array.isArray(value) ? value : []
  switch (form.kind) {
    case 'switch':
      return <Switch id={name} isOn={value === true} isDisabled={isDisabled} onSave={onSave} />
    case 'choice':
      return (
        <select id={name} value={String(value)} disabled={isDisabled} onChange={(event) => onSave(event.currentTarget.value)}>
          {form.choices.map((choice) => (
            <option value={choice}>{choice}</option>
          ))}
        </select>
      )
    case 'number':
      return (
        <input
          id={name}
          type="number"
          value={String(value)}
          min={form.min}
          max={form.max ?? undefined}
          step={form.isWhole ? 1 : 'any'}
          disabled={isDisabled}
          onChange={(event) => event.currentTarget.value !== '' && onSave(Number(event.currentTarget.value))}
        />
      )
    case 'list':
      return (
        <textarea
          id={name}
          rows={Math.max(1, lines.length)}
          value={lines.join('\n')}
          placeholder="none; one per line"
          disabled={isDisabled}
          onChange={(event) => onSave(event.currentTarget.value.split('\n').flatMap((part) => part.trim() || []))}
        />
      )
    case 'text':
      return (
        <input
          id={name}
          value={String(value ?? '')}
          placeholder="not set"
          disabled={isDisabled}
          onChange={(event) => onSave(event.currentTarget.value.trim())}
        />
      )
  }
}
