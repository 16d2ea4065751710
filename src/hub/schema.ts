/**
 * The hub's schema, as numbered steps that are only ever added to. Everything lives in the schema `recollect` and belongs to `recollect_owner`, a role
 * without a login. The hub logs in as `recollect_hub`, which owns nothing and is subject to row level security in every statement.
 */
export const OWNER_ROLE = 'recollect_owner'
export const HUB_ROLE = 'recollect_hub'

/** One step of the schema. `partitions` is how many parts `memories` and `sealed` have; it is decided once, when the hub is created. */
type SchemaStep = (partitions: number) => string

export const STEPS: SchemaStep[] = [tables, identity, rights, rowSecurity, feeds, management, upkeep]

/** Functions that take no identity from their caller are pinned to this path, so that a caller cannot put objects of its own in their place. */
// Functions that run with every request are in PL/pgSQL, which keeps their plans for the session.
const DEFINER = 'SECURITY DEFINER SET search_path = recollect, pg_temp'

function tables(partitions: number): string {
  return `
CREATE TABLE hub (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  version int NOT NULL DEFAULT 0,
  partitions int NOT NULL,
  tombstone_days int NOT NULL DEFAULT 90,
  created_at timestamptz NOT NULL DEFAULT now());
INSERT INTO hub (partitions) VALUES (${partitions});

CREATE TABLE members (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text CHECK (length(name) BETWEEN 1 AND 200),
  role text NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'admin')),
  own_head bigint NOT NULL DEFAULT 0,
  own_horizon bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz,
  erased_at timestamptz,
  CHECK (erased_at IS NOT NULL OR name IS NOT NULL));
CREATE UNIQUE INDEX members_name ON members (lower(name));

CREATE TABLE devices (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  member_id uuid NOT NULL REFERENCES members,
  name text NOT NULL,
  token_hash bytea UNIQUE,
  enrolled_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  revoked_at timestamptz);
CREATE INDEX devices_member ON devices (member_id);

CREATE TABLE enrolment_codes (
  code_hash bytea PRIMARY KEY,
  member_id uuid NOT NULL REFERENCES members,
  -- The device that asked for it; null for the operator.
  device_id uuid REFERENCES devices,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz);

CREATE TABLE projects (
  id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  key text NOT NULL UNIQUE CHECK (length(key) BETWEEN 1 AND 500 AND key = lower(key)),
  title text NOT NULL DEFAULT '',
  head bigint NOT NULL DEFAULT 0,
  horizon bigint NOT NULL DEFAULT 0,
  review boolean NOT NULL DEFAULT false,
  retain_days int CHECK (retain_days BETWEEN 1 AND 36500),
  created_at timestamptz NOT NULL DEFAULT now());

CREATE TABLE grants (
  project_id int NOT NULL REFERENCES projects,
  member_id uuid NOT NULL REFERENCES members,
  may text NOT NULL CHECK (may IN ('read', 'write', 'curate')),
  granted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, member_id));
CREATE INDEX grants_member ON grants (member_id);

CREATE TABLE memories (
  project_id int NOT NULL REFERENCES projects,
  id text NOT NULL CHECK (length(id) BETWEEN 1 AND 120),
  kind text NOT NULL CHECK (kind IN ('note', 'distilled')),
  author_id uuid NOT NULL REFERENCES members,
  device_id uuid NOT NULL REFERENCES devices,
  revision int NOT NULL,
  hash bytea NOT NULL,
  base bytea,
  earlier bytea[] NOT NULL DEFAULT '{}',
  state text NOT NULL CHECK (state IN ('accepted', 'proposed', 'rejected')),
  conflict_of text,
  body jsonb,
  seq bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  words tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, coalesce(body->>'title', '') || ' ' || left(coalesce(body->>'text', ''), 100000))) STORED,
  PRIMARY KEY (project_id, id)
) PARTITION BY HASH (project_id);
CREATE UNIQUE INDEX memories_feed ON memories (project_id, seq);
CREATE INDEX memories_author ON memories (author_id, project_id);
CREATE INDEX memories_words ON memories USING gin (words);
CREATE INDEX memories_tombstones ON memories (project_id, seq) WHERE body IS NULL;

CREATE TABLE sealed (
  member_id uuid NOT NULL REFERENCES members,
  id bytea NOT NULL,
  key_id text NOT NULL,
  sealed bytea,
  device_id uuid NOT NULL REFERENCES devices,
  seq bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (member_id, id)
) PARTITION BY HASH (member_id);
CREATE UNIQUE INDEX sealed_feed ON sealed (member_id, seq);
CREATE INDEX sealed_tombstones ON sealed (member_id, seq) WHERE sealed IS NULL;

CREATE TABLE key_rings (
  member_id uuid PRIMARY KEY REFERENCES members,
  key_id text NOT NULL,
  older_keys text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now());

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  member_id uuid,
  device_id uuid,
  action text NOT NULL,
  project_id int,
  memory_id text,
  details jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
CREATE TABLE audit_other PARTITION OF audit DEFAULT;
CREATE INDEX audit_project ON audit (project_id, id);

DO $$ BEGIN
  FOR i IN 0..${partitions - 1} LOOP
    EXECUTE format('CREATE TABLE memories_%s PARTITION OF memories FOR VALUES WITH (MODULUS ${partitions}, REMAINDER %s)', i, i);
    -- Search needs to know how common a word is, and takes it from these statistics.
    EXECUTE format('ALTER TABLE memories_%s ALTER words SET STATISTICS 1000', i);
    EXECUTE format('CREATE TABLE sealed_%s PARTITION OF sealed FOR VALUES WITH (MODULUS ${partitions}, REMAINDER %s)', i, i);
  END LOOP;
END $$;`
}

