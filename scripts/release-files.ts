/**
 * The files of a release that name the repository. No address is committed: whoever releases sets RELEASE_REPOSITORY to `owner/name` on GitHub, and
 * `scripts/release.ts` writes these files.
 */
import { z } from 'zod'

/** The parts of package.json that we read; the others are kept as they are. */
const Manifest = z.looseObject({ name: z.string(), version: z.string(), description: z.string(), license: z.string() })

export type ReleaseRepository = { owner: string; name: string; url: string }

/** Null if the setting is not `owner/name`. */
export function parseRepository(setting: string): ReleaseRepository | null {
  const [, owner, name] = /^([A-Za-z\d](?:[A-Za-z\d-]{0,38}))\/([\w.-]{1,100})$/.exec(setting) ?? []
  return owner && name ? { owner, name, url: `https://github.com/${owner}/${name}` } : null
}

/** Every generated file, by its path in the repository. */
export function releaseFiles(repository: ReleaseRepository, packageJson: string, pluginJson: string): Record<string, string> {
  const manifest = Manifest.parse(JSON.parse(packageJson))
  return {
    'package.json': json({ ...manifest, ...addresses(repository), mcpName: mcpName(repository) }),
    'plugin/.claude-plugin/plugin.json': json({ ...JSON.parse(pluginJson), homepage: repository.url, repository: repository.url }),
    'server.json': json(serverJson(repository, manifest)),
    '.github/workflows/release.yml': workflow(repository),
  }
}

/** The name in the MCP registry. Only the owner of the repository can publish under it. */
const mcpName = ({ owner }: ReleaseRepository) => `io.github.${owner}/recollect`

const addresses = ({ url }: ReleaseRepository) => ({
  repository: { type: 'git', url: `git+${url}.git` },
  homepage: `${url}#readme`,
  bugs: { url: `${url}/issues` },
})

/** The description of the server for the MCP registry. */
function serverJson(repository: ReleaseRepository, { name, version }: z.infer<typeof Manifest>) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName(repository),
    title: 'Recollect',
    description: 'Memory for coding agents: search, read and save what earlier sessions did, on your machine.',
    repository: { url: repository.url, source: 'github' },
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          {
            name: 'RECOLLECT_HOME',
            description: 'The folder of your memories; ~/.recollect by default',
            format: 'filepath',
            isRequired: false,
          },
        ],
      },
    ],
  }
}

/**
 * Publishes with npm's trusted publishing: no token is stored, npm trusts this workflow of this repository and records where the package was built.
 * The package's settings at npm must name the repository and the file `release.yml` first.
 */
function workflow({ owner, name }: ReleaseRepository): string {
  return `# Written by scripts/release.ts. Publishes a release that was created on GitHub for a tag such as v0.1.0.
name: release
on:
  release:
    types: [published]
permissions:
  contents: read
jobs:
  test:
    # A fork cannot publish.
    if: github.repository == '${owner}/${name}'
    runs-on: ubuntu-latest
    # The suite installs Debian's packages as root, mounts disks and traces processes.
    container:
      image: node:24-bookworm
      options: --privileged
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
      - run: .ci/run
  publish:
    needs: test
    runs-on: ubuntu-latest
    environment: release
    permissions:
      contents: write
      id-token: write
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - run: npm ci
      - run: bin/with-bun scripts/release.ts --write --tag "$GITHUB_REF_NAME"
        env:
          RELEASE_REPOSITORY: \${{ github.repository }}
      - run: bin/with-bun scripts/sbom.ts dist/recollect-sbom.json
      - run: bin/with-bun scripts/plugin-package.ts dist/marketplace && tar czf dist/recollect-plugin.tar.gz -C dist/marketplace .
      - run: npm run vscode
      - run: npm publish --provenance --access public
      - run: gh release upload "$GITHUB_REF_NAME" dist/recollect-sbom.json dist/recollect-plugin.tar.gz vscode/recollect.vsix server.json
        env:
          GH_TOKEN: \${{ github.token }}
`
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
