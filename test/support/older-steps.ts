import type { Database } from 'bun:sqlite'

/**
 * The steps through which the schema came to version 35. The program does not contain them: it creates a new database from `schema.ts` and converts an
 * older one at once. They are how tests make older databases, and what the result of a conversion is compared with. Never changed, never extended.
 */
export const OLDER_STEPS: string[] = [
  /* 1: the journal, its derived indexes, and what the worker needs to lose nothing */ `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    content_session_id TEXT NOT NULL,
    memory_session_id TEXT UNIQUE CHECK (memory_session_id <> content_session_id),
    project TEXT NOT NULL,
    folder TEXT NOT NULL,
    branch TEXT,
    title TEXT,
    status TEXT NOT NULL CHECK (status IN ('initialized', 'active', 'completed')),
    prompt_count INTEGER NOT NULL DEFAULT 0,
    transcript TEXT,
    client_pid INTEGER,
    muting INTEGER NOT NULL DEFAULT 0,
    has_private INTEGER NOT NULL DEFAULT 0,
    forked_at INTEGER,
    started_at INTEGER NOT NULL,
    last_event_at INTEGER NOT NULL,
    ended_at INTEGER,
    UNIQUE (agent, content_session_id)
  ) STRICT;
  CREATE INDEX sessions_of_project ON sessions (project, started_at);
  CREATE INDEX sessions_open ON sessions (last_event_at) WHERE status <> 'completed';

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
    UNIQUE (session_id, key),
    UNIQUE (session_id, number)
  ) STRICT;
  CREATE INDEX prompts_of_project ON prompts (project, at);
  CREATE INDEX prompts_of_turn ON prompts (session_id, prompt_id, at);
  CREATE INDEX prompts_by_uuid ON prompts (uuid) WHERE uuid IS NOT NULL;

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
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX observations_of_project ON observations (project, at);
  CREATE INDEX observations_of_turn ON observations (session_id, prompt_number);
  CREATE INDEX observations_of_memory_session ON observations (memory_session_id);

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
    provenance TEXT NOT NULL,
    confidence REAL NOT NULL,
    supersedes TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    deleted_at INTEGER
  ) STRICT;
  CREATE INDEX notes_of_project ON notes (project, updated_at);

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

  CREATE TABLE injections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    event TEXT NOT NULL,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    items TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX injections_of_session ON injections (session_id, at);
  CREATE INDEX injections_of_project ON injections (project, at);

  -- Deliveries of hook processes that were accepted, so that one that was both sent and spooled counts once.
  CREATE TABLE receipts (
    delivery TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX receipts_by_age ON receipts (at);

  -- How far each transcript has been read.
  CREATE TABLE transcripts (
    path TEXT PRIMARY KEY,
    checkpoint TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    read_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;

  CREATE TABLE marks (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- One row for everything that can be found. Its words are only in the full-text tables, under the same id.
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    project TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (kind, ref)
  ) STRICT;
  CREATE INDEX documents_of_project ON documents (project, at);
  CREATE INDEX documents_of_session ON documents (session_id);
  -- The words of a document, stemmed. Scope is one word for the project, so that a search in one project
  -- never reads the others.
  CREATE VIRTUAL TABLE fulltext USING fts5 (
    title, prompt, body, facts, files, scope,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  -- The start of a document and its context. Separate from the words above, because bm25 uses the length of the whole row.
  CREATE VIRTUAL TABLE surroundings USING fts5 (
    own, around, scope,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  -- Parts of words, for names that are only half remembered. Only names: all text would make it larger than everything else.
  CREATE VIRTUAL TABLE trigrams USING fts5 (
    names, content = '', contentless_delete = 1, tokenize = 'trigram'
  );
  CREATE VIRTUAL TABLE fulltext_words USING fts5vocab (fulltext, row);
  CREATE TRIGGER documents_gone AFTER DELETE ON documents BEGIN
    DELETE FROM fulltext WHERE rowid = old.id;
    DELETE FROM surroundings WHERE rowid = old.id;
    DELETE FROM trigrams WHERE rowid = old.id;
  END;
  CREATE TRIGGER observations_gone AFTER DELETE ON observations BEGIN
    DELETE FROM documents WHERE kind = 'observation' AND ref = CAST(old.id AS TEXT);
  END;
  CREATE TRIGGER summaries_gone AFTER DELETE ON summaries BEGIN
    DELETE FROM documents WHERE kind = 'summary' AND ref = CAST(old.id AS TEXT);
  END;
  CREATE TRIGGER prompts_gone AFTER DELETE ON prompts BEGIN
    DELETE FROM documents WHERE kind = 'prompt' AND ref = CAST(old.id AS TEXT);
  END;
  CREATE TRIGGER notes_gone AFTER DELETE ON notes BEGIN
    DELETE FROM documents WHERE kind = 'note' AND ref = old.id;
  END;
  `,
  /* 2: vectors of documents */ `
  -- A vector that is made again gets a new seq, so that a reader with vectors in memory asks only for higher ones.
  CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL UNIQUE REFERENCES documents (id) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    scale REAL NOT NULL,
    row BLOB NOT NULL
  ) STRICT;

  -- Documents that wait for a vector. The mark changes with every change, so that an outdated vector does not count as done.
  CREATE TABLE unembedded (
    document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    mark INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER documents_new AFTER INSERT ON documents BEGIN
    INSERT INTO unembedded (document_id, mark) VALUES (new.id, random() & 0x7fffffff)
      ON CONFLICT (document_id) DO UPDATE SET mark = excluded.mark;
  END;
  CREATE TRIGGER documents_changed AFTER UPDATE ON documents BEGIN
    INSERT INTO unembedded (document_id, mark) VALUES (new.id, random() & 0x7fffffff)
      ON CONFLICT (document_id) DO UPDATE SET mark = excluded.mark;
  END;
  `,
  /* 3: entities, mentions and links */ `
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
  -- Removes an entity that no memory names any more.
  CREATE TRIGGER mentions_gone AFTER DELETE ON mentions WHEN NOT EXISTS (SELECT 1 FROM mentions WHERE entity_id = old.entity_id) BEGIN
    DELETE FROM entities WHERE id = old.entity_id;
  END;

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
  CREATE TRIGGER documents_unlinked AFTER DELETE ON documents BEGIN
    DELETE FROM mentions WHERE kind = old.kind AND ref = old.ref;
    DELETE FROM links WHERE from_kind = old.kind AND from_ref = old.ref;
    DELETE FROM links WHERE to_kind = old.kind AND to_ref = old.ref;
  END;
  CREATE INDEX prompts_with_failures ON prompts (project, at) WHERE open_failures IS NOT NULL AND open_failures <> '[]';
  `,
  /* 4: notes (the table of step 1 was never used) */ `
  DROP TABLE notes;
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
    unknown TEXT NOT NULL,
    print TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    deleted_at INTEGER
  ) STRICT;
  CREATE INDEX notes_of_project ON notes (project, updated_at);
  CREATE INDEX notes_by_print ON notes (print);
  CREATE INDEX notes_of_session ON notes (session) WHERE session IS NOT NULL;
  CREATE TRIGGER notes_gone AFTER DELETE ON notes BEGIN
    DELETE FROM documents WHERE kind = 'note' AND ref = old.id;
    DELETE FROM superseded WHERE newer = old.id;
  END;
  CREATE TABLE superseded (
    older TEXT NOT NULL,
    newer TEXT NOT NULL,
    PRIMARY KEY (older, newer)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX superseded_by ON superseded (newer);

  -- Every file in the notes folders: its state when it was read, and its problem if it had one.
  CREATE TABLE note_files (
    path TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL,
    changed_at REAL NOT NULL,
    id TEXT,
    problem TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX note_files_of_note ON note_files (id) WHERE id IS NOT NULL;
  `,
  /* 5: the branch of a turn, and which injections a session still has in its context */ `
  ALTER TABLE prompts ADD COLUMN branch TEXT;
  UPDATE prompts SET branch = (SELECT branch FROM sessions WHERE sessions.id = prompts.session_id);
  CREATE INDEX prompts_of_branch ON prompts (project, branch, at) WHERE branch IS NOT NULL;
  -- When its last brief was injected, and the newest observation at that time.
  ALTER TABLE sessions ADD COLUMN briefed_at INTEGER;
  ALTER TABLE sessions ADD COLUMN briefed_until INTEGER;
  -- Injections before this time have been compacted away.
  ALTER TABLE sessions ADD COLUMN context_from INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN forked_from INTEGER REFERENCES sessions (id) ON DELETE SET NULL;
  `,
  /* 6: plans of consolidation and reflection, with undo */ `
  -- Undo contains what is needed to undo a plan, but never the text of a note: deleted text must be gone.
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
  `,
  /* 7: prompts are embedded differently; the old vectors are used until the new ones are made */ `
  INSERT OR IGNORE INTO unembedded (document_id, mark) SELECT id, random() & 0x7fffffff FROM documents WHERE kind = 'prompt';
  `,
  /* 8: documents by time, across projects */ `
  CREATE INDEX documents_by_time ON documents (at);
  `,
  /* 9: counting the vectors of an embedder without reading them */ `
  CREATE INDEX vectors_by_embedder ON vectors (embedder);
  `,
  /* 10: the viewer's feed, forgotten observations, versions of notes, renamed projects */ `
  -- All documents by time, with the columns that the feed filters by, so that a late page reads only this index.
  CREATE INDEX documents_of_feed ON documents (at, id, kind, project, session_id);
  CREATE INDEX sessions_by_time ON sessions (last_event_at, id);
  -- Observations that a person has forgotten. The key stays, so that distilling the turn again does not bring one back.
  CREATE TABLE forgotten (
    key TEXT PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE,
    row TEXT,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Earlier versions of notes.
  CREATE TABLE note_versions (
    note TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (note, at)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER note_versions_gone AFTER DELETE ON notes BEGIN
    DELETE FROM note_versions WHERE note = old.id;
  END;
  -- Renamed projects: the old key means the new project.
  CREATE TABLE renamed_projects (
    old TEXT PRIMARY KEY,
    now TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE injections ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]';
  `,
  /* 11: which turns a text model has distilled, and what models cost */ `
  CREATE TABLE told_turns (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    prompt_number INTEGER NOT NULL,
    print TEXT NOT NULL,
    model TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (session_id, prompt_number)
  ) STRICT, WITHOUT ROWID;
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
  `,
  /* 12: an index of pinned notes */ `
  CREATE INDEX notes_pinned ON notes (project, updated_at) WHERE pinned = 1;
  `,
  /* 13: document ids are never reused */ `
  -- Ids are not reused: a reader that asks for ids above the last it saw would miss a reused one.
  CREATE TRIGGER documents_newest_gone AFTER DELETE ON documents
  WHEN NOT EXISTS (SELECT 1 FROM documents WHERE id > old.id) BEGIN
    INSERT INTO marks (name, value) VALUES ('newest document', CAST(old.id AS TEXT))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE CAST(value AS INTEGER) < old.id;
  END;
  `,
  /* 14: the activity of a turn can be searched, and a document knows its turn */ `
  -- By the id of the prompt's document. Without a word for the project: only words of few turns are searched.
  CREATE VIRTUAL TABLE deeds USING fts5 (
    done, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE TRIGGER deeds_gone AFTER DELETE ON documents WHEN old.kind = 'prompt' BEGIN
    DELETE FROM deeds WHERE rowid = old.id;
  END;
  ALTER TABLE documents ADD COLUMN turn INTEGER;
  -- Adding the turn is not a change of the text: with the trigger, every vector would be made again.
  DROP TRIGGER documents_changed;
  UPDATE documents SET turn = CASE kind
    WHEN 'prompt' THEN (SELECT number FROM prompts WHERE id = CAST(ref AS INTEGER))
    WHEN 'observation' THEN (SELECT prompt_number FROM observations WHERE id = CAST(ref AS INTEGER))
    WHEN 'summary' THEN (SELECT prompt_number FROM summaries WHERE id = CAST(ref AS INTEGER)) END
  WHERE kind <> 'note';
  CREATE TRIGGER documents_changed AFTER UPDATE ON documents BEGIN
    INSERT INTO unembedded (document_id, mark) VALUES (new.id, random() & 0x7fffffff)
      ON CONFLICT (document_id) DO UPDATE SET mark = excluded.mark;
  END;
  `,
  /* 15: an index of observations by type */ `
  CREATE INDEX observations_by_type ON observations (type, project);
  `,
  /* 16: traces of a turn */ `
  ALTER TABLE prompts ADD COLUMN traces TEXT;
  `,
  /* 17: traits of documents for filters (see trait-index.ts); they include types */ `
  CREATE VIRTUAL TABLE traits USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  INSERT INTO traits (rowid, words)
  SELECT d.id, 'k' || hex(d.kind) || ' p' || hex(d.project) || ' ' || coalesce(CASE d.kind
    WHEN 'observation' THEN (SELECT 't' || hex(type) || ' s' || hex(lower(model)) FROM observations WHERE id = CAST(d.ref AS INTEGER))
    WHEN 'summary' THEN (SELECT 's' || hex(lower(model)) FROM summaries WHERE id = CAST(d.ref AS INTEGER))
    WHEN 'prompt' THEN (SELECT 's' || hex(origin) FROM prompts WHERE id = CAST(d.ref AS INTEGER))
    ELSE (SELECT 't' || hex(type) || ' n' || hex(namespace) || ' s' || hex(source) || ' e' || hex(coalesce(session, ''))
      || coalesce((SELECT group_concat(' g' || hex(lower(value)), '') FROM json_each(tags)), '') FROM notes WHERE id = d.ref)
    END, '')
  FROM documents d;
  CREATE TRIGGER traits_gone AFTER DELETE ON documents BEGIN
    DELETE FROM traits WHERE rowid = old.id;
  END;
  DROP INDEX observations_by_type;
  -- A note is found by any part of its text, as other memories are by the names of their files.
  INSERT OR REPLACE INTO trigrams (rowid, names)
  SELECT d.id, n.title || ' ' || n.body FROM notes n CROSS JOIN documents d ON d.kind = 'note' AND d.ref = n.id;
  `,
  /* 18: two segments of an index are enough to be merged */ `
  INSERT INTO fulltext (fulltext, rank) VALUES ('usermerge', 2);
  INSERT INTO surroundings (surroundings, rank) VALUES ('usermerge', 2);
  INSERT INTO trigrams (trigrams, rank) VALUES ('usermerge', 2);
  INSERT INTO deeds (deeds, rank) VALUES ('usermerge', 2);
  INSERT INTO traits (traits, rank) VALUES ('usermerge', 2);
  `,
  /* 19: how often a memory was read in full */ `
  CREATE TABLE uses (
    document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    times INTEGER NOT NULL
  ) STRICT;
  `,
  /* 20: an index of turns whose tests passed: they show what no longer fails */ `
  CREATE INDEX prompts_with_passes ON prompts (project, at) WHERE traces ->> 'passes' IS NOT NULL;
  `,
  /* 21: transcripts, jobs and marks name their agent; a job kind gets a plain name, and one that no version does any more goes */ `
  ALTER TABLE transcripts ADD COLUMN agent TEXT NOT NULL DEFAULT 'claude-code';
  UPDATE jobs SET payload = json_set(payload, '$.agent', 'claude-code') WHERE kind = 'read';
  UPDATE marks SET name = 'native memory seen, claude-code' WHERE name = 'native memory seen';
  UPDATE jobs SET kind = 'model-distill' WHERE kind = 'tell';
  DELETE FROM jobs WHERE kind = 'link';
  `,
  /* 22: deleting anything: rows that can be restored, and tombstones that keep deleted ones from coming back */ `
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

  INSERT INTO deleted_rows (unit, kind, ref, session_id, project, happened_at, row, at)
  SELECT '#' || id, 'observations', CAST(id AS TEXT), row ->> 'session_id', row ->> 'project', row ->> 'at', row, at FROM forgotten WHERE row IS NOT NULL;
  -- The titles of these are not known any more: an empty key stands for any observation of the turn.
  INSERT INTO tombstones (unit, kind, agent, session, turn, key, happened_at, at)
  SELECT '#' || f.id, 'observation', s.agent, s.content_session_id,
    coalesce(f.row ->> 'prompt_number', CAST(substr(f.key, instr(f.key, ':') + 1) AS INTEGER)), '', f.at, f.at
  FROM forgotten f JOIN sessions s ON s.id = coalesce(f.row ->> 'session_id', CAST(f.key AS INTEGER));
  DROP TABLE forgotten;

  -- Like those of documents, the ids of sessions and prompts are never reused: a deleted one may be restored.
  CREATE TRIGGER sessions_newest_gone AFTER DELETE ON sessions
  WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id > old.id) BEGIN
    INSERT INTO marks (name, value) VALUES ('newest session', CAST(old.id AS TEXT))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE CAST(value AS INTEGER) < old.id;
  END;
  CREATE TRIGGER prompts_newest_gone AFTER DELETE ON prompts
  WHEN NOT EXISTS (SELECT 1 FROM prompts WHERE id > old.id) BEGIN
    INSERT INTO marks (name, value) VALUES ('newest prompt', CAST(old.id AS TEXT))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE CAST(value AS INTEGER) < old.id;
  END;
  `,
  /* 23: threads: which turns of a session belong together, which one holds the result, and what replaced it */ `
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
  `,
  /* 24: commits of the projects' repositories */ `
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
  CREATE TRIGGER commits_gone AFTER DELETE ON commits BEGIN
    DELETE FROM documents WHERE kind = 'commit' AND ref = CAST(old.id AS TEXT);
  END;
  `,
  /* 25: notes taken from conversations: whether a person accepted them, and where they were said */ `
  ALTER TABLE notes ADD COLUMN state TEXT NOT NULL DEFAULT 'accepted';
  ALTER TABLE notes ADD COLUMN said TEXT NOT NULL DEFAULT '[]';
  CREATE INDEX notes_of_namespace ON notes (namespace, project, updated_at);
  `,
  /* 26: deletions that wait take no commits and no places of statements along */ `
  UPDATE jobs SET payload = json_insert(payload, '$.commits', json('[]'), '$.lostPlaces', json('[]')) WHERE kind = 'erase';
  `,
  /* 27: notes are found by their short ids */ `
  CREATE INDEX notes_by_short_id ON notes (substr(id, 11));
  `,
  /* 28: values that a turn replaced by others */ `
  CREATE TABLE changed_values (
    old TEXT NOT NULL,
    prompt_id INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
    PRIMARY KEY (old, prompt_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX changed_values_of ON changed_values (prompt_id);
  `,
  /* 29: work that was undone, and quick ways to the turns that undid or fixed something */ `
  ALTER TABLE prompts ADD COLUMN undone_by TEXT;
  ALTER TABLE observations ADD COLUMN undone_by TEXT;
  CREATE INDEX prompts_with_fixes ON prompts (project, at) WHERE traces ->> 'fixes' IS NOT NULL;
  CREATE INDEX prompts_with_work ON prompts (project, at) WHERE traces ->> 'work' IS NOT NULL;
  `,
  /* 30: copies of other people's notes */ `
  ALTER TABLE notes ADD COLUMN author TEXT;
  `,
  /* 31: the host of a session, tags of observations, and views with the names that queries written for claude-mem use */ `
  ALTER TABLE sessions ADD COLUMN host TEXT;
  ALTER TABLE observations ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
  CREATE INDEX observations_with_tags ON observations (id) WHERE tags <> '[]';
  UPDATE deleted_rows SET row = json_insert(row, '$.host', NULL) WHERE kind = 'sessions';
  UPDATE deleted_rows SET row = json_insert(row, '$.tags', '[]') WHERE kind = 'observations';
  -- Computed when they are read, so they take no space.
  ALTER TABLE observations ADD COLUMN created_at TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch')) VIRTUAL;
  ALTER TABLE observations ADD COLUMN created_at_epoch INTEGER AS (at) VIRTUAL;
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
  `,
  /* 32: anchors: the code that memories speak of */ `
  -- Derived while a memory is captured, or from a note's file. Several memories of a turn share an anchor.
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
  CREATE TRIGGER anchored_gone AFTER DELETE ON anchored WHEN NOT EXISTS (SELECT 1 FROM anchored WHERE anchor_id = old.anchor_id) BEGIN
    DELETE FROM anchors WHERE id = old.anchor_id;
  END;
  -- A deleted memory that can be restored keeps its anchors, which could not be made again: the code has changed since.
  CREATE TRIGGER documents_unanchored AFTER DELETE ON documents
  WHEN NOT EXISTS (SELECT 1 FROM deleted_rows WHERE ref = old.ref
    AND kind = CASE old.kind WHEN 'observation' THEN 'observations' WHEN 'prompt' THEN 'prompts' WHEN 'summary' THEN 'summaries' END) BEGIN
    DELETE FROM anchored WHERE kind = old.kind AND ref = old.ref;
    DELETE FROM verified WHERE kind = old.kind AND ref = old.ref;
  END;
  CREATE TRIGGER deleted_observations_unanchored AFTER DELETE ON deleted_rows
  WHEN old.kind = 'observations' AND NOT EXISTS (SELECT 1 FROM observations WHERE id = CAST(old.ref AS INTEGER)) BEGIN
    DELETE FROM anchored WHERE kind = 'observation' AND ref = old.ref;
    DELETE FROM verified WHERE kind = 'observation' AND ref = old.ref;
  END;
  CREATE TRIGGER deleted_prompts_unanchored AFTER DELETE ON deleted_rows
  WHEN old.kind = 'prompts' AND NOT EXISTS (SELECT 1 FROM prompts WHERE id = CAST(old.ref AS INTEGER)) BEGIN
    DELETE FROM anchored WHERE kind = 'prompt' AND ref = old.ref;
    DELETE FROM verified WHERE kind = 'prompt' AND ref = old.ref;
  END;
  CREATE TRIGGER deleted_summaries_unanchored AFTER DELETE ON deleted_rows
  WHEN old.kind = 'summaries' AND NOT EXISTS (SELECT 1 FROM summaries WHERE id = CAST(old.ref AS INTEGER)) BEGIN
    DELETE FROM anchored WHERE kind = 'summary' AND ref = old.ref;
    DELETE FROM verified WHERE kind = 'summary' AND ref = old.ref;
  END;
  `,
  /* 33: what is shared with a team through its hub */ `
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
  CREATE TRIGGER shared_observation_added AFTER INSERT ON observations
  WHEN EXISTS (SELECT 1 FROM team_projects WHERE project = new.project AND policy = 'notes+distilled') BEGIN
    DELETE FROM team_outbox WHERE kind = 'observation' AND ref = CAST(new.id AS TEXT);
    INSERT INTO team_outbox (kind, ref) VALUES ('observation', CAST(new.id AS TEXT));
  END;
  CREATE TRIGGER shared_observation_changed AFTER UPDATE ON observations
  WHEN EXISTS (SELECT 1 FROM team_projects WHERE project IN (old.project, new.project) AND policy = 'notes+distilled')
    OR EXISTS (SELECT 1 FROM team_shared WHERE kind = 'observation' AND ref = CAST(new.id AS TEXT)) BEGIN
    DELETE FROM team_outbox WHERE kind = 'observation' AND ref = CAST(new.id AS TEXT);
    INSERT INTO team_outbox (kind, ref) VALUES ('observation', CAST(new.id AS TEXT));
  END;
  CREATE TRIGGER shared_observation_removed AFTER DELETE ON observations
  WHEN EXISTS (SELECT 1 FROM team_shared WHERE kind = 'observation' AND ref = CAST(old.id AS TEXT)) BEGIN
    DELETE FROM team_outbox WHERE kind = 'observation' AND ref = CAST(old.id AS TEXT);
    INSERT INTO team_outbox (kind, ref) VALUES ('observation', CAST(old.id AS TEXT));
  END;
  CREATE TRIGGER shared_summary_added AFTER INSERT ON summaries
  WHEN EXISTS (SELECT 1 FROM team_projects WHERE project = new.project AND policy = 'notes+distilled') BEGIN
    DELETE FROM team_outbox WHERE kind = 'summary' AND ref = CAST(new.id AS TEXT);
    INSERT INTO team_outbox (kind, ref) VALUES ('summary', CAST(new.id AS TEXT));
  END;
  CREATE TRIGGER shared_summary_changed AFTER UPDATE ON summaries
  WHEN EXISTS (SELECT 1 FROM team_projects WHERE project IN (old.project, new.project) AND policy = 'notes+distilled')
    OR EXISTS (SELECT 1 FROM team_shared WHERE kind = 'summary' AND ref = CAST(new.id AS TEXT)) BEGIN
    DELETE FROM team_outbox WHERE kind = 'summary' AND ref = CAST(new.id AS TEXT);
    INSERT INTO team_outbox (kind, ref) VALUES ('summary', CAST(new.id AS TEXT));
  END;
  CREATE TRIGGER shared_summary_removed AFTER DELETE ON summaries
  WHEN EXISTS (SELECT 1 FROM team_shared WHERE kind = 'summary' AND ref = CAST(old.id AS TEXT)) BEGIN
    DELETE FROM team_outbox WHERE kind = 'summary' AND ref = CAST(old.id AS TEXT);
    INSERT INTO team_outbox (kind, ref) VALUES ('summary', CAST(old.id AS TEXT));
  END;
  `,
  /* 34: a person's own memory on their other machines */ `
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
  CREATE TRIGGER own_prompt_added AFTER INSERT ON prompts WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_prompt_changed AFTER UPDATE ON prompts WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_prompt_removed AFTER DELETE ON prompts WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_observation_added AFTER INSERT ON observations WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_observation_changed AFTER UPDATE ON observations WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_observation_removed AFTER DELETE ON observations WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_summary_added AFTER INSERT ON summaries WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_summary_changed AFTER UPDATE ON summaries WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = new.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_summary_removed AFTER DELETE ON summaries WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id);
    INSERT INTO own_outbox (kind, ref) SELECT 'session', (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id) WHERE (SELECT agent || ' ' || content_session_id FROM sessions WHERE id = old.session_id) IS NOT NULL;
  END;
  CREATE TRIGGER own_session_removed AFTER DELETE ON sessions WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') BEGIN
    DELETE FROM own_outbox WHERE kind = 'session' AND ref = old.agent || ' ' || old.content_session_id;
    INSERT INTO own_outbox (kind, ref) SELECT 'session', old.agent || ' ' || old.content_session_id WHERE old.agent || ' ' || old.content_session_id IS NOT NULL;
  END;
  CREATE TRIGGER own_note_added AFTER INSERT ON notes WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') AND new.author IS NULL BEGIN
    DELETE FROM own_outbox WHERE kind = 'note' AND ref = new.id;
    INSERT INTO own_outbox (kind, ref) SELECT 'note', new.id WHERE new.id IS NOT NULL;
  END;
  CREATE TRIGGER own_note_changed AFTER UPDATE ON notes WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') AND new.author IS NULL BEGIN
    DELETE FROM own_outbox WHERE kind = 'note' AND ref = new.id;
    INSERT INTO own_outbox (kind, ref) SELECT 'note', new.id WHERE new.id IS NOT NULL;
  END;
  CREATE TRIGGER own_note_removed AFTER DELETE ON notes WHEN EXISTS (SELECT 1 FROM marks WHERE name = 'own machines') AND old.author IS NULL BEGIN
    DELETE FROM own_outbox WHERE kind = 'note' AND ref = old.id;
    INSERT INTO own_outbox (kind, ref) SELECT 'note', old.id WHERE old.id IS NOT NULL;
  END;
  `,
  /* 35: the newest version of each item of own memory, so that a hub cannot serve an older one again */ `
  -- Stays after the item is deleted, because its deletion is a version too.
  CREATE TABLE own_versions (
    item TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
]

/** The version that the last step led to. */
export const LAST_STEP = OLDER_STEPS.length

/** Takes the steps up to a version, as the programs of that time did. */
export function takeOlderSteps(db: Database, upTo: number): void {
  const { user_version: version } = db.query('PRAGMA user_version').get() as { user_version: number }
  for (let step = version + 1; step <= upTo; step++)
    db.transaction(() => {
      db.run(OLDER_STEPS[step - 1] as string)
      db.run(`PRAGMA user_version = ${step}`)
    }).immediate()
}