/**
 * Who asks. Any role may change a setting, so the setting carries a signature made with a key that only the owner can read. The signature covers the
 * transaction, so that a value which was seen once is worth nothing later. A replica has no transaction ids; there the start time must do.
 */
function identity(): string {
  return `
CREATE TABLE signing_keys (inner_key bytea NOT NULL, outer_key bytea NOT NULL);
INSERT INTO signing_keys
  SELECT string_agg(uuid_send(gen_random_uuid()), ''), string_agg(uuid_send(gen_random_uuid()), '') FROM generate_series(1, 4);

CREATE FUNCTION identity_signature(member text, device text, role text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
BEGIN RETURN (SELECT encode(sha256(outer_key || sha256(inner_key || convert_to(concat_ws('|', member, device, role,
    CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE pg_current_xact_id()::text END, pg_backend_pid(), extract(epoch FROM now())), 'UTF8'))), 'hex')
  FROM signing_keys); END $$;

CREATE FUNCTION identify(token text) RETURNS TABLE (hub uuid, member uuid, member_name text, member_role text, device uuid, device_name text)
LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
  SELECT h.id, m.id, m.name, m.role, d.id, d.name INTO hub, member, member_name, member_role, device, device_name
    FROM devices d JOIN members m ON m.id = d.member_id CROSS JOIN hub h
    WHERE d.token_hash = sha256(convert_to(token, 'UTF8')) AND d.revoked_at IS NULL AND m.disabled_at IS NULL;
  IF NOT FOUND THEN RAISE EXCEPTION 'the token is unknown or revoked' USING ERRCODE = 'RC401'; END IF;
  -- The statements of a request are short: compiling one takes longer than running it.
  PERFORM set_config('jit', 'off', true);
  PERFORM set_config('recollect.identity', concat_ws('|', member, device, member_role, identity_signature(member::text, device::text, member_role)), true);
  RETURN NEXT;
END $$;

CREATE FUNCTION checked_identity() RETURNS text[] LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
DECLARE claim text[] := string_to_array(current_setting('recollect.identity', true), '|');
BEGIN
  IF cardinality(claim) = 4 AND claim[4] = identity_signature(claim[1], claim[2], claim[3]) THEN RETURN claim; END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION me() RETURNS uuid LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
BEGIN RETURN (SELECT (checked_identity())[1]::uuid); END $$;
CREATE FUNCTION my_device() RETURNS uuid LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
BEGIN RETURN (SELECT (checked_identity())[2]::uuid); END $$;
CREATE FUNCTION is_admin() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
BEGIN RETURN (SELECT coalesce((checked_identity())[3] = 'admin', false)); END $$;
-- The operator's commands have no device: they log in as a role that may act as the owner.
CREATE FUNCTION is_operator() RETURNS boolean LANGUAGE sql STABLE ${DEFINER} AS $$ SELECT pg_has_role(session_user, '${OWNER_ROLE}', 'MEMBER') $$;
CREATE FUNCTION seen() RETURNS void LANGUAGE sql ${DEFINER} AS $$
  UPDATE devices SET last_seen_at = now() WHERE id = my_device() AND coalesce(last_seen_at, '-infinity') < now() - interval '1 minute' $$;`
}

function rights(): string {
  return `
CREATE FUNCTION rank_of(may text) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT array_position(ARRAY['read', 'write', 'curate'], may) $$;
CREATE FUNCTION my_projects(needed text) RETURNS int[] LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
BEGIN RETURN (SELECT coalesce(array_agg(project_id), '{}') FROM grants WHERE member_id = me() AND rank_of(may) >= rank_of(needed)); END $$;
CREATE FUNCTION reviewed_projects() RETURNS int[] LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
BEGIN RETURN (SELECT coalesce(array_agg(id), '{}') FROM projects WHERE review AND id = ANY (my_projects('read'))); END $$;
CREATE FUNCTION fellows() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ${DEFINER} AS $$
BEGIN RETURN (SELECT coalesce(array_agg(DISTINCT member_id), '{}') FROM grants WHERE project_id = ANY (my_projects('read'))); END $$;
-- Names of authors, given as pairs of project and author, also of those who have left the project.
CREATE FUNCTION author_names(pairs jsonb) RETURNS TABLE (project int, id uuid, name text) LANGUAGE plpgsql STABLE ${DEFINER} AS $$
DECLARE mine int[] := my_projects('read');
BEGIN
  RETURN QUERY SELECT a.project, m.id, m.name
    FROM (SELECT DISTINCT (p->>0)::int AS project, (p->>1)::uuid AS author FROM jsonb_array_elements(pairs) p) a JOIN members m ON m.id = a.author
      -- With EXISTS, PostgreSQL would read the whole table at once.
      CROSS JOIN LATERAL (SELECT 1 FROM memories x WHERE x.author_id = a.author AND x.project_id = a.project LIMIT 1) written
    WHERE a.project = ANY (mine);
END $$;`
}

function rowSecurity(): string {
  const all = [
    'hub',
    'members',
    'devices',
    'enrolment_codes',
    'signing_keys',
    'projects',
    'grants',
    'memories',
    'sealed',
    'key_rings',
    'audit',
  ]
  return `
${all
  .map(
    (table) => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY; ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON ${table} TO ${OWNER_ROLE} USING (true) WITH CHECK (true);`,
  )
  .join('\n')}
