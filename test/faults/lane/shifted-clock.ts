/** Loaded before a program: shifts its clock by the milliseconds in the file that `SHIFTED_CLOCK` names, read again at every call. */
import { readFileSync } from 'node:fs'

const file = process.env.SHIFTED_CLOCK ?? ''
const systemNow = Date.now
const SystemDate = Date
const now = () => systemNow() + Number(readFileSync(file, 'utf8'))
Date.now = now
globalThis.Date = new Proxy(SystemDate, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args) as Date,
  apply: () => new SystemDate(now()).toString(),
})
