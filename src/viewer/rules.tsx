import { PageHead } from './components.tsx'
export function RulesPage() {
  return <PageHead title="Rules" />
}