CREATE POLICY seen ON hub FOR SELECT TO ${HUB_ROLE} USING (true);
CREATE POLICY seen ON members FOR SELECT TO ${HUB_ROLE}
  USING (id = (SELECT me()) OR (SELECT is_admin()) OR id = ANY ((SELECT fellows())::uuid[]));
CREATE POLICY seen ON devices FOR SELECT TO ${HUB_ROLE} USING (member_id = (SELECT me()) OR (SELECT is_admin()));
CREATE POLICY seen ON projects FOR SELECT TO ${HUB_ROLE} USING (id = ANY ((SELECT my_projects('read'))::int[]) OR (SELECT is_admin()));
CREATE POLICY seen ON grants FOR SELECT TO ${HUB_ROLE}
  USING (member_id = (SELECT me()) OR (SELECT is_admin()) OR project_id = ANY ((SELECT my_projects('read'))::int[]));
CREATE POLICY seen ON audit FOR SELECT TO ${HUB_ROLE} USING ((SELECT is_admin()) OR project_id = ANY ((SELECT my_projects('curate'))::int[]));

CREATE POLICY seen ON memories FOR SELECT TO ${HUB_ROLE} USING (
  project_id = ANY ((SELECT my_projects('read'))::int[])
  AND (state = 'accepted' OR author_id = (SELECT me()) OR project_id = ANY ((SELECT my_projects('curate'))::int[])));
CREATE POLICY added ON memories FOR INSERT TO ${HUB_ROLE} WITH CHECK (
  project_id = ANY ((SELECT my_projects('write'))::int[]) AND author_id = (SELECT me()) AND device_id = (SELECT my_device())
  AND (state = 'proposed' OR body IS NULL OR state = 'accepted'
    AND (project_id <> ALL ((SELECT reviewed_projects())::int[]) OR project_id = ANY ((SELECT my_projects('curate'))::int[]))));
CREATE POLICY changed ON memories FOR UPDATE TO ${HUB_ROLE}
  USING (project_id = ANY ((SELECT my_projects('write'))::int[])
    AND (author_id = (SELECT me()) OR project_id = ANY ((SELECT my_projects('curate'))::int[])))
  WITH CHECK (project_id = ANY ((SELECT my_projects('write'))::int[]) AND (state = 'proposed' OR body IS NULL
    OR project_id <> ALL ((SELECT reviewed_projects())::int[]) OR project_id = ANY ((SELECT my_projects('curate'))::int[])));

CREATE POLICY own ON sealed TO ${HUB_ROLE} USING (member_id = (SELECT me())) WITH CHECK (member_id = (SELECT me()) AND device_id = (SELECT my_device()));
CREATE POLICY own ON key_rings TO ${HUB_ROLE} USING (member_id = (SELECT me())) WITH CHECK (member_id = (SELECT me()));`
}

/**
 * Feeds. A statement that writes must have numbered its rows from the head on, without a gap; the trigger checks this and moves the head. The row lock of
 * `lock_feed` therefore puts the numbers into the order of the commits, and a pull misses nothing.
 */
function feeds(): string {
  return `
CREATE FUNCTION guard_memory() RETURNS trigger LANGUAGE plpgsql SET search_path = recollect, pg_temp AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  IF TG_OP = 'UPDATE' AND current_user <> '${OWNER_ROLE}' THEN
    IF NEW.project_id <> OLD.project_id OR NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.author_id <> OLD.author_id OR NEW.revision < OLD.revision
      OR NEW.conflict_of IS DISTINCT FROM OLD.conflict_of
    THEN RAISE EXCEPTION 'a memory keeps its project, id, kind and author' USING ERRCODE = 'RC403'; END IF;
    NEW.device_id := recollect.my_device();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION guard_memory();

CREATE FUNCTION number_memories() RETURNS trigger LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE fed record;
BEGIN
  FOR fed IN SELECT project_id, min(seq) AS first, max(seq) AS last, count(*) AS rows FROM changed GROUP BY project_id ORDER BY project_id LOOP
    UPDATE projects SET head = fed.last WHERE id = fed.project_id AND head + 1 = fed.first AND fed.last - fed.first + 1 = fed.rows;
    IF NOT FOUND THEN RAISE EXCEPTION 'the numbers do not continue the feed' USING ERRCODE = 'RC409'; END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER number_added AFTER INSERT ON memories REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION number_memories();
CREATE TRIGGER number_changed AFTER UPDATE ON memories REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION number_memories();

CREATE FUNCTION number_sealed() RETURNS trigger LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE fed record;
BEGIN
  FOR fed IN SELECT member_id, min(seq) AS first, max(seq) AS last, count(*) AS rows FROM changed GROUP BY member_id LOOP
    UPDATE members SET own_head = fed.last WHERE id = fed.member_id AND own_head + 1 = fed.first AND fed.last - fed.first + 1 = fed.rows;
    IF NOT FOUND THEN RAISE EXCEPTION 'the numbers do not continue the feed' USING ERRCODE = 'RC409'; END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER number_added AFTER INSERT ON sealed REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION number_sealed();
CREATE TRIGGER number_changed AFTER UPDATE ON sealed REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION number_sealed();

