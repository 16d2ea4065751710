import type { AgentName } from '../core/agent.ts'
import { readTranscriptBytes } from './claude-code/transcript-lines.ts'

/** Which agent wrote a file, packed or not; null when it is not a transcript. People keep transcripts of several agents in one folder. */
export async function detectTranscriptFormat(path: string): Promise<AgentName | null> {
  if (OPENCODE_SESSION.test(path)) return 'opencode'
  const decoder = new TextDecoder()
  let head = ''
  for await (const chunk of readTranscriptBytes(path, 0, path.endsWith('.gz'))) {
    head += decoder.decode(chunk, { stream: true })
    if (head.length >= HEAD_CHARS) break
  }
  return transcriptFormat(head)
}

/** OpenCode keeps all sessions in one database; a session in it is named like this. */
const OPENCODE_SESSION = /\.db#ses_\w+$/

/** The first line of a Codex session contains the instructions for the model, but its type comes before them. */
const HEAD_CHARS = 4096

/** Judged by the first lines, which may be cut off. */
export function transcriptFormat(firstLines: string): AgentName | null {
  for (const line of firstLines.split('\n')) {
    // Inside a string the quotes would be escaped, so these are fields.
    if (/"type":\s*"(?:session_meta|response_item|event_msg|turn_context)"/.test(line)) return 'codex'
    if (/"type":\s*"[a-z]+\.[a-z_]+","data":/.test(line)) return 'copilot'
    if (/^\{"sessionId":"[^"]*","projectHash":/.test(line)) return 'gemini'
    if (/"message":\{"role":"(?:user|model)","parts":/.test(line)) return 'qwen'
    if (/"(?:sessionId|leafUuid|isSnapshotUpdate)":/.test(line) && !/"systemPayload":/.test(line)) return 'claude-code'
  }
  return null
}
