// src/client/client.ts
import { request } from "node:http";

// src/platform/environment.ts
import { homedir } from "node:os";
import { resolve } from "node:path";
var KEYS = ["RECOLLECT_MODEL_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY", "GEMINI_API_KEY"];
function readEnvironment() {
  const env = process.env;
  const userHome = env.HOME || homedir();
  return {
    home: resolve(env.RECOLLECT_HOME || `${userHome}/.recollect`),
    claudeConfig: resolve(env.CLAUDE_CONFIG_DIR || `${userHome}/.claude`),
    claudeBin: env.CLAUDE_BIN || null,
    userHome,
    temporary: env.TMPDIR || "/tmp",
    runtime: env.XDG_RUNTIME_DIR || null,
    uid: process.getuid?.() ?? 0,
    path: env.PATH ?? "",
    overrides: Object.fromEntries(Object.entries(env).flatMap(([name, value]) => name.startsWith("RECOLLECT_") && value !== undefined ? [[name, value]] : [])),
    keys: Object.fromEntries(KEYS.flatMap((name) => env[name] ? [[name, env[name]]] : []))
  };
}

// src/platform/paths.ts
import { join } from "node:path";

// src/core/hash.ts
function fingerprint(text, length = 16) {
  return sha256(text).slice(0, length);
}
function sha256(text) {
  if (typeof Bun !== "undefined")
    return new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex");
}

// src/platform/paths.ts
function homePaths(environment = readEnvironment()) {
  const folder = environment.home;
  const run = join(folder, "run");
  return {
    folder,
    config: join(folder, "config.toml"),
    database: join(folder, "recollect.db"),
    spool: join(folder, "spool"),
    run,
    logs: join(folder, "logs"),
    models: join(folder, "models"),
    socket: socketPath(folder, environment),
    workerFile: join(run, "worker.json"),
    token: join(run, "token"),
    hookToken: join(run, "hook-token"),
    lock: join(run, "worker.lock"),
    installs: join(run, "installs.json"),
    privacyRules: join(run, "privacy.json"),
    damage: join(run, "damage")
  };
}
var SOCKET_PATH_LIMIT = 100;
function socketPath(folder, environment) {
  const wanted = join(folder, "run", "worker.sock");
  if (Buffer.byteLength(wanted) <= SOCKET_PATH_LIMIT)
    return wanted;
  const name = `${fingerprint(folder)}.sock`;
  return join(environment.runtime ?? environment.temporary, `recollect-${environment.uid}`, name);
}

// src/client/memory-tool.ts
var FILES = "memory-files";
var ROOT = "/memories";
function memoryTool(client, wish = {}) {
  const files = async () => {
    const notes = await client.notes.list({ ...wish, namespace: FILES, limit: 1000 });
    return new Map(notes.map((note) => [note.title, note]));
  };
  const fileAt = async (path) => (await files()).get(nameOf(path)) ?? complain(`There is no file ${path}.`);
  const write = (note, body) => client.notes.change(note.id, { body: kept(body) });
  async function answer(input) {
    switch (input.command) {
      case "view":
        return view(await files(), input);
      case "create": {
        const name = nameOf(input.path);
        const known = await files();
        if (known.has(name))
          complain(`${input.path} is there already; change it with str_replace or insert, or delete it first.`);
        if ([...known.keys()].some((other) => other.startsWith(`${name}/`)))
          complain(`${input.path} is a folder.`);
        await client.notes.add({ ...wish, title: name, body: kept(text(input.file_text, "file_text")), namespace: FILES, apart: true });
        return `Created ${input.path}.`;
      }
      case "str_replace": {
        const note = await fileAt(input.path);
        const body = replacedOnce(note.body, text(input.old_str, "old_str"), input.new_str ?? "", input.path);
        await write(note, body);
        return `Changed ${input.path}.`;
      }
      case "insert": {
        const note = await fileAt(input.path);
        const lines = note.body.split(`
`);
        const at = input.insert_line;
        if (!Number.isInteger(at) || at < 0 || at > lines.length)
          complain(`insert_line must be a line from 0 to ${lines.length}.`);
        await write(note, [...lines.slice(0, at), text(input.insert_text, "insert_text").replace(/\n$/, ""), ...lines.slice(at)].join(`
`));
        return `Changed ${input.path}.`;
      }
      case "delete": {
        const name = nameOf(input.path);
        const gone = [...await files()].filter(([other]) => other === name || other.startsWith(`${name}/`));
        if (gone.length === 0)
          complain(`There is no ${input.path}.`);
        for (const [, note] of gone)
          await client.notes.forget(note.id);
        return `Deleted ${input.path}.`;
      }
      case "rename": {
        const [from, to] = [nameOf(input.old_path), nameOf(input.new_path)];
        const known = await files();
        const moved = [...known].filter(([other]) => other === from || other.startsWith(`${from}/`));
        if (moved.length === 0)
          complain(`There is no ${input.old_path}.`);
        if ([...known.keys()].some((other) => other === to || other.startsWith(`${to}/`)))
          complain(`${input.new_path} is there already.`);
        if (to.startsWith(`${from}/`))
          complain("A folder cannot be moved into itself.");
        for (const [name, note] of moved)
          await client.notes.change(note.id, { title: to + name.slice(from.length) });
        return `Renamed ${input.old_path} to ${input.new_path}.`;
      }
      default:
        return complain("The command must be view, create, str_replace, insert, delete or rename.");
    }
  }
  return {
    definition: { type: "memory_20250818", name: "memory" },
    run: async (input) => {
      try {
        return { text: await answer(input), isError: false };
      } catch (cause) {
        if (!(cause instanceof Complaint))
          throw cause;
        return { text: `Error: ${cause.message}`, isError: true };
      }
    }
  };
}

