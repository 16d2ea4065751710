import { FULLTEXT_TABLES } from './statement.ts'

/**
 * The whole schema, as a new database gets it and as an older one looks after its conversion (`migrations.ts`). Three kinds of tables:
 *
 * - the journal, notes and commits: what happened and what was distilled. Notes are authoritative as files, commits in git.
 * - the indexes that search needs, derived from these: documents, full text, vectors, entities, links, anchors.
 * - bookkeeping: jobs, receipts, marks, costs, what was deleted, what is shared.
 *
 * Times are milliseconds since 1970 (`at`); lists and objects are JSON. `project` is repeated in most tables so that an index can start with it. New
 * columns go behind the last one of their table, where SQLite adds them too.
 */
export const SCHEMA = `
  -- The journal -----------------------------------------------------------------------------------------------------------------------

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    -- The agent's own id of the session.
    content_session_id TEXT NOT NULL,
    -- The distiller's id of it; null until the session is first distilled.
    memory_session_id TEXT UNIQUE CHECK (memory_session_id <> content_session_id),
    project TEXT NOT NULL,
    folder TEXT NOT NULL,
    branch TEXT,
    title TEXT,
    status TEXT NOT NULL CHECK (status IN ('initialized', 'active', 'completed')),
    prompt_count INTEGER NOT NULL DEFAULT 0,
    transcript TEXT,
    client_pid INTEGER,
    -- 1 while the turn is entirely private.
    muting INTEGER NOT NULL DEFAULT 0,
    has_private INTEGER NOT NULL DEFAULT 0,
    forked_at INTEGER,
    started_at INTEGER NOT NULL,
    last_event_at INTEGER NOT NULL,
    ended_at INTEGER,
    -- When its last brief was injected, and the newest observation at that time.
    briefed_at INTEGER,
    briefed_until INTEGER,
    -- Injections before this time have been compacted away.
    context_from INTEGER NOT NULL DEFAULT 0,
    forked_from INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    host TEXT,
    UNIQUE (agent, content_session_id)
  ) STRICT;
  CREATE INDEX sessions_of_project ON sessions (project, started_at);
  CREATE INDEX sessions_open ON sessions (last_event_at) WHERE status <> 'completed';
  CREATE INDEX sessions_by_time ON sessions (last_event_at, id);

  -- Turns of entirely private prompts: only the client's opaque turn id, so that a late tool use is rejected too.
  CREATE TABLE muted_turns (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    prompt_id TEXT NOT NULL,
    PRIMARY KEY (session_id, prompt_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE prompts (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    -- The number of the turn in its session.
    number INTEGER NOT NULL,
    key TEXT NOT NULL,
    prompt_id TEXT,
    uuid TEXT,
    origin TEXT NOT NULL CHECK (origin IN ('person', 'machine')),
    text TEXT NOT NULL,
    answer TEXT,
    open_failures TEXT,
    at INTEGER NOT NULL,
    answered_at INTEGER,
    -- The branch when the turn ended.
    branch TEXT,
    -- What the tools of the turn left behind: names in changed code, errors, passing tests, fixes, work on files.
    traces TEXT,
    -- What undid its changes, as P12 for a prompt or C5 for a commit.
    undone_by TEXT,
    UNIQUE (session_id, key),
    UNIQUE (session_id, number)
  ) STRICT;
  CREATE INDEX prompts_of_project ON prompts (project, at);
  CREATE INDEX prompts_of_turn ON prompts (session_id, prompt_id, at);
  CREATE INDEX prompts_by_uuid ON prompts (uuid) WHERE uuid IS NOT NULL;
  CREATE INDEX prompts_of_branch ON prompts (project, branch, at) WHERE branch IS NOT NULL;
  CREATE INDEX prompts_with_failures ON prompts (project, at) WHERE open_failures IS NOT NULL AND open_failures <> '[]';
  CREATE INDEX prompts_with_passes ON prompts (project, at) WHERE traces ->> 'passes' IS NOT NULL;
  CREATE INDEX prompts_with_fixes ON prompts (project, at) WHERE traces ->> 'fixes' IS NOT NULL;
  CREATE INDEX prompts_with_work ON prompts (project, at) WHERE traces ->> 'work' IS NOT NULL;

  CREATE TABLE tool_uses (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    prompt_number INTEGER NOT NULL,
    prompt_id TEXT,
    tool_use_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT,
    error TEXT,
    interrupted INTEGER NOT NULL,
    agent_id TEXT,
    cwd TEXT,
    at INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,
    UNIQUE (session_id, tool_use_id)
  ) STRICT;
  CREATE INDEX tool_uses_of_turn ON tool_uses (session_id, prompt_number, at);
  CREATE INDEX tool_uses_by_age ON tool_uses (stored_at);

  -- The second reference ensures that a session has a memory session id before its first observation.
  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    memory_session_id TEXT NOT NULL REFERENCES sessions (memory_session_id) ON UPDATE CASCADE ON DELETE CASCADE,
    project TEXT NOT NULL,
    prompt_number INTEGER NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    subtitle TEXT NOT NULL,
    narrative TEXT NOT NULL,
    facts TEXT NOT NULL,
    concepts TEXT NOT NULL,
    files_read TEXT NOT NULL,
    files_modified TEXT NOT NULL,
    tool TEXT,
    tokens INTEGER NOT NULL,
    model TEXT NOT NULL,
    at INTEGER NOT NULL,
    undone_by TEXT,
    tags TEXT NOT NULL DEFAULT '[]',
    -- Names that queries written for claude-mem use. Computed when they are read, so they take no space.
    created_at TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch')) VIRTUAL,
    created_at_epoch INTEGER AS (at) VIRTUAL
  ) STRICT;
  CREATE INDEX observations_of_project ON observations (project, at);
  CREATE INDEX observations_of_turn ON observations (session_id, prompt_number);
  CREATE INDEX observations_of_memory_session ON observations (memory_session_id);
  CREATE INDEX observations_with_tags ON observations (id) WHERE tags <> '[]';

  CREATE TABLE observation_files (
    observation_id INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    path TEXT NOT NULL,
    modified INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (observation_id, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX observation_files_of_path ON observation_files (project, path, at);

  CREATE TABLE summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    prompt_number INTEGER NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('turn', 'compact', 'subagent')),
    request TEXT NOT NULL,
    investigated TEXT NOT NULL,
    learned TEXT NOT NULL,
    completed TEXT NOT NULL,
    next_steps TEXT NOT NULL,
    notes TEXT NOT NULL,
    model TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX summaries_of_project ON summaries (project, source, at);
  CREATE INDEX summaries_of_turn ON summaries (session_id, prompt_number);

  -- Turns that a text model has distilled, with a fingerprint of the turn at that time: when it changes, the turn is distilled again.
  CREATE TABLE told_turns (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    prompt_number INTEGER NOT NULL,
    print TEXT NOT NULL,
    model TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (session_id, prompt_number)
  ) STRICT, WITHOUT ROWID;

  -- Which turns of a session belong together, which one holds the result, and the thread that replaced it.
  CREATE TABLE threads (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    outcome INTEGER,
    replaced_by INTEGER REFERENCES threads (id) ON DELETE SET NULL,
    UNIQUE (session_id, first)
  ) STRICT;
  CREATE INDEX threads_replaced ON threads (replaced_by) WHERE replaced_by IS NOT NULL;

  -- Values that a turn replaced by others.
  CREATE TABLE changed_values (
    old TEXT NOT NULL,
    prompt_id INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
    PRIMARY KEY (old, prompt_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX changed_values_of ON changed_values (prompt_id);

  -- Notes and commits -----------------------------------------------------------------------------------------------------------------

  -- Rows derived from the markdown files, which are authoritative.
  CREATE TABLE notes (
    id TEXT PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    scope TEXT NOT NULL,
    namespace TEXT NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL,
    machine TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT,
    model TEXT,
    confidence REAL NOT NULL,
    supersedes TEXT NOT NULL,
    conflict_of TEXT,
    pinned INTEGER NOT NULL,
    -- Fields of the file that this version does not know; they are kept.
    unknown TEXT NOT NULL,
    print TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    deleted_at INTEGER,
    -- Whether a person accepted a note that was taken from a session, and where it was said.
    state TEXT NOT NULL DEFAULT 'accepted',
    said TEXT NOT NULL DEFAULT '[]',
    -- Set in copies of other people's notes.
    author TEXT
  ) STRICT;
  CREATE INDEX notes_of_project ON notes (project, updated_at);
  CREATE INDEX notes_by_print ON notes (print);
  CREATE INDEX notes_of_session ON notes (session) WHERE session IS NOT NULL;
  CREATE INDEX notes_pinned ON notes (project, updated_at) WHERE pinned = 1;
  CREATE INDEX notes_of_namespace ON notes (namespace, project, updated_at);
  CREATE INDEX notes_by_short_id ON notes (substr(id, 11));

  CREATE TABLE superseded (
    older TEXT NOT NULL,
    newer TEXT NOT NULL,
    PRIMARY KEY (older, newer)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX superseded_by ON superseded (newer);

  -- Earlier versions of notes.
  CREATE TABLE note_versions (
    note TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (note, at)
  ) STRICT, WITHOUT ROWID;

  -- Every file in the notes folders: its state when it was read, and its problem if it had one.
  CREATE TABLE note_files (
    path TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL,
    changed_at REAL NOT NULL,
    id TEXT,
    problem TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX note_files_of_note ON note_files (id) WHERE id IS NOT NULL;

  -- Plans of consolidation and reflection. Undo contains what is needed to undo a plan, but never the text of a note: deleted text must be gone.
  CREATE TABLE plans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('consolidate', 'reflect')),
    project TEXT,
    fingerprint TEXT NOT NULL,
    content TEXT NOT NULL,
    undo TEXT,
    planned_at INTEGER NOT NULL,
    applied_at INTEGER,
    undone_at INTEGER
  ) STRICT;
  CREATE INDEX plans_by_kind ON plans (kind, project, applied_at);

  -- Derived from git. A forgotten commit keeps only its hash, so that reading the repository again does not bring it back.
  CREATE TABLE commits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL,
    hash TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    files TEXT NOT NULL,
    file_count INTEGER NOT NULL,
    author TEXT NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('decision', 'change', 'chore')),
    reverts_hash TEXT,
    reverts_subject TEXT,
    undone_by TEXT,
    abandoned INTEGER NOT NULL DEFAULT 0,
    forgotten INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, hash)
  ) STRICT;
  CREATE INDEX commits_by_hash ON commits (hash);
  CREATE INDEX commits_of_subject ON commits (project, subject);
  CREATE INDEX commits_reverting ON commits (project) WHERE reverts_hash IS NOT NULL OR reverts_subject IS NOT NULL;

  -- Search ----------------------------------------------------------------------------------------------------------------------------

  -- One row for every memory that can be found: an observation, a summary, a prompt, a note or a commit. Its words are only in the full-text
  -- tables, under the same id.
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    at INTEGER NOT NULL,
    turn INTEGER,
    UNIQUE (kind, ref)
  ) STRICT;
  CREATE INDEX documents_of_project ON documents (project, at);
  CREATE INDEX documents_of_session ON documents (session_id);
  CREATE INDEX documents_by_time ON documents (at);
  -- With the columns that the feed filters by, so that a late page reads only this index.
  CREATE INDEX documents_of_feed ON documents (at, id, kind, project, session_id);

  -- The words of a document, stemmed. Scope is one word for the project, so that a search in one project
  -- never reads the others.
  CREATE VIRTUAL TABLE fulltext USING fts5 (
    title, prompt, body, facts, files, scope,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE fulltext_words USING fts5vocab (fulltext, row);
  -- The start of a document and its context. Separate from the words above, because bm25 uses the length of the whole row.
  CREATE VIRTUAL TABLE surroundings USING fts5 (
    own, around, scope,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  -- Parts of words, for names that are only half remembered: names of files, and the text of notes. All text would make it larger than
  -- everything else.
  CREATE VIRTUAL TABLE trigrams USING fts5 (
    names, content = '', contentless_delete = 1, tokenize = 'trigram'
  );
  -- The activity of a turn, by the id of the prompt's document. Without a word for the project: only words of few turns are searched.
  CREATE VIRTUAL TABLE deeds USING fts5 (
    done, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  -- Traits of documents for filters; see trait-index.ts.
  CREATE VIRTUAL TABLE traits USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );

  -- A vector that is made again gets a new seq, so that a reader with vectors in memory asks only for higher ones.
  CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL UNIQUE REFERENCES documents (id) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    scale REAL NOT NULL,
    row BLOB NOT NULL
  ) STRICT;
  -- Counts the vectors of an embedder without reading them.
  CREATE INDEX vectors_by_embedder ON vectors (embedder);
  -- Documents that wait for a vector. The mark changes with every change, so that an outdated vector does not count as done.
  CREATE TABLE unembedded (
    document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    mark INTEGER NOT NULL
  ) STRICT;

  -- How often a memory was read in full.
  CREATE TABLE uses (
    document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    times INTEGER NOT NULL
  ) STRICT;

  -- What documents name, and how they are connected. They refer to a document by kind and ref, not by its id.
  CREATE TABLE entities (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (kind, name)
  ) STRICT;
  CREATE TABLE mentions (
    entity_id INTEGER NOT NULL REFERENCES entities (id),
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    project TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, ref, entity_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mentions_of_entity ON mentions (entity_id, project, at);
  -- From the earlier memory to the later one; origin gives the reason as text.
  CREATE TABLE links (
    from_kind TEXT NOT NULL,
    from_ref TEXT NOT NULL,
    to_kind TEXT NOT NULL,
    to_ref TEXT NOT NULL,
    relation TEXT NOT NULL,
    origin TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (from_kind, from_ref, to_kind, to_ref, relation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX links_to ON links (to_kind, to_ref);

  -- The code that memories speak of: derived while a memory is captured, or from a note's file. Several memories of a turn share an anchor.
  CREATE TABLE anchors (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    signature TEXT NOT NULL,
    sketch BLOB NOT NULL,
    header TEXT NOT NULL,
    commit_hash TEXT NOT NULL,
    branch TEXT NOT NULL,
    UNIQUE (path, name, signature, commit_hash, branch)
  ) STRICT;
  CREATE TABLE anchored (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    anchor_id INTEGER NOT NULL REFERENCES anchors (id),
    PRIMARY KEY (kind, ref, anchor_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX anchored_by_anchor ON anchored (anchor_id);
  -- When and at which commit a person or a model confirmed that a memory still holds.
  CREATE TABLE verified (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    commit_hash TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) STRICT, WITHOUT ROWID;

  -- Bookkeeping -----------------------------------------------------------------------------------------------------------------------

  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    run_after INTEGER NOT NULL,
    error TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX jobs_waiting ON jobs (kind, key) WHERE state = 'waiting';
  CREATE INDEX jobs_due ON jobs (state, run_after, id);

  -- Text that was injected: where, when, why, how much, and what did not fit.
  CREATE TABLE injections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    event TEXT NOT NULL,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    items TEXT NOT NULL,
    at INTEGER NOT NULL,
    left_out TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX injections_of_session ON injections (session_id, at);
  CREATE INDEX injections_of_project ON injections (project, at);

  -- Deliveries of hook processes that were accepted, so that one that was both sent and spooled counts once.
  CREATE TABLE receipts (
    delivery TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX receipts_by_age ON receipts (at);

  -- How far each transcript has been read. Rows from before there were other agents got the default.
  CREATE TABLE transcripts (
    path TEXT PRIMARY KEY,
    checkpoint TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    agent TEXT NOT NULL DEFAULT 'claude-code'
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;

  -- Single values by name, such as how far a background task has come.
  CREATE TABLE marks (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Renamed projects: the old key means the new project.
  CREATE TABLE renamed_projects (
    old TEXT PRIMARY KEY,
    now TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What text models cost, by day.
  CREATE TABLE model_costs (
    day TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    project TEXT NOT NULL,
    purpose TEXT NOT NULL,
    calls INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    input INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    output INTEGER NOT NULL,
    usd REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    PRIMARY KEY (day, provider, model, project, purpose)
  ) STRICT, WITHOUT ROWID;

  -- Deletion --------------------------------------------------------------------------------------------------------------------------

  -- Rows of deleted memories, as JSON, until they are restored or erased. A unit is what comes back together: a turn, a session, or one memory.
  CREATE TABLE deleted_rows (
    id INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    session_id INTEGER NOT NULL,
    project TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    row TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deleted_rows_of_unit ON deleted_rows (unit);
  CREATE INDEX deleted_rows_by_ref ON deleted_rows (kind, ref);
  CREATE INDEX deleted_rows_by_age ON deleted_rows (at);

  -- What was deleted, by the agent's own ids. Texts are only here as keyed hashes. Sessions, because their rows may be gone, by agent and content id.
  CREATE TABLE tombstones (
    id INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('session', 'turn', 'tool-use', 'observation', 'summary', 'note')),
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    turn INTEGER,
    prompt_id TEXT,
    uuid TEXT,
    key TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tombstones_of_session ON tombstones (session, agent, kind, turn);
  CREATE INDEX tombstones_of_unit ON tombstones (unit);
  CREATE INDEX tombstones_by_uuid ON tombstones (uuid) WHERE uuid IS NOT NULL;
  CREATE INDEX tombstones_of_notes ON tombstones (key) WHERE kind = 'note';

  -- A row that goes takes its document along, and a document everything that was derived from it.
  ${documentTrigger('observation', 'observations')}
  ${documentTrigger('summary', 'summaries')}
  ${documentTrigger('prompt', 'prompts')}
  ${documentTrigger('commit', 'commits')}
  CREATE TRIGGER notes_gone AFTER DELETE ON notes BEGIN
    DELETE FROM documents WHERE kind = 'note' AND ref = old.id;
    DELETE FROM superseded WHERE newer = old.id;
  END;
  CREATE TRIGGER note_versions_gone AFTER DELETE ON notes BEGIN
    DELETE FROM note_versions WHERE note = old.id;
  END;
  CREATE TRIGGER documents_gone AFTER DELETE ON documents BEGIN
    DELETE FROM fulltext WHERE rowid = old.id;
    DELETE FROM surroundings WHERE rowid = old.id;
    DELETE FROM trigrams WHERE rowid = old.id;
  END;
  CREATE TRIGGER deeds_gone AFTER DELETE ON documents WHEN old.kind = 'prompt' BEGIN
    DELETE FROM deeds WHERE rowid = old.id;
  END;
  CREATE TRIGGER traits_gone AFTER DELETE ON documents BEGIN
    DELETE FROM traits WHERE rowid = old.id;
  END;
  CREATE TRIGGER documents_unlinked AFTER DELETE ON documents BEGIN
    DELETE FROM mentions WHERE kind = old.kind AND ref = old.ref;
    DELETE FROM links WHERE from_kind = old.kind AND from_ref = old.ref;
    DELETE FROM links WHERE to_kind = old.kind AND to_ref = old.ref;
  END;
  -- Removes an entity that no memory names any more.
  CREATE TRIGGER mentions_gone AFTER DELETE ON mentions WHEN NOT EXISTS (SELECT 1 FROM mentions WHERE entity_id = old.entity_id) BEGIN
    DELETE FROM entities WHERE id = old.entity_id;
  END;
  -- A deleted memory that can be restored keeps its anchors, which could not be made again: the code has changed since.
  CREATE TRIGGER documents_unanchored AFTER DELETE ON documents
  WHEN NOT EXISTS (SELECT 1 FROM deleted_rows WHERE ref = old.ref
    AND kind = CASE old.kind WHEN 'observation' THEN 'observations' WHEN 'prompt' THEN 'prompts' WHEN 'summary' THEN 'summaries' END) BEGIN
    DELETE FROM anchored WHERE kind = old.kind AND ref = old.ref;
    DELETE FROM verified WHERE kind = old.kind AND ref = old.ref;
  END;
  ${anchorTrigger('observation', 'observations')}
  ${anchorTrigger('prompt', 'prompts')}
  ${anchorTrigger('summary', 'summaries')}
  CREATE TRIGGER anchored_gone AFTER DELETE ON anchored WHEN NOT EXISTS (SELECT 1 FROM anchored WHERE anchor_id = old.anchor_id) BEGIN
    DELETE FROM anchors WHERE id = old.anchor_id;
  END;

  -- Ids of documents, sessions and prompts are not reused: a reader that asks for ids above the last it saw would miss a reused one, and a deleted
  -- session or prompt may be restored.
  ${newestIdTrigger('document', 'documents')}
  ${newestIdTrigger('session', 'sessions')}
  ${newestIdTrigger('prompt', 'prompts')}

  -- A new or changed document waits for a vector.
  CREATE TRIGGER documents_new AFTER INSERT ON documents BEGIN
    INSERT INTO unembedded (document_id, mark) VALUES (new.id, random() & 0x7fffffff)
      ON CONFLICT (document_id) DO UPDATE SET mark = excluded.mark;
  END;
  CREATE TRIGGER documents_changed AFTER UPDATE ON documents BEGIN
    INSERT INTO unembedded (document_id, mark) VALUES (new.id, random() & 0x7fffffff)
      ON CONFLICT (document_id) DO UPDATE SET mark = excluded.mark;
  END;

  -- A team's hub ----------------------------------------------------------------------------------------------------------------------

  -- The projects of the hub that the person may read or shares. key is the hub's name of the project, project the one of this home.
  CREATE TABLE team_projects (
    key TEXT PRIMARY KEY,
    project TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    policy TEXT NOT NULL DEFAULT 'off',
    may TEXT,
    review INTEGER NOT NULL DEFAULT 0,
    -- How far the feed was read, which reading of the whole feed this is, and which one last came to its end.
    pulled INTEGER NOT NULL DEFAULT 0,
    reading INTEGER NOT NULL DEFAULT 1,
    finished INTEGER NOT NULL DEFAULT 0,
    head INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX team_projects_here ON team_projects (project, policy);
  -- Memories whose change the hub does not know yet. They are read when they are sent, so this table holds no text.
  CREATE TABLE team_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    UNIQUE (kind, ref)
  ) STRICT;
  -- What this home has put on the hub. Written before it is sent, so that a deletion always finds it.
  CREATE TABLE team_shared (
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    hash TEXT,
    sent TEXT,
    state TEXT NOT NULL DEFAULT 'accepted',
    version_of TEXT,
    problem TEXT,
    PRIMARY KEY (key, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX team_shared_of ON team_shared (kind, ref);
  -- Notes that the person shares or withholds, whatever the policy of the project says.
  CREATE TABLE team_choices (
    note TEXT NOT NULL,
    key TEXT NOT NULL,
    is_shared INTEGER NOT NULL,
    PRIMARY KEY (note, key)
  ) STRICT, WITHOUT ROWID;
  -- What came from the hub. copy is the note made of it; memories that are proposed or are the other version of a conflict have a body instead.
  CREATE TABLE team_received (
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author TEXT NOT NULL,
    state TEXT NOT NULL,
    version_of TEXT,
    copy TEXT,
    body TEXT,
    changed_at INTEGER NOT NULL,
    reading INTEGER NOT NULL,
    PRIMARY KEY (key, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX team_received_copies ON team_received (copy) WHERE copy IS NOT NULL;

  CREATE TRIGGER shared_note_added AFTER INSERT ON notes WHEN new.author IS NULL AND (
    EXISTS (SELECT 1 FROM team_projects WHERE project = new.project AND policy <> 'off')
    OR EXISTS (SELECT 1 FROM team_shared WHERE kind = 'note' AND ref = new.id)
    OR EXISTS (SELECT 1 FROM team_choices WHERE note = new.id)) BEGIN
    DELETE FROM team_outbox WHERE kind = 'note' AND ref = new.id;
    INSERT INTO team_outbox (kind, ref) VALUES ('note', new.id);
  END;
  CREATE TRIGGER shared_note_changed AFTER UPDATE ON notes WHEN new.author IS NULL AND (
    EXISTS (SELECT 1 FROM team_projects WHERE project = new.project AND policy <> 'off')
    OR EXISTS (SELECT 1 FROM team_shared WHERE kind = 'note' AND ref = new.id)
    OR EXISTS (SELECT 1 FROM team_choices WHERE note = new.id)) BEGIN
    DELETE FROM team_outbox WHERE kind = 'note' AND ref = new.id;
    INSERT INTO team_outbox (kind, ref) VALUES ('note', new.id);
  END;
  CREATE TRIGGER shared_note_removed AFTER DELETE ON notes WHEN EXISTS (SELECT 1 FROM team_shared WHERE kind = 'note' AND ref = old.id) BEGIN
    DELETE FROM team_outbox WHERE kind = 'note' AND ref = old.id;
    INSERT INTO team_outbox (kind, ref) VALUES ('note', old.id);
  END;
  ${sharedTriggers('observation', 'observations')}
  ${sharedTriggers('summary', 'summaries')}

  -- A person's own memory on their other machines -------------------------------------------------------------------------------------

  -- Sessions (agent and its id) and notes that changed. They are read when they are sent, so this table holds no text.
  CREATE TABLE own_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    UNIQUE (kind, ref)
  ) STRICT;
  -- What is on the hub, by the id that it has there. A session is sent only by the machine that recorded it.
  CREATE TABLE own_items (
    item TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    sent TEXT,
    is_from_here INTEGER NOT NULL,
    UNIQUE (kind, ref)
  ) STRICT, WITHOUT ROWID;
  -- The newest version of each item, so that a hub cannot serve an older one again. Stays after the item is deleted, because its deletion is a
  -- version too.
  CREATE TABLE own_versions (
    item TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  ${ownTriggers('prompt', 'prompts', 'session', sessionOf)}
  ${ownTriggers('observation', 'observations', 'session', sessionOf)}
  ${ownTriggers('summary', 'summaries', 'session', sessionOf)}
  ${ownTrigger('session_removed', 'DELETE ON sessions', '', 'session', "old.agent || ' ' || old.content_session_id")}
  ${ownTriggers(
    'note',
    'notes',
    'note',
    (row) => `${row}.id`,
    (row) => ` AND ${row}.author IS NULL`,
  )}

  -- Views with the names that queries written for claude-mem use ----------------------------------------------------------------------

  CREATE VIEW sdk_sessions AS SELECT s.id, s.content_session_id, s.content_session_id AS claude_session_id, s.memory_session_id,
    s.memory_session_id AS sdk_session_id, s.project, coalesce(s.host, s.agent) AS platform_source,
    (SELECT p.text FROM prompts p WHERE p.session_id = s.id ORDER BY p.number LIMIT 1) AS first_user_prompt,
    (SELECT p.text FROM prompts p WHERE p.session_id = s.id ORDER BY p.number LIMIT 1) AS user_prompt,
    s.prompt_count AS prompt_counter, s.status, s.title AS custom_title,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS created_at, s.started_at AS created_at_epoch,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at, s.started_at AS started_at_epoch,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.ended_at / 1000.0, 'unixepoch') AS completed_at, s.ended_at AS completed_at_epoch
    FROM sessions s;
  CREATE VIEW user_prompts AS SELECT p.id, p.session_id, p.session_id AS session_db_id, s.content_session_id,
    s.content_session_id AS claude_session_id, p.project, p.number AS prompt_number, p.text AS prompt, p.text AS prompt_text,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.at / 1000.0, 'unixepoch') AS created_at, p.at AS created_at_epoch
    FROM prompts p JOIN sessions s ON s.id = p.session_id;
  CREATE VIEW session_summaries AS SELECT m.id, m.session_id, s.memory_session_id, s.memory_session_id AS sdk_session_id, m.project, m.request,
    m.investigated, m.learned, m.completed, m.next_steps, m.notes, m.prompt_number,
    strftime('%Y-%m-%dT%H:%M:%fZ', m.at / 1000.0, 'unixepoch') AS created_at, m.at AS created_at_epoch
    FROM summaries m JOIN sessions s ON s.id = m.session_id;
`

