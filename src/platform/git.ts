import { type ProgramResult, type RunOptions, runProgram } from './processes.ts'

/** Runs git in a folder, without anything that a repository's configuration could start. */
export const runGit = (folder: string, args: string[], options: Pick<RunOptions, 'stdin' | 'timeoutMs'> = {}): Promise<ProgramResult> =>
  runProgram('git', gitArguments(folder, args), { ...gitOptions(), ...options })

/** The folder is found as git finds it, so that git refuses a repository of another person, as it would on the command line. */
export const gitArguments = (folder: string, args: string[]) => [
  '-C',
  folder,
  '--no-pager',
  ...SAFE_SETTINGS.flatMap((one) => ['-c', one]),
  ...args,
]

/** A repository brings its own configuration. None of it may start a program or reach a network. */
const SAFE_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=false',
  'core.sshCommand=false',
  'core.gitProxy=false',
  'log.showSignature=false',
  'log.mailmap=false',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'diff.external=',
  'credential.helper=',
  'protocol.allow=never',
]

export const gitOptions = () => ({
  timeoutMs: GIT_TIMEOUT_MS,
  environment: {
    without: /^(?:GIT_|SSH_ASKPASS)/,
    with: {
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: 'false',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      LC_ALL: 'C',
    },
  },
})

/** Naming the files of some hundred commits takes a second in the largest repositories. */
const GIT_TIMEOUT_MS = 60_000