CREATE FUNCTION lock_feed(project_key text, needed text) RETURNS TABLE (id int, head bigint, review boolean, curates boolean) LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
  SELECT p.id, p.head, p.review, p.id = ANY (my_projects('curate')) INTO id, head, review, curates
    FROM projects p WHERE p.key = project_key AND p.id = ANY (my_projects(needed)) FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the member may not % the project', CASE needed WHEN 'write' THEN 'write to' ELSE needed END USING ERRCODE = 'RC403';
  END IF;
  RETURN NEXT;
END $$;

-- The stored versions of memories that are about to be written. Of one that the caller may not see, only that it exists.
CREATE FUNCTION stored_versions(project int, ids jsonb) RETURNS TABLE
  (id text, hidden boolean, mine boolean, hash text, base text, earlier text[], revision int, state text, deleted boolean) LANGUAGE plpgsql STABLE ${DEFINER} AS $$
#variable_conflict use_column
DECLARE asker uuid := me(); curates boolean := project = ANY (my_projects('curate'));
BEGIN
  IF project <> ALL (my_projects('write')) THEN RETURN; END IF;
  RETURN QUERY SELECT m.id, m.hidden, NOT m.hidden AND m.author_id = asker, CASE WHEN NOT m.hidden THEN encode(m.hash, 'hex') END, CASE WHEN NOT m.hidden THEN encode(m.base, 'hex') END,
    CASE WHEN m.hidden THEN '{}' ELSE ARRAY(SELECT encode(e, 'hex') FROM unnest(m.earlier) e) END, CASE WHEN m.hidden THEN 1 ELSE m.revision END,
    CASE WHEN m.hidden THEN 'proposed' ELSE m.state END, NOT m.hidden AND m.body IS NULL
  FROM (SELECT DISTINCT value FROM jsonb_array_elements_text(ids)) wanted
    CROSS JOIN LATERAL (SELECT x.*, NOT (x.state = 'accepted' OR x.author_id = asker OR curates) AS hidden FROM memories x WHERE x.project_id = project AND x.id = wanted.value LIMIT 1) m;
END $$;

CREATE FUNCTION lock_own_feed() RETURNS bigint LANGUAGE sql ${DEFINER} AS $$ SELECT own_head FROM members WHERE id = me() FOR NO KEY UPDATE $$;
CREATE FUNCTION own_feed() RETURNS TABLE (head bigint, horizon bigint) LANGUAGE sql STABLE ${DEFINER} AS $$ SELECT own_head, own_horizon FROM members WHERE id = me() $$;

-- What a hub polls to wake its listeners: numbers only.
CREATE FUNCTION heads() RETURNS TABLE (kind text, id text, head bigint) LANGUAGE sql STABLE ${DEFINER} AS $$
  SELECT 'project', id::text, head FROM projects UNION ALL SELECT 'own', id::text, own_head FROM members WHERE own_head > 0 $$;

-- Row level security would keep the index of words from being used, because it must run before an operator that is not leakproof. So this chooses candidates
-- within the caller's projects, by ids and numbers only, and the caller reads the best of them under row level security.
CREATE FUNCTION search_candidates(choice tsquery, each tsquery[], project_key text, most int) RETURNS TABLE (project int, id text, length int, words int)
LANGUAGE plpgsql STABLE ${DEFINER} AS $$
DECLARE mine int[] := my_projects('read'); curated int[] := my_projects('curate'); asker uuid := me();
BEGIN
  IF project_key IS NOT NULL THEN
    SELECT coalesce(array_agg(p.id), '{}') INTO mine FROM projects p WHERE p.key = project_key AND p.id = ANY (mine);
  END IF;
  RETURN QUERY SELECT m.project_id, m.id, length(m.words), ${wordBits()} FROM memories m
    WHERE m.words @@ choice AND m.project_id = ANY (mine) AND (m.state = 'accepted' OR m.author_id = asker OR m.project_id = ANY (curated)) LIMIT most;
END $$;
-- In how many memories the most frequent words are. Each partition has its own statistics; where a word is not listed, it is rarer than all that are.
CREATE FUNCTION common_words() RETURNS TABLE (word text, rows float8) LANGUAGE sql STABLE ${DEFINER} AS $$
  WITH listed AS MATERIALIZED (
    SELECT c.oid, t.word, t.share * greatest(c.reltuples, 0) AS rows FROM pg_stats s
      JOIN pg_class c ON c.relname = s.tablename AND c.relnamespace = 'recollect'::regnamespace
      CROSS JOIN LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs::float8[]) AS t(word, share)
    WHERE s.schemaname = 'recollect' AND s.tablename LIKE 'memories\\_%' AND s.attname = 'words' AND t.word IS NOT NULL),
  partitions AS MATERIALIZED (SELECT oid, min(rows) / 2 AS unlisted FROM listed GROUP BY oid)
  SELECT word, sum(rows - unlisted) + (SELECT sum(unlisted) FROM partitions) FROM listed JOIN partitions USING (oid)
  WHERE me() IS NOT NULL GROUP BY word HAVING sum(rows) >= ${COMMON_WORD_ROWS} $$;
CREATE FUNCTION memory_statistics() RETURNS TABLE (memories float8, usual_length float8) LANGUAGE sql STABLE ${DEFINER} AS $$
  SELECT (SELECT coalesce(sum(greatest(reltuples, 0)), 0) FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind = 'r' AND relname LIKE 'memories\\_%'),
    (SELECT coalesce(avg(length(words)), 0)::float8 FROM (SELECT words FROM memories WHERE body IS NOT NULL LIMIT 1000) sample) $$;`
}

/** A word is common if it is in so many memories. */
export const COMMON_WORD_ROWS = 500

/** One bit for each word of a query that a memory has. */
export const MAX_SEARCHED_WORDS = 16
function wordBits(): string {
  return Array.from({ length: MAX_SEARCHED_WORDS }, (_, place) => `(coalesce((m.words @@ each[${place + 1}])::int, 0) << ${place})`).join(
    ' | ',
  )
}

/** Changes that members, admins and operators ask for. Each function checks the right itself, because it may write where the hub's role may not. */
function management(): string {
  return `
