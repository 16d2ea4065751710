/** Qwen Code grew from Gemini CLI and has its tools. */
export { fileOf, readAction } from '../gemini/actions.ts'
