import { test } from 'bun:test'
import { describeHub } from '../../test/support/hub-suite.ts'
import { pgliteLogins } from '../../test/support/pglite.ts'

describeHub(test, pgliteLogins)