CREATE FUNCTION manages() RETURNS boolean LANGUAGE sql STABLE ${DEFINER} AS $$ SELECT is_admin() OR is_operator() $$;
CREATE FUNCTION curates(project int) RETURNS boolean LANGUAGE sql STABLE ${DEFINER} AS $$ SELECT manages() OR project = ANY (my_projects('curate')) $$;

-- Internal: whatever calls it has checked the right.
CREATE FUNCTION add_audit(action text, project int, memory text, details jsonb) RETURNS void LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
  INSERT INTO audit (member_id, device_id, action, project_id, memory_id, details)
    VALUES (me(), my_device(), action, project, memory, CASE WHEN me() IS NULL THEN details || jsonb_build_object('operator', session_user) ELSE details END);
END $$;
-- What the hub itself records, where the member may write. All other entries are made by the functions that do the work.
CREATE FUNCTION record_audit(action text, project int, memory text, details jsonb) RETURNS void LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
  IF me() IS NULL THEN RAISE EXCEPTION 'the caller is not identified' USING ERRCODE = 'RC401'; END IF;
  IF project IS NULL OR project <> ALL (my_projects('write')) OR action NOT IN ('push', 'delete', 'accepted', 'rejected') THEN
    RAISE EXCEPTION 'the member may not write to the project' USING ERRCODE = 'RC403';
  END IF;
  PERFORM add_audit(action, project, memory, details);
END $$;

-- A member by id or name. Internal: callers must have checked that the person who asks may know.
CREATE FUNCTION member_named(named text) RETURNS uuid LANGUAGE plpgsql STABLE ${DEFINER} AS $$
DECLARE found uuid;
BEGIN
  SELECT id INTO found FROM members WHERE id::text = lower(named) OR lower(name) = lower(named) ORDER BY id::text = lower(named) DESC LIMIT 1;
  IF found IS NULL THEN RAISE EXCEPTION 'there is no member with this name or id' USING ERRCODE = 'RC400'; END IF;
  RETURN found;
END $$;
CREATE FUNCTION project_named(project_key text) RETURNS int LANGUAGE plpgsql STABLE ${DEFINER} AS $$
DECLARE found int;
BEGIN
  SELECT id INTO found FROM projects WHERE key = project_key;
  IF found IS NULL THEN RAISE EXCEPTION 'there is no project with this key' USING ERRCODE = 'RC400'; END IF;
  RETURN found;
END $$;

CREATE FUNCTION enrol(code text, device_label text, new_token_hash bytea)
RETURNS TABLE (hub uuid, member uuid, member_name text, member_role text, device uuid, device_name text) LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
  UPDATE enrolment_codes c SET used_at = now() FROM members m
    WHERE c.code_hash = sha256(convert_to(code, 'UTF8')) AND c.used_at IS NULL AND c.expires_at > now() AND m.id = c.member_id AND m.disabled_at IS NULL
    RETURNING m.id, m.name, m.role INTO member, member_name, member_role;
  IF NOT FOUND THEN RAISE EXCEPTION 'the code is unknown, used or expired' USING ERRCODE = 'RC403'; END IF;
  INSERT INTO devices (member_id, name, token_hash) VALUES (member, device_label, new_token_hash) RETURNING id, name INTO device, device_name;
  SELECT h.id INTO hub FROM hub h;
  INSERT INTO audit (member_id, device_id, action) VALUES (member, device, 'enrol');
  RETURN NEXT;
END $$;