/** Two segments of a full-text index are enough to be merged. */
export const FULLTEXT_SETTINGS = FULLTEXT_TABLES.map((table) => `INSERT INTO ${table} (${table}, rank) VALUES ('usermerge', 2);`).join('\n')

/** Deletes the document of a deleted row. */
function documentTrigger(kind: string, table: string): string {
  return `CREATE TRIGGER ${table}_gone AFTER DELETE ON ${table} BEGIN
    DELETE FROM documents WHERE kind = '${kind}' AND ref = CAST(old.id AS TEXT);
  END;`
}

/** Deletes the anchors of a deleted row that can no longer be restored. */
function anchorTrigger(kind: string, table: string): string {
  return `CREATE TRIGGER deleted_${table}_unanchored AFTER DELETE ON deleted_rows
  WHEN old.kind = '${table}' AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id = CAST(old.ref AS INTEGER)) BEGIN
    DELETE FROM anchored WHERE kind = '${kind}' AND ref = old.ref;
    DELETE FROM verified WHERE kind = '${kind}' AND ref = old.ref;
  END;`
}

/** Remembers the highest id of a table when its row is deleted. */
function newestIdTrigger(kind: string, table: string): string {
  return `CREATE TRIGGER ${table}_newest_gone AFTER DELETE ON ${table}
  WHEN NOT EXISTS (SELECT 1 FROM ${table} WHERE id > old.id) BEGIN
    INSERT INTO marks (name, value) VALUES ('newest ${kind}', CAST(old.id AS TEXT))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE CAST(value AS INTEGER) < old.id;
  END;`
}

