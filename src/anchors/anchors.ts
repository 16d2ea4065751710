/**
 * Anchors tie a memory to the code it speaks of, and compare them with the working tree. The room reads files of one work tree, never
 * outside it, and asks git where moved code is. It writes nothing.
 */
export { anchorsAt, anchorsNamed, type EditedPlace } from './capture-anchors.ts'
export { languageOf } from './languages.ts'
export { findDefined } from './moves.ts'
export { definedLines } from './outline.ts'
export { type CheckWait, openWorkTree, type WorkTree } from './work-tree-check.ts'