CREATE FUNCTION invite(new_name text, new_role text, new_grants jsonb, hours int, new_code_hash bytea, device_of text)
RETURNS TABLE (member uuid, expires timestamptz) LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE wanted record;
BEGIN
  IF new_name IS NOT NULL THEN
    IF NOT manages() THEN RAISE EXCEPTION 'only admins invite members' USING ERRCODE = 'RC403'; END IF;
    IF EXISTS (SELECT 1 FROM members WHERE lower(name) = lower(new_name)) THEN RAISE EXCEPTION 'a member has this name' USING ERRCODE = 'RC409'; END IF;
    INSERT INTO members (name, role) VALUES (new_name, new_role) RETURNING id INTO member;
    FOR wanted IN SELECT value->>'project' AS project, value->>'may' AS may FROM jsonb_array_elements(new_grants) LOOP
      INSERT INTO grants (project_id, member_id, may) VALUES (project_named(wanted.project), member, wanted.may)
        ON CONFLICT (project_id, member_id) DO UPDATE SET may = excluded.may;
    END LOOP;
  ELSIF device_of IS NOT NULL THEN
    IF NOT manages() THEN RAISE EXCEPTION 'only admins invite members' USING ERRCODE = 'RC403'; END IF;
    member := member_named(device_of);
  ELSE
    member := me();
    IF member IS NULL THEN RAISE EXCEPTION 'name the member to invite' USING ERRCODE = 'RC400'; END IF;
  END IF;
  IF EXISTS (SELECT 1 FROM members WHERE id = member AND disabled_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the member is disabled' USING ERRCODE = 'RC409';
  END IF;
  INSERT INTO enrolment_codes (code_hash, member_id, device_id, expires_at) VALUES (new_code_hash, member, my_device(), now() + make_interval(hours => hours)) RETURNING expires_at INTO expires;
  PERFORM add_audit('invite', NULL, NULL, jsonb_build_object('member', member, 'new', new_name IS NOT NULL));
  RETURN NEXT;
END $$;

CREATE FUNCTION create_project(new_key text, new_title text, new_review boolean) RETURNS int LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE project int;
BEGIN
  IF me() IS NULL AND NOT is_operator() THEN RAISE EXCEPTION 'the caller is not identified' USING ERRCODE = 'RC401'; END IF;
  INSERT INTO projects (key, title, review) VALUES (new_key, new_title, new_review) ON CONFLICT (key) DO NOTHING RETURNING id INTO project;
  IF project IS NULL THEN
    SELECT id INTO project FROM projects WHERE key = new_key AND (id = ANY (my_projects('read')) OR is_operator());
    IF project IS NULL THEN RAISE EXCEPTION 'the project exists and the member may not read it' USING ERRCODE = 'RC403'; END IF;
    RETURN project;
  END IF;
  IF me() IS NOT NULL THEN INSERT INTO grants (project_id, member_id, may) VALUES (project, me(), 'curate'); END IF;
  PERFORM add_audit('project-created', project, NULL, '{}');
  RETURN project;
END $$;

CREATE FUNCTION change_project(project_key text, changes jsonb) RETURNS int LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE project int;
BEGIN
  SELECT id INTO project FROM projects WHERE key = project_key;
  IF project IS NULL AND manages() THEN project := project_named(project_key); END IF;
  IF project IS NULL OR NOT curates(project) THEN RAISE EXCEPTION 'the member may not curate the project' USING ERRCODE = 'RC403'; END IF;
  UPDATE projects SET review = CASE WHEN changes ? 'review' THEN (changes->>'review')::boolean ELSE review END,
    retain_days = CASE WHEN changes ? 'retainDays' THEN (changes->>'retainDays')::int ELSE retain_days END WHERE id = project;
  PERFORM add_audit('project-changed', project, NULL, changes);
  RETURN project;
END $$;

CREATE FUNCTION change_grant(project_key text, named text, new_right text) RETURNS uuid LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE project int; target uuid;
BEGIN
  SELECT id INTO project FROM projects WHERE key = project_key;
  IF project IS NULL AND manages() THEN project := project_named(project_key); END IF;
  IF project IS NULL OR NOT curates(project) THEN RAISE EXCEPTION 'the member may not curate the project' USING ERRCODE = 'RC403'; END IF;
  target := member_named(named);
  IF new_right IS NULL THEN DELETE FROM grants WHERE project_id = project AND member_id = target;
  ELSE INSERT INTO grants (project_id, member_id, may) VALUES (project, target, new_right)
    ON CONFLICT (project_id, member_id) DO UPDATE SET may = excluded.may, granted_at = now();
  END IF;
  PERFORM add_audit('grant', project, NULL, jsonb_build_object('member', target, 'may', new_right));
  RETURN target;
END $$;

CREATE FUNCTION revoke_device(target uuid) RETURNS void LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE owner uuid;
BEGIN
  SELECT member_id INTO owner FROM devices WHERE id = target;
  IF owner IS NULL AND manages() THEN RAISE EXCEPTION 'there is no device with this id' USING ERRCODE = 'RC400'; END IF;
  IF owner IS NULL OR NOT (manages() OR owner IS NOT DISTINCT FROM me()) THEN RAISE EXCEPTION 'it is not a device of the member' USING ERRCODE = 'RC403'; END IF;
  UPDATE devices SET revoked_at = now(), token_hash = NULL WHERE id = target AND revoked_at IS NULL;
  -- Otherwise whoever has a stolen device would return with a code that it asked for. A device that leaves by itself is no such case.
  IF target IS DISTINCT FROM my_device() THEN DELETE FROM enrolment_codes WHERE device_id = target AND used_at IS NULL; END IF;
  IF FOUND THEN PERFORM add_audit('device-revoked', NULL, NULL, jsonb_build_object('member', owner, 'device', target)); END IF;
END $$;

-- Disabling keeps a member's memories; erasing does not.
CREATE FUNCTION disable_member(named text) RETURNS TABLE (member uuid, devices_revoked bigint) LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
  IF NOT manages() THEN RAISE EXCEPTION 'only admins disable a member' USING ERRCODE = 'RC403'; END IF;
  member := member_named(named);
  UPDATE members SET disabled_at = coalesce(disabled_at, now()) WHERE id = member;
  UPDATE devices SET revoked_at = now(), token_hash = NULL WHERE member_id = member AND revoked_at IS NULL;
  GET DIAGNOSTICS devices_revoked = ROW_COUNT;
  DELETE FROM enrolment_codes WHERE member_id = member;
  PERFORM add_audit('member-disabled', NULL, NULL, jsonb_build_object('member', member));
  RETURN NEXT;
END $$;

CREATE FUNCTION hand_over(from_member text, to_member text, project_key text, dry_run boolean) RETURNS bigint LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE giver uuid; taker uuid; fed record; moved bigint; total bigint := 0;
BEGIN
  IF from_member IS NOT NULL AND NOT manages() THEN RAISE EXCEPTION 'only admins hand over memories of another member' USING ERRCODE = 'RC403'; END IF;
  giver := CASE WHEN from_member IS NULL THEN me() ELSE member_named(from_member) END;
  IF giver IS NULL THEN RAISE EXCEPTION 'the caller is not identified' USING ERRCODE = 'RC401'; END IF;
  SELECT id INTO taker FROM members WHERE (id::text = lower(to_member) OR lower(name) = lower(to_member)) AND disabled_at IS NULL;
  IF taker IS NULL OR taker = giver THEN RAISE EXCEPTION 'name another active member to take the memories' USING ERRCODE = 'RC400'; END IF;
  FOR fed IN SELECT p.id, p.head FROM projects p
    WHERE (project_key IS NULL OR p.key = project_key) AND EXISTS (SELECT 1 FROM memories m WHERE m.project_id = p.id AND m.author_id = giver AND m.body IS NOT NULL)
    ORDER BY p.id FOR NO KEY UPDATE LOOP
    -- Otherwise a member could write something and then put it under another name.
    IF NOT curates(fed.id) THEN RAISE EXCEPTION 'only curators of a project and admins hand over memories in it' USING ERRCODE = 'RC403'; END IF;
    IF NOT EXISTS (SELECT 1 FROM grants g WHERE g.project_id = fed.id AND g.member_id = taker AND rank_of(g.may) >= rank_of('write')) THEN
      RAISE EXCEPTION 'the other member may not write to a project of the memories' USING ERRCODE = 'RC403';
    END IF;
    -- Anybody may open a project, curate it and give others rights in it. Who has written there takes part in it.
    IF NOT manages() AND NOT EXISTS (SELECT 1 FROM memories m JOIN devices d ON d.id = m.device_id AND d.member_id = taker WHERE m.project_id = fed.id AND m.author_id = taker) THEN
      RAISE EXCEPTION 'the other member has shared nothing in a project of the memories, so only an admin hands them over' USING ERRCODE = 'RC403';
    END IF;
    IF dry_run THEN
      SELECT count(*) INTO moved FROM memories m WHERE m.project_id = fed.id AND m.author_id = giver AND m.body IS NOT NULL;
    ELSE
      UPDATE memories m SET author_id = taker, seq = fed.head + n.place
        FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place FROM memories WHERE project_id = fed.id AND author_id = giver AND body IS NOT NULL) n
        WHERE m.project_id = fed.id AND m.id = n.id;
      GET DIAGNOSTICS moved = ROW_COUNT;
      PERFORM add_audit('handover', fed.id, NULL, jsonb_build_object('from', giver, 'to', taker, 'memories', moved));
    END IF;
    total := total + moved;
  END LOOP;
  RETURN total;
