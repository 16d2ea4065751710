import { type AgentName, DEFAULT_AGENT, parseAgentName } from '../core/agent.ts'
import { ensurePrivateFolder, readJsonIfThere, writeFileAtomically } from './files.ts'
import type { Home } from './paths.ts'

/** A settings file with our hooks: of a project folder, or the person's own when `project` is null. */
export type Install = {
  project: string | null
  /** True when `init` created the file. */
  madeFile?: boolean
}

/** The agents whose sessions are recorded. Claude Code is always among them, because its plugin leaves no trace here. */
export function connectedAgents(home: Home): AgentName[] {
  const others = readAgentInstalls(home).map((install) => install.agent)
  return [...new Set<AgentName>([DEFAULT_AGENT, ...others])]
}

/** Where `init` has installed Claude Code's hooks. */
export function readInstalls(home: Home): Install[] {
  const value = readJsonIfThere(home.installs)
  return Array.isArray(value) ? (value as Install[]) : []
}

export function rememberInstall(home: Home, install: Install): void {
  const others = readInstalls(home).filter((known) => known.project !== install.project)
  const before = readInstalls(home).find((known) => known.project === install.project)
  const madeFile = install.madeFile || before?.madeFile
  writeInstalls(home, [...others, madeFile ? { ...install, madeFile } : install])
}

export function forgetInstall(home: Home, project: string | null): void {
  writeInstalls(
    home,
    readInstalls(home).filter((known) => known.project !== project),
  )
}

/** What `init` changed for an agent other than Claude Code. */
export type AgentInstall = { agent: AgentName; files: InstalledFile[] }

export type InstalledFile = {
  path: string
  /** The backup of the person's file as it was before our first change; null when `init` created the file. */
  original: string | null
  /** A hash of what we wrote. While the file still has it, `uninstall` puts the original back byte for byte. */
  written: string
}

export function readAgentInstalls(home: Home): AgentInstall[] {
  const value = readJsonIfThere(agentInstallsFile(home))
  return Array.isArray(value) ? (value as AgentInstall[]).filter((install) => parseAgentName(install.agent) !== null) : []
}

/** Replaces what is known about an agent; null when nothing of ours is left in its files. */
export function rememberAgentInstall(home: Home, agent: AgentName, files: InstalledFile[] | null): void {
  const others = readAgentInstalls(home).filter((known) => known.agent !== agent)
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.run)
  writeFileAtomically(agentInstallsFile(home), `${JSON.stringify(files ? [...others, { agent, files }] : others, null, 2)}\n`)
}

const agentInstallsFile = (home: Home) => `${home.run}/agents.json`

function writeInstalls(home: Home, installs: Install[]): void {
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.run)
  writeFileAtomically(home.installs, `${JSON.stringify(installs, null, 2)}\n`)
}
