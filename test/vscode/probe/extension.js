// Runs code that a test sends over a loopback port, in the extension host and with its real API.
const { createServer } = require('node:http')
const { Socket } = require('node:net')
const { writeFileSync, renameSync } = require('node:fs')
const vscode = require('vscode')

const AsyncFunction = (async () => {}).constructor

// Where the extension under test connects to.
globalThis.recollectConnections = new Set()
const { connect } = Socket.prototype
Socket.prototype.connect = function (...args) {
  if (new Error().stack.includes('recollect.recollect-')) {
    const [options] = Array.isArray(args[0]) ? args[0] : args
    globalThis.recollectConnections.add(options.path ?? `${options.host}:${options.port}`)
  }
  return connect.apply(this, args)
}

// VS Code calls no chat participant while there is no model at all. This one is never asked.
const model = {
  provideLanguageModelChatInformation: () => [
    {
      id: 'silent',
      name: 'Silent',
      family: 'silent',
      version: '1',
      maxInputTokens: 10_000,
      maxOutputTokens: 1000,
      isUserSelectable: true,
      isDefault: true,
      capabilities: { toolCalling: true },
    },
  ],
  provideLanguageModelChatResponse: async () => {
    throw new Error('the model was asked')
  },
  provideTokenCount: async () => 1,
}

exports.activate = (context) => {
  const server = createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', async () => {
      try {
        const value = await new AsyncFunction('vscode', Buffer.concat(parts).toString('utf8'))(vscode)
        response.end(JSON.stringify({ value: value ?? null }))
      } catch (error) {
        response.end(JSON.stringify({ error: String(error?.stack ?? error) }))
      }
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const file = process.env.RECOLLECT_PROBE
    writeFileSync(`${file}.new`, String(server.address().port))
    renameSync(`${file}.new`, file)
  })
  context.subscriptions.push({ dispose: () => server.close() }, vscode.lm.registerLanguageModelChatProvider('recollect-test', model))
}