END $$;

CREATE FUNCTION erase_member(named text, dry_run boolean) RETURNS TABLE (memories_erased bigint, devices_erased bigint, sealed_erased bigint) LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE target uuid; fed record; gone bigint;
BEGIN
  IF NOT manages() AND NOT EXISTS (SELECT 1 FROM members WHERE id = me() AND (id::text = lower(named) OR lower(name) = lower(named))) THEN
    RAISE EXCEPTION 'only admins erase another member' USING ERRCODE = 'RC403';
  END IF;
  target := member_named(named);
  IF dry_run THEN
    RETURN QUERY SELECT (SELECT count(*) FROM memories WHERE author_id = target AND body IS NOT NULL), (SELECT count(*) FROM devices WHERE member_id = target),
      (SELECT count(*) FROM sealed WHERE member_id = target);
    RETURN;
  END IF;
  PERFORM add_audit('erase', NULL, NULL, jsonb_build_object('member', target));
  memories_erased := 0;
  -- The row lock of a project waits for a push that is still open.
  FOR fed IN SELECT p.id, p.head FROM projects p WHERE p.id IN (SELECT project_id FROM grants WHERE member_id = target)
    OR EXISTS (SELECT 1 FROM memories m WHERE m.project_id = p.id AND m.author_id = target) ORDER BY p.id FOR NO KEY UPDATE LOOP
    UPDATE memories m SET body = NULL, hash = sha256('null'), base = NULL, earlier = '{}', revision = m.revision + 1, seq = fed.head + n.place
      FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place FROM memories WHERE project_id = fed.id AND author_id = target AND body IS NOT NULL) n
      WHERE m.project_id = fed.id AND m.id = n.id;
    GET DIAGNOSTICS gone = ROW_COUNT;
    memories_erased := memories_erased + gone;
  END LOOP;
  UPDATE members SET name = NULL, role = 'member', disabled_at = coalesce(disabled_at, now()), erased_at = now() WHERE id = target;
  DELETE FROM grants WHERE member_id = target;
  DELETE FROM enrolment_codes WHERE member_id = target;
  DELETE FROM key_rings WHERE member_id = target;
  DELETE FROM sealed WHERE member_id = target;
  GET DIAGNOSTICS sealed_erased = ROW_COUNT;
  UPDATE devices SET token_hash = NULL, name = '', last_seen_at = NULL, revoked_at = coalesce(revoked_at, now()) WHERE member_id = target;
  GET DIAGNOSTICS devices_erased = ROW_COUNT;
  RETURN NEXT;
END $$;`
}

/** The upkeep that hubs do every few minutes. It needs no right, because it only applies the settings of projects. */
function upkeep(): string {
  return `
