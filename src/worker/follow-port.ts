import type { Desk } from './desk.ts'

/** Placeholder until the installer lands. */
export function followPort(_desk: Desk, _port: number): void {}
