import type { ViewerPage } from '../wire/viewer-pages.ts'

/** Line drawings on a grid of 16 by 16. The text beside an icon says what it means, so screen readers skip it. */
const PATHS = {
  feed: 'M2.5 3.5h11v3.2h-11zM2.5 9.8h11M2.5 12.8h7',
  search: 'M7 2.6a4.4 4.4 0 1 0 0 8.8 4.4 4.4 0 0 0 0-8.8zM10.4 10.4l3.2 3.2',
  sessions: 'M2.5 3h11v7.5H8L5 13.2v-2.7H2.5z',
  rules: 'M3 2.5h10v11H3zM5.3 6l1.1 1.1 2-2.1M5.3 10.4l1.1 1.1 2-2.1M10 6.4h1.2M10 10.8h1.2',
  timeline: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3',
  graph:
    'M4 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6zM12 1.9a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6zM12 10.5a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6zM5.6 7.1l4.8-2.5M5.6 8.9l4.8 2.5',
  injections: 'M8 2v7.5M4.8 6.4 8 9.6l3.2-3.2M2.5 10.5v3h11v-3',
  projects: 'M2.5 4h4l1.4 1.8h5.6v7.2h-11z',
  team: 'M5.5 3.2a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM1.9 12.8c0-2.4 1.5-3.9 3.6-3.9s3.6 1.5 3.6 3.9M10.3 3.6a2 2 0 0 1 0 3.6M11.2 9.2c1.8.3 2.9 1.7 2.9 3.6',
  forgotten: 'M3 4.5h10M6.3 4.5V2.8h3.4v1.7M4.3 4.5l.6 8.8h6.2l.6-8.8M6.7 7v3.8M9.3 7v3.8',
  worker: 'M1.8 8.4h3l1.8-4.6 2.8 8.4 1.7-3.8h3.1',
  settings: 'M2.5 4.6h6M11.5 4.6h2M2.5 11.4h2M7.5 11.4h6M10 3v3.2M6 9.8V13',
  memory: 'M4 2.5h5.6L12.5 5.4v8.1H4zM9.3 2.7v3h3M6 8.6h4.4M6 11h4.4',
  missing: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM6.3 6.3a1.8 1.8 0 1 1 2.3 2c-.5.2-.6.5-.6 1M8 11.1v.3',
  plus: 'M8 3v10M3 8h10',
  more: 'M3.4 8h.2M8 8h.2M12.6 8h.2',
  close: 'M4 4l8 8M12 4l-8 8',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  keyboard: 'M2 4.2h12v7.6H2zM4.4 6.6h.2M7 6.6h.2M9.6 6.6h.2M11.8 6.6h.2M5 9.4h6',
  check: 'M3.2 8.4l3.2 3.2 6.4-7',
  left: 'M9.8 3.4 5.2 8l4.6 4.6',
  right: 'M6.2 3.4 10.8 8l-4.6 4.6',
} as const satisfies Record<ViewerPage | string, string>

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
