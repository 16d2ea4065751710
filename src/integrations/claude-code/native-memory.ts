import { z } from 'zod'
import { once } from '../../core/once.ts'
import { firstLine } from '../../core/text.ts'
import { isFolder } from '../../platform/files.ts'
import { filesBelow, filesIn, foldersIn } from '../../platform/folder.ts'

/** A file of the client's own memory: one fact per file, in a folder per project. We never write them. */
export type NativeFile = {
  /** The client's name of the project: the path of its folder, with dashes for slashes. */
  projectFolder: string
  /** Relative to the memory folder. */
  name: string
  path: string
  bytes: number
  changedAt: number
}

export type NativeMemory = { title: string; body: string; kind: 'user' | 'feedback' | 'project' | 'reference' | 'plain' }

/** Every file of the client's own memory below its configuration folder; null when the client has no projects there. */
export function listNativeFiles(configFolder: string): NativeFile[] | null {
  const folders = foldersIn(`${configFolder}/projects`)
  if (folders === null) return null
  return folders.flatMap((projectFolder) => {
    const folder = `${configFolder}/projects/${projectFolder}/memory`
    return filesBelow(folder, ['.md']).map(({ path, bytes, changedAt }) => {
      return { projectFolder, name: path.slice(folder.length + 1), path, bytes, changedAt }
    })
  })
}

/**
 * The folder of a project whose memory the client keeps, taken from the project's newest transcripts. Without a transcript, the name
 * with slashes for dashes, if there is such a folder; otherwise null.
 */
export async function findNativeProjectFolder(configFolder: string, projectFolder: string): Promise<string | null> {
  const transcripts = filesIn(`${configFolder}/projects/${projectFolder}`, '.jsonl').sort((a, b) => b.changedAt - a.changedAt)
  for (const { path } of transcripts.slice(0, 5)) {
    const { readTranscript } = await import('./transcript.ts')
    for await (const { facts } of readTranscript(path, null)) {
      if (facts.cwd) return facts.cwd
      break
    }
  }
  const named = projectFolder.replaceAll('-', '/')
  return isFolder(named) ? named : null
}

/** Parses a file. Null when it has no content of its own: `MEMORY.md` is mostly a list of the other files. */
export function parseNativeMemory(name: string, text: string): NativeMemory | null {
  const parts = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  const front = parts ? frontMatter(parts[1] ?? '') : {}
  const rest = parts ? text.slice(parts[0].length) : text
  const body = (/(?:^|\/)MEMORY\.md$/i.test(name) ? withoutIndex(rest) : rest).trim()
  if (!/[\p{L}\p{N}]/u.test(body.replace(/^#.*$/gm, ''))) return null
  const heading = /^#{1,3}\s+(.+)$/m.exec(body)?.[1]
  const title = front.description ?? front.name ?? heading ?? name.replace(/\.md$/i, '').replace(/[-_]+/g, ' ')
  return { title: firstLine(title, 200), body, kind: front.metadata?.type ?? front.type ?? 'plain' }
}

const FrontMatter = once(() => {
  const text = z.string().trim().min(1).optional().catch(undefined)
  const kind = z.enum(['user', 'feedback', 'project', 'reference']).optional().catch(undefined)
  // Older clients put the kind beside the name, newer ones below `metadata`.
  return z.object({ name: text, description: text, type: kind, metadata: z.object({ type: kind }).optional().catch(undefined) })
})

function frontMatter(yaml: string): z.infer<ReturnType<typeof FrontMatter>> {
  try {
    return FrontMatter().safeParse(Bun.YAML.parse(yaml)).data ?? {}
  } catch {
    // The model writes these files, and not always as valid YAML: a description may contain a colon.
    const line = (field: string) => new RegExp(`^\\s*${field}:[ \\t]*(.+)$`, 'm').exec(yaml)?.[1]?.trim()
    return FrontMatter().parse({ name: line('name'), description: line('description'), type: line('type') })
  }
}

/** Without the lines that only point to another file. */
function withoutIndex(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*[-*+]\s+\[[^\]]*\]\([^)]*\.md[^)]*\)/.test(line))
    .join('\n')
}