CREATE FUNCTION make_audit_partitions() RETURNS void LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE month timestamptz;
BEGIN
  FOR i IN 0..2 LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + make_interval(months => i);
    CONTINUE WHEN to_regclass('recollect.audit_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE audit_%s PARTITION OF audit FOR VALUES FROM (%L) TO (%L)', to_char(month AT TIME ZONE 'UTC', 'YYYY_MM'), month, month + interval '1 month');
    -- Entries of a month for which no partition was made in time are in audit_other and stay there.
    EXCEPTION WHEN check_violation THEN NULL;
    END;
  END LOOP;
END $$;

CREATE FUNCTION sweep() RETURNS TABLE (memories_expired bigint, tombstones_dropped bigint) LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE fed record; number bigint; last_seq bigint; days int;
BEGIN
  memories_expired := 0; tombstones_dropped := 0;
  -- One hub at a time is enough.
  IF NOT pg_try_advisory_xact_lock(hashtext('recollect.sweep')) THEN RETURN NEXT; RETURN; END IF;
  PERFORM make_audit_partitions();
  SELECT tombstone_days INTO days FROM hub;
  FOR fed IN SELECT p.id, p.head, p.retain_days FROM projects p WHERE p.retain_days IS NOT NULL
    AND (SELECT m.changed_at FROM memories m WHERE m.project_id = p.id AND m.body IS NOT NULL ORDER BY m.seq LIMIT 1) < now() - make_interval(days => p.retain_days)
    ORDER BY p.id FOR NO KEY UPDATE LOOP
    UPDATE memories m SET body = NULL, earlier = m.earlier || m.hash, hash = sha256('null'), base = NULL, revision = m.revision + 1, seq = fed.head + n.place
      FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place
        FROM (SELECT id, seq, changed_at FROM memories WHERE project_id = fed.id AND body IS NOT NULL ORDER BY seq LIMIT 1000) oldest
        WHERE changed_at < now() - make_interval(days => fed.retain_days)) n
      WHERE m.project_id = fed.id AND m.id = n.id;
    GET DIAGNOSTICS number = ROW_COUNT;
    memories_expired := memories_expired + number;
    INSERT INTO audit (action, project_id, details) VALUES ('retention', fed.id, jsonb_build_object('memories', number));
  END LOOP;
  ${tombstoneLoop('memories', 'project_id', 'body', 'projects', 'horizon')}
  ${tombstoneLoop('sealed', 'member_id', 'sealed', 'members', 'own_horizon')}
  DELETE FROM enrolment_codes WHERE expires_at < now() - interval '30 days';
  RETURN NEXT;
END $$;`
}

/** A part of sweep(): drops old deletions from the feeds that `rows` belong to, and moves the horizon of each feed to the last one dropped. */
function tombstoneLoop(rows: string, feedOf: string, content: string, feeds: string, horizon: string): string {
  return `FOR fed IN SELECT f.id FROM ${feeds} f
    WHERE (SELECT r.changed_at FROM ${rows} r WHERE r.${feedOf} = f.id AND r.${content} IS NULL ORDER BY r.seq LIMIT 1) < now() - make_interval(days => days)
    ORDER BY f.id FOR NO KEY UPDATE LOOP
    WITH dropped AS (DELETE FROM ${rows} r USING
      (SELECT id, changed_at FROM ${rows} WHERE ${feedOf} = fed.id AND ${content} IS NULL ORDER BY seq LIMIT 1000) oldest
      WHERE r.${feedOf} = fed.id AND r.id = oldest.id AND oldest.changed_at < now() - make_interval(days => days) RETURNING r.seq)
    SELECT count(*), max(seq) INTO number, last_seq FROM dropped;
    UPDATE ${feeds} SET ${horizon} = greatest(${horizon}, last_seq) WHERE id = fed.id AND number > 0;
    tombstones_dropped := tombstones_dropped + number;
  END LOOP;`
}

/** The privileges of the hub's role. They are set after every change of the schema, so a new function is closed until it is listed here. */
export const PERMISSIONS = `
REVOKE ALL ON ALL TABLES IN SCHEMA recollect FROM PUBLIC, ${HUB_ROLE};
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA recollect FROM PUBLIC, ${HUB_ROLE};
REVOKE ALL ON SCHEMA recollect FROM PUBLIC, ${HUB_ROLE};
GRANT USAGE ON SCHEMA recollect TO ${HUB_ROLE};
GRANT SELECT (id, version) ON recollect.hub TO ${HUB_ROLE};
GRANT SELECT (id, name, role, created_at, disabled_at, erased_at) ON recollect.members TO ${HUB_ROLE};
GRANT SELECT (id, member_id, name, enrolled_at, last_seen_at, revoked_at) ON recollect.devices TO ${HUB_ROLE};
GRANT SELECT ON recollect.projects, recollect.grants, recollect.audit TO ${HUB_ROLE};
GRANT SELECT, INSERT, UPDATE ON recollect.memories, recollect.sealed, recollect.key_rings TO ${HUB_ROLE};
GRANT EXECUTE ON FUNCTION recollect.identify, recollect.me, recollect.my_device, recollect.is_admin, recollect.is_operator, recollect.seen,
  recollect.rank_of, recollect.my_projects, recollect.reviewed_projects, recollect.fellows, recollect.author_names, recollect.lock_feed, recollect.stored_versions, recollect.lock_own_feed,
  recollect.own_feed, recollect.heads, recollect.search_candidates, recollect.common_words, recollect.memory_statistics, recollect.record_audit, recollect.enrol,
  recollect.invite, recollect.create_project, recollect.change_project, recollect.change_grant, recollect.revoke_device, recollect.disable_member,
  recollect.hand_over, recollect.erase_member, recollect.sweep TO ${HUB_ROLE};`