class Complaint extends Error {
}
function complain(message) {
  throw new Complaint(message);
}
function nameOf(path) {
  const given = text(path, "path");
  const name = given.startsWith(`${ROOT}/`) ? given.slice(ROOT.length + 1).replace(/\/$/, "") : "";
  const parts = name.split("/");
  const isPlain = (part) => part !== "" && part !== "." && part !== ".." && !/[\\%\p{Cc}]/u.test(part) && part.trim() === part;
  if (!parts.every(isPlain) || name.length > 300)
    complain(`A path is ${ROOT}/ and plain names, for instance ${ROOT}/progress.md; not ${JSON.stringify(given)}.`);
  return name;
}
function text(value, name) {
  return typeof value === "string" ? value : complain(`${name} must be a text.`);
}
var kept = (body) => body.trim() ? body : complain("A file needs some text; delete it instead.");
function view(files, { path, view_range }) {
  const isRoot = path === ROOT || path === `${ROOT}/`;
  const name = isRoot ? "" : nameOf(path);
  const note = files.get(name);
  if (note)
    return numbered(note.body.split(`
`), view_range);
  const below = [...files].filter(([other]) => isRoot || other.startsWith(`${name}/`)).sort(([a], [b]) => a < b ? -1 : 1);
  if (below.length === 0 && !isRoot)
    complain(`There is no ${path}.`);
  const lines = below.map(([other, { body }]) => `${String(Buffer.byteLength(body)).padStart(7)}  ${ROOT}/${other}`);
  return [`Files below ${path}, with their size in bytes:`, ...lines.length > 0 ? lines : ["(none yet)"]].join(`
`);
}
function numbered(lines, range) {
  const [from = 1, to = -1] = Array.isArray(range) ? range : [];
  const last = to === -1 ? lines.length : to;
  if (![from, last].every(Number.isInteger) || from < 1 || from > lines.length || last < from)
    complain(`view_range must lie within 1 and ${lines.length}.`);
  return lines.slice(from - 1, last).map((line, i) => `${String(from + i).padStart(6)}	${line}`).join(`
`);
}
function replacedOnce(body, old, next, path) {
  const times = old === "" ? 0 : body.split(old).length - 1;
  if (times === 0)
    complain(`old_str does not stand in ${path} as it is written; nothing was changed.`);
  if (times > 1)
    complain(`old_str stands ${times} times in ${path}; make it longer, so that it stands there once. Nothing was changed.`);
  const at = body.indexOf(old);
  return body.slice(0, at) + next + body.slice(at + old.length);
}

