const SECRET_NAME = new RegExp(
  `^(?:${[
    '\\.env(?:\\..*)?',
    '\\.envrc',
    '.+\\.env',
    '\\.netrc|_netrc|\\.pgpass|\\.my\\.cnf|\\.htpasswd',
    '\\.npmrc|\\.yarnrc\\.yml|\\.pypirc|\\.git-credentials|\\.dockercfg|\\.vault-token',
    '(?:credentials|secrets?)(?:\\.(?:ya?ml|json|toml|ini|csv|txt|properties))?|.*\\.secrets?|service-account.*\\.json',
    'id_(?:rsa|dsa|ecdsa|ed25519)(?:_.*)?',
    '.*\\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|gpg|age|tfvars|tfstate)',
  ].join('|')})$`,
  'i',
)

/** Templates that are meant to be read, such as `.env.example`. */
const TEMPLATE = /\.(?:example|sample|template|dist|defaults?)$/i

/** Whether the whole purpose of a file is to contain secrets. What changes in it is not reported, and neither is what is wrong in it. */
export function isSecretFile(path: string): boolean {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  if (TEMPLATE.test(name)) return false
  return SECRET_NAME.test(name) || folders.some((folder) => /^\.(?:ssh|aws|gnupg|kube)$/.test(folder))
}

const READERS =
  /^(?:cat|bat|batcat|nl|tac|head|tail|less|more|view|grep|egrep|rg|ag|sed|awk|cut|sort|strings|xxd|od|hexdump|base64|diff|jq|yq)$/

/** Whether a command prints what a file for secrets contains, or all variables of the shell. */
export function printsSecrets(command: string): boolean {
  return command.split(/[;|&\n]+/).some((part) => {
    const words = part
      .trim()
      .split(/[\s"'=<>()]+/)
      .filter((word) => word !== '' && word !== 'sudo')
    const [program = '', ...rest] = words
    if (/^(?:printenv|env|export|set|declare)$/.test(program)) return program === 'printenv' || rest.every((word) => word.startsWith('-'))
    return READERS.test(program.slice(program.lastIndexOf('/') + 1)) && rest.some(isSecretFile)
  })
}