/** Puts changed observations or summaries into the team's outbox, if their project shares what is distilled, and deleted ones if they were shared. */
function sharedTriggers(kind: string, table: string): string {
  const toOutbox = (row: Row) => `BEGIN
    DELETE FROM team_outbox WHERE kind = '${kind}' AND ref = CAST(${row}.id AS TEXT);
    INSERT INTO team_outbox (kind, ref) VALUES ('${kind}', CAST(${row}.id AS TEXT));
  END;`
  return `
  CREATE TRIGGER shared_${kind}_added AFTER INSERT ON ${table}
  WHEN EXISTS (SELECT 1 FROM team_projects WHERE project = new.project AND policy = 'notes+distilled') ${toOutbox('new')}
  CREATE TRIGGER shared_${kind}_changed AFTER UPDATE ON ${table}
  WHEN EXISTS (SELECT 1 FROM team_projects WHERE project IN (old.project, new.project) AND policy = 'notes+distilled')
    OR EXISTS (SELECT 1 FROM team_shared WHERE kind = '${kind}' AND ref = CAST(new.id AS TEXT)) ${toOutbox('new')}
  CREATE TRIGGER shared_${kind}_removed AFTER DELETE ON ${table}
  WHEN EXISTS (SELECT 1 FROM team_shared WHERE kind = '${kind}' AND ref = CAST(old.id AS TEXT)) ${toOutbox('old')}`
}