// src/client/client.ts
class RecollectError extends Error {
  kind;
  status;
  constructor(kind, message, status = null) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.name = "RecollectError";
  }
}
function connect(connection = {}) {
  const environment = readEnvironment();
  const { socket } = homePaths(connection.home ? { ...environment, home: connection.home } : environment);
  const here = connection.project ?? process.cwd();
  const timeoutMs = connection.timeoutMs ?? 30000;
  const send = (method, path, body) => ask(socket, timeoutMs, method, path, body);
  const query = (fields) => new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]])).toString();
  const within = (project) => project === null ? undefined : project ?? here;
  return {
    search: async (words, wish = {}) => {
      const asked = query({ ...wish, query: words, project: within(wish.project) });
      return (await send("GET", `/api/search?${asked}`)).hits;
    },
    timeline: async (around, wish = {}) => {
      const anchor = "id" in around ? { anchor: around.id } : ("words" in around) ? { query: around.words } : { at: around.at };
      const depth = { depth_before: wish.before, depth_after: wish.after };
      return (await send("GET", `/api/timeline?${query({ ...anchor, ...depth, project: within(wish.project) })}`)).items;
    },
    get: async (ids) => send("POST", "/api/memories/batch", { ids }),
    brief: async (wish = {}) => send("GET", `/api/context/inject?${query({ ...wish, format: "json", project: within(wish.project) })}`),
    notes: {
      list: async (wish = {}) => {
        const asked = query({ ...wish, hidden: wish.hidden ? "1" : "0", project: within(wish.project) });
        return (await send("GET", `/api/notes?${asked}`)).notes;
      },
      get: async (id) => send("GET", `/api/notes/${encodeURIComponent(id)}`),
      add: async (note) => {
        const project = note.scope === "global" ? {} : { project: note.project ?? here };
        return send("POST", "/api/notes", { scope: "project", ...note, ...project });
      },
      change: async (id, change) => send("PATCH", `/api/notes/${encodeURIComponent(id)}`, change),
      forget: async (id, how = {}) => void await send("DELETE", `/api/notes/${encodeURIComponent(id)}${how.hard ? "?hard=1" : ""}`),
      restore: async (id) => send("POST", `/api/notes/${encodeURIComponent(id)}/restore`, {})
    },
    session: (contentSessionId, project = here) => ({
      prompt: async (text) => send("POST", "/api/sessions/init", { contentSessionId, project, prompt: text }),
      toolUse: async (use) => {
        const said = { tool_name: use.name, tool_input: use.input, tool_response: use.output, ...use.id ? { tool_use_id: use.id } : {} };
        return send("POST", "/api/sessions/observations", { contentSessionId, ...said });
      },
      answer: async (text) => send("POST", "/api/sessions/summarize", { contentSessionId, last_assistant_message: text }),
      end: async (reason = "other") => send("POST", "/api/sessions/complete", { contentSessionId, reason })
    }),
    status: async () => send("GET", "/api/status")
  };
}
function ask(socketPath, timeoutMs, method, path, body) {
  const { promise, resolve, reject } = withResolvers();
  const text = body === undefined ? null : JSON.stringify(body);
  const headers = {
    host: "worker",
    ...text === null ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }
  };
  const asked = request({ socketPath, method, path, headers }, (answer) => {
    const parts = [];
    answer.on("data", (part) => parts.push(part));
    answer.on("error", (cause) => reject(new RecollectError("unreachable", cause.message)));
    answer.on("end", () => {
      const said = Buffer.concat(parts).toString("utf8");
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300)
        resolve(JSON.parse(said));
      else
        reject(new RecollectError("refused", reasonIn(said), status));
    });
  });
  asked.setTimeout(timeoutMs, () => {
    reject(new RecollectError("late", `the worker did not answer within ${timeoutMs} ms`));
    asked.destroy();
  });
  asked.on("error", (cause) => reject(new RecollectError("unreachable", `no worker listens at ${socketPath}; start it with 'recollect start' (${cause.message})`)));
  asked.end(text ?? undefined);
  return promise;
}
function withResolvers() {
  let resolve = () => {};
  let reject = () => {};
  const promise = new Promise((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
function reasonIn(body) {
  try {
    return JSON.parse(body).error ?? body;
  } catch {
    return body;
  }
}
export {
  RecollectError,
  connect,
  memoryTool
};
