import { expect, test } from 'bun:test'
import { isSecretFile, printsSecrets } from './secret-files.ts'

test.each([
  '/p/.env',
  '/p/.env.production.local',
  '/p/.envrc',
  '/p/deploy/prod.env',
  '/p/.npmrc',
  '/p/.git-credentials',
  '/p/secrets.yaml',
  '/p/config/credentials.json',
  '/home/a/.aws/config',
  '/home/a/.ssh/known_hosts',
  '/p/id_ed25519',
  '/p/tls/server.KEY',
  '/p/infra/prod.tfvars',
])('%s contains secrets', (path) => {
  expect(isSecretFile(path)).toBe(true)
})

test.each([
  '/p/.env.example',
  '/p/src/env.ts',
  '/p/src/secrets/find.ts',
  '/p/src/secrets.ts',
  '/p/src/keyboard.ts',
  '/p/credentials/login.ts',
  '/p/README.md',
])('%s is an ordinary file', (path) => {
  expect(isSecretFile(path)).toBe(false)
})

test.each([
  'cat .env',
  'grep -n TOKEN < ./prod.env',
  'make; sudo head -3 "config/secrets.yaml"',
  'env',
  'printenv API_TOKEN',
  'export -p | sort',
])('“%s” prints secrets', (command) => {
  expect(printsSecrets(command)).toBe(true)
})

test.each(['cat README.md', 'node --env-file=.env app.js', 'env CI=1 npm test', 'export CI=1', 'cp .env.example .env', 'cat .env.example'])(
  '“%s” prints no secrets',
  (command) => {
    expect(printsSecrets(command)).toBe(false)
  },
)
