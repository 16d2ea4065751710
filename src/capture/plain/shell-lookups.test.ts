import { describe, expect, test } from 'bun:test'
import { ran } from '../../../test/golden/actions.ts'
import { commandsOf } from './commands.ts'
import { findShellLookups } from './shell-lookups.ts'

const lookups = (command: string, output = 'x', exitCode = 0) => findShellLookups(commandsOf([ran(command, output, exitCode)]))

describe('a shell command that reads', () => {
  const READ: [string, string[]][] = [
    ['cat src/a.ts src/b.ts', ['src/a.ts', 'src/b.ts']],
    ["sed -n '10,40p' src/a.ts", ['src/a.ts']],
    ['head -n 20 README.md | tail -5', ['README.md']],
    ['cd packages/api && cat ./src/a.ts', ['packages/api/src/a.ts']],
    ['cat src/*.ts "$file" /dev/null', []],
    ["sed -i 's/a/b/' src/a.ts", []],
    ["cat > a.ts <<'EOF'\nx\nEOF", []],
    ['npm run build && cat dist/index.html', []],
  ]
  test.each(READ)('%p', (command, files) => {
    expect(lookups(command).files).toEqual(files)
  })
})

describe('a shell command that searches', () => {
  const SEARCHED: [string, string[]][] = [
    ['grep -rn "retry\\|backoff" src docs', ['retry|backoff']],
    ['grep -rn "\\binv\\b" src', ['\\binv\\b']],
    ["rg -t ts -A 3 'runStatus\\(' src", ['runStatus\\(']],
    ['grep -e needle hay', ['needle']],
    ['git grep -n token', ['token']],
    ["find . -name 'token*.ts'", ['token*.ts']],
    ["find . -name '*.ts'", []],
    ['grep "^title:" "$file"', []],
    ['npm test | grep fail', []],
  ]
  test.each(SEARCHED)('%p', (command, patterns) => {
    expect(lookups(command).patterns).toEqual(patterns)
  })

  test('does not count if it finds nothing', () => {
    expect(lookups('grep -rn foo src', '', 1)).toEqual({ files: [], patterns: [] })
  })
})
