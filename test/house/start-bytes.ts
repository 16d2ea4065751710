/** How many bytes a process reads and compiles before its entry runs: the minified bundle of the entry and of the chunks that it imports statically. */
export async function bytesAtStart(entry: string): Promise<number> {
  const naming = { entry: '[name].js', chunk: '[name]-[hash].js' }
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'bun', splitting: true, minify: true, naming })
  const files = new Map(await Promise.all(outputs.map(async (file) => [file.path, await file.text()] as const)))
  const transpiler = new Bun.Transpiler({ loader: 'js' })
  const seen = new Set<string>()
  const visit = (path: string): number => {
    const text = files.get(path)
    if (text === undefined || seen.has(path)) return 0
    seen.add(path)
    const imported = transpiler.scanImports(text).filter(({ kind }) => kind === 'import-statement')
    return imported.reduce((sum, { path }) => sum + visit(path), Buffer.byteLength(text))
  }
  return visit(outputs.find((file) => file.kind === 'entry-point')?.path ?? '')
}
