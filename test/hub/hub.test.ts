import { afterAll } from 'bun:test'
import { describeHub } from '../support/hub-suite.ts'
import { findPrograms, type Postgres, postgresOrSkip, startPostgres } from '../support/postgres.ts'
import { postgresLogins } from '../support/team.ts'

const it = postgresOrSkip()
let postgres: Postgres | undefined

if (findPrograms())
  describeHub(it, async () => {
    postgres = await startPostgres()
    return postgresLogins(postgres)
  })
else it('the hub on a real PostgreSQL', () => {})
afterAll(() => postgres?.remove())
