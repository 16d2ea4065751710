import { projectKey } from '../core/project.ts'
import { findProject } from '../platform/project.ts'

/** The project of the folder the person stands in. */
export function projectHere(): string {
  return projectKey(findProject(process.cwd()))
}

/** The git branch they are on, null outside of git. */
export function branchHere(): string | null {
  return findProject(process.cwd()).branch
}
