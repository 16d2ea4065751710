import { describe, expect, test } from 'bun:test'
import { edited, ran } from '../../../test/golden/actions.ts'
import { commandsOf, partsOf } from './commands.ts'
import { heredocsOf } from './shell.ts'

const KINDS: [string, string][] = [
  ['bun test', 'test'],
  ['npm test', 'test'],
  ['npm t', 'test'],
  ['pnpm --filter api test', 'test'],
  ['yarn workspace web run test:unit', 'run'],
  ['npx vitest run', 'test'],
  ['node --test src/', 'test'],
  ['python -m pytest -q', 'test'],
  ['uv run pytest', 'test'],
  ['python3 -m unittest', 'test'],
  ['go test ./...', 'test'],
  ['cargo nextest run', 'test'],
  ['bundle exec rspec', 'test'],
  ['vendor/bin/phpunit', 'test'],
  ['./gradlew check', 'test'],
  ['mvn -q verify', 'test'],
  ['dotnet test', 'test'],
  ['ctest --output-on-failure', 'test'],
  ['npx playwright test', 'test'],
  ['mise run test', 'test'],
  ['make test', 'test'],
  ['tsc --noEmit', 'typecheck'],
  ['npm run typecheck', 'typecheck'],
  ['go vet ./...', 'typecheck'],
  ['eslint .', 'lint'],
  ['eslint . --fix', 'files'],
  ['bun run lint', 'lint'],
  ['cargo clippy', 'lint'],
  ['go build ./...', 'build'],
  ['npm run build', 'build'],
  ['docker build .', 'build'],
  ['make', 'build'],
  ['webpack --mode production', 'build'],
  ['composer test', 'test'],
  ['npm install zod', 'install'],
  ['composer install', 'install'],
  ['composer require monolog/monolog', 'install'],
  ['pip install -r requirements.txt', 'install'],
  ['npx prisma migrate dev', 'migrate'],
  ['node scripts/seed.js', 'run'],
  ["node -e 'console.log(1)'", 'look'],
  ['git commit -m x', 'git'],
  ['gh pr create --title x', 'pull-request'],
  ['npm run dev', 'look'],
  ['ls -la', 'look'],
  ['cat a.ts', 'look'],
  ['git -C sub push', 'git'],
  ['cross-env NODE_ENV=test jest', 'test'],
  ['jest --ci=true', 'test'],
]

test.each(KINDS)('`%s` is classified as %s', (command, kind) => {
  expect(partsOf(command).map((part) => part.kind)).toEqual([kind as never])
})

describe('a shell line', () => {
  test('is split into commands, except inside quotes', () => {
    expect(
      partsOf(`cd api && FOO=1 npm test -- "a; b" 2>&1 | tail -5; echo 'x && y'`).map((part) => [part.tool, part.args, part.filter]),
    ).toEqual([
      ['cd', ['api'], ''],
      ['npm test', ['a; b'], 'tail -5'],
      ['echo', ['x && y'], ''],
    ])
  })

  test('loses the programs that only start another one', () => {
    for (const command of [
      'sudo npm test',
      'time npm test',
      'timeout 60 npm test',
      "bash -lc 'npm test'",
      "wsl -e sh -c 'cd /x && npm test'",
      'npx npm test',
      'CI=1 npm test > log 2>&1',
    ]) {
      expect(partsOf(command).at(-1)?.tool).toBe('npm test')
    }
  })

  test('is the same check with and without output flags', () => {
    const [quiet, loud] = [partsOf('bun test src/a.test.ts'), partsOf('bun test --verbose src/a.test.ts')]
    expect(quiet[0]?.args).toEqual(loud[0]?.args)
  })

  test('is not confused by a heredoc', () => {
    const command = 'git commit -m "$(cat <<\'EOF\'\nfix: don\'t && rm -rf "everything"\n\n- npm test\nEOF\n)" && git push'
    expect(partsOf(command).map((part) => part.tool)).toEqual(['git commit', 'git push'])
    expect(heredocsOf(command)).toEqual([{ text: 'fix: don\'t && rm -rf "everything"\n\n- npm test', file: null, appends: false }])
  })

  test('that writes a file with a heredoc names the file', () => {
    expect(heredocsOf('cat > src/a.ts <<EOF\nlet a\nEOF')).toEqual([{ text: 'let a', file: 'src/a.ts', appends: false }])
    expect(heredocsOf('cat <<EOF >> notes.md\nmore\nEOF')).toEqual([{ text: 'more', file: 'notes.md', appends: true }])
  })
})

test.each([
  ['eslint src/a.ts', 'eslint', ['src/a.ts']],
  ['pytest tests/test_a.py', 'pytest', ['tests/test_a.py']],
  ['go test ./auth', 'go test', ['./auth']],
  ['node scripts/seed.js staging', 'node scripts/seed.js', ['staging']],
])('`%s` is split into the tool and its arguments', (command, tool, args) => {
  expect(partsOf(command)).toMatchObject([{ tool, args }])
})

test('a backslash keeps a blank in a word, and joins lines', () => {
  expect(partsOf('cat my\\ notes.md \\\n  b.md')[0]?.words).toEqual(['cat', 'my notes.md', 'b.md'])
})

test('the commands of a turn are those that ran to their end', () => {
  const commands = commandsOf([edited('a.ts', 'a', 'b'), ran('bun test'), { ...ran('bun run build'), interrupted: true }])
  expect(commands.map(({ index }) => index)).toEqual([1])
})

test('quotes keep a word together; only in double quotes a backslash escapes', () => {
  expect(partsOf(String.raw`grep "a \"b\" \bc\b" 'd\e'`)[0]?.words).toEqual(['grep', String.raw`a "b" \bc\b`, String.raw`d\e`])
})

test('the text of a heredoc is no command', () => {
  expect(partsOf("cat > a.sh <<'EOF'\nrm -rf src\nEOF\nbun test").map(({ words }) => words[0])).toEqual(['cat', 'bun'])
})
