import type { CommandPart } from './commands.ts'

/** Whether a check covered the whole project: no file, test, package or folder was selected. An unknown argument may select something. */
export function coversWholeProject({ kind, tool, args }: Pick<CommandPart, 'kind' | 'tool' | 'args'>): boolean {
  if (!['test', 'typecheck', 'lint', 'build'].includes(kind) || !(isUnscopedScript(tool) || PROGRAMS.test(tool))) return false
  // Without `./...`, Go checks only one folder.
  if (/^go /.test(tool) && !args.includes('./...')) return false
  return args.every((arg) => SELECTS_NOTHING.test(arg))
}

/** `mise run test` and `pnpm -r test`, but neither `pnpm --filter api test` nor `npm run test:integration`. */
function isUnscopedScript(tool: string): boolean {
  const [runner = '', ...words] = tool.split(' ')
  if (!RUNNERS.test(runner)) return false
  const scripts = words.filter((word) => !/^(?:run|run-script|task|r|-r|--recursive|-s|--silent)$/.test(word))
  return scripts.length === 0 ? /^(?:make|just)$/.test(runner) : scripts.length === 1 && UNSCOPED_SCRIPT_NAME.test(scripts[0] ?? '')
}

const RUNNERS = /^(?:npm|pnpm|yarn|bun|deno|mise|make|just|task|rake|composer|turbo|nx)$/
const UNSCOPED_SCRIPT_NAME = /^(?:tests?|t|lint|check|type-?check|types|tsc|build|compile|all)(?:[:-](?:all|ci))?$/

/** Programs that check everything by default. Browser test runners are left out: they cover only part of a project. */
const PROGRAMS =
  /^(?:(?:go|cargo|bun|deno|dotnet|swift|mix|flutter|dart|rails) (?:test|t|nextest|vet|check|clippy|build)|python[\d.]* -m (?:pytest|unittest|mypy)|node|php artisan|mvnw?|gradlew?|pytest|py\.test|jest|vitest|mocha|ava|tox|nox|rspec|phpunit|pest|ctest|tsc|vue-tsc|mypy|pyright|eslint|biome|oxlint|ruff|golangci-lint|rubocop)$/
const SELECTS_NOTHING =
  /^(?:\.|\.\/\.\.\.|run|test|check|clean|verify|--test|--run|--ci|--coverage|--no-?emit|--workspace|--all(?:-\w+)?|-race|-cover|--release|--locked|--run-?in-?band|--error-on-warnings|--max-warnings=\d+|--?(?:timeout|parallel|jobs|workers|p|j|n)=?\d\w*)$/i