/** The row of a trigger before or after the change. */
type Row = 'old' | 'new'

/** Puts what a changed row belongs to, the item of `kind` named by `ref`, into the own outbox. */
function ownTriggers(
  name: string,
  table: string,
  kind: string,
  ref: (row: Row) => string,
  condition: (row: Row) => string = () => '',
): string {
  return [
    ownTrigger(`${name}_added`, `INSERT ON ${table}`, condition('new'), kind, ref('new')),
    ownTrigger(`${name}_changed`, `UPDATE ON ${table}`, condition('new'), kind, ref('new')),
    ownTrigger(`${name}_removed`, `DELETE ON ${table}`, condition('old'), kind, ref('old')),
  ].join('\n  ')
}

function ownTrigger(name: string, event: string, condition: string, kind: string, ref: string): string {
  return `CREATE TRIGGER own_${name} AFTER ${event} WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines')${condition} BEGIN
    DELETE FROM own_outbox WHERE kind = '${kind}' AND ref = ${ref};
    INSERT INTO own_outbox (kind, ref) SELECT '${kind}', ${ref} WHERE ${ref} IS NOT NULL;
  END;`
}

/** The session of a row. Null when the session goes with it. */
function sessionOf(row: Row): string {
  return `(SELECT agent || ' ' || content_session_id FROM sessions WHERE id = ${row}.session_id)`
}
