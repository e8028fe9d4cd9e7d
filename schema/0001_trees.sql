-- session-tree, schema version 1: conversation trees, and the guards by which the file defends itself.
--
-- schema/README.md has the words and the life of each row. Everything here is the SQL of SQLite 3.37, so that any stock
-- sqlite3 shell from that version on can read and write the file: no function of ours, no jsonb, no ->>, and RAISE with
-- literal texts only. The guards do not rely on foreign_keys, which is off in the shell.
--
-- A node's key is (session key << 32) | seq, where seq counts the nodes of the session from 0 in the order of writing.
-- A session is therefore one range of keys: key BETWEEN (session << 32) AND (session << 32) + 4294967295.

CREATE TABLE store (
  -- One row about this file.
  key           INTEGER PRIMARY KEY CHECK (key = 1),
  id            TEXT    NOT NULL,           -- random UUID, made with the file; tells two stores apart
  created_at_ms INTEGER NOT NULL            -- Unix time in milliseconds
) STRICT;

CREATE TABLE sessions (
  -- One conversation tree. Appending does not write this row, but in sessions whose ids come from next_id.
  key               INTEGER PRIMARY KEY AUTOINCREMENT CHECK (key BETWEEN 1 AND 2147483647), -- never used twice
  id                TEXT    NOT NULL UNIQUE CHECK (id <> ''),  -- public id: UUID v7, or as the caller or the source gave it
  state             TEXT    NOT NULL DEFAULT 'live'
                    CHECK (state IN ('live', 'importing', 'deleting')), -- only live ones are shown; deleting lifts the guards
  name              TEXT,                   -- title for people; NULL = none
  name_set_by       TEXT    CHECK (name_set_by IN ('api', 'file')), -- what 'api' set, an import does not change
  cwd               TEXT,                   -- working directory of the agent, if known
  meta              TEXT    NOT NULL DEFAULT '{}', -- JSON object: the caller's, or what a source's header held
  origin_session_id TEXT,                   -- fork: the session it was copied from
  origin_node_id    TEXT,                   -- fork: the node at which the copied path ended
  source_format     TEXT,                   -- import: 'pi', 'tree.json', ...; NULL = made here
  source_id         TEXT,                   -- import: the session's id inside the source, or a hash of its content
  source_path       TEXT,                   -- import: where the source was read last
  source_hash       TEXT,                   -- import: SHA-256 of the source's bytes when it was read last
  created_at_ms     INTEGER NOT NULL,       -- Unix time in milliseconds
  archived_at_ms    INTEGER,                -- NULL = not archived
  active_branch_key INTEGER REFERENCES branches (key) DEFERRABLE INITIALLY DEFERRED, -- NULL only while it is being made
  id_style          TEXT    NOT NULL DEFAULT 'seq'
                    CHECK (id_style IN ('seq', 'counter', 'hex')), -- new ids: n<seq> | n<next_id> | 8 random hex digits
  next_id           TEXT                    -- unsigned 64-bit decimal: next n<decimal> of a 'counter' session; else NULL
                    CHECK ((next_id IS NOT NULL) = (id_style = 'counter'))
                    CHECK (next_id NOT GLOB '*[^0-9]*' AND next_id NOT GLOB '0?*' AND length(next_id) BETWEEN 1 AND 20),
  high_seq          INTEGER NOT NULL DEFAULT -1, -- highest seq of a deleted node: no key or id is used twice
  next_branch       INTEGER NOT NULL DEFAULT 1   -- of branch, branch-2, ... those below this number are taken
) STRICT;
-- Serves: importing again finds the session it made.
CREATE UNIQUE INDEX sessions_by_source ON sessions (source_format, source_id) WHERE source_id IS NOT NULL;

CREATE TABLE branches (
  -- A named pointer to a leaf. Every node without children is the leaf of at least one.
  key            INTEGER PRIMARY KEY AUTOINCREMENT CHECK (key > 0), -- never used twice
  session_key    INTEGER NOT NULL REFERENCES sessions (key),
  name           TEXT    NOT NULL CHECK (name <> ''),
  leaf_key       INTEGER REFERENCES nodes (key), -- NULL = empty branch: the next append makes a root
  resting        INTEGER NOT NULL DEFAULT 1 CHECK (resting IN (0, 1)), -- 0 = its session's active branch (kept by a trigger)
  next_rewound   INTEGER NOT NULL DEFAULT 1, -- of <name>-rewound, <name>-rewound-2, ... those below this number are taken
  created_at_ms  INTEGER NOT NULL,           -- Unix time in milliseconds
  archived_at_ms INTEGER,                    -- NULL = not archived
  UNIQUE (session_key, name)
) STRICT;
-- Serves: does another branch end here? Active branches are left out, so that an append touches two B-trees and no more.
CREATE INDEX branches_by_leaf ON branches (leaf_key) WHERE resting = 1;

CREATE TABLE nodes (
  -- One entry of a tree, written once. The payload stands last so that reading any other column does not load it.
  key            INTEGER PRIMARY KEY CHECK (key > 0), -- (session key << 32) | seq: the order of writing
  id             TEXT    CHECK (id <> ''),   -- public id inside the session; NULL = 'n' || (key & 4294967295)
  parent_key     INTEGER REFERENCES nodes (key), -- NULL = root
  run_start      INTEGER NOT NULL,           -- first key of the unbroken run of keys, each the child of the one before, that ends here
  branch_key     INTEGER,                    -- the branch it was appended to; NULL = imported
  messages       INTEGER NOT NULL,           -- nodes of kind message in this session, up to and including this one
  kind           TEXT    NOT NULL CHECK (kind <> ''), -- message, compaction, branch_summary, label, ... or any other text
  role           TEXT,                       -- of a message: user, assistant, ...; else NULL
  created_at_ms  INTEGER NOT NULL,           -- Unix time in milliseconds. Data only: the order is key
  time_text      TEXT,                       -- import: the source's own timestamp, where it is not the ISO form of created_at_ms
  source_line    INTEGER,                    -- import: line in the source, from 1
  missing_parent TEXT,                       -- parent id that was declared but not there; '' = declared as the empty text
  adoptable      INTEGER NOT NULL DEFAULT 1 CHECK (adoptable IN (0, 1)), -- 0 = stays a root even when that parent comes
  preview        TEXT    NOT NULL,           -- one line of text for people, at most 200 UTF-16 units
  envelope_at    INTEGER,                    -- byte of envelope at which the payload was cut out; NULL with envelope
  envelope       TEXT,                       -- import: the line around the payload; NULL = the payload is all there is
  payload        TEXT    NOT NULL,           -- JSON as it was given, byte for byte
  CHECK (parent_key >> 32 = key >> 32),
  CHECK (parent_key < key OR missing_parent IS NOT NULL), -- only an adopted orphan may have a younger parent
  CHECK (run_start = key OR parent_key = key - 1),
  CHECK ((envelope IS NULL) = (envelope_at IS NULL))
) STRICT;
-- Serves: node by public id; unique in its session.
CREATE UNIQUE INDEX nodes_by_id ON nodes (key >> 32, id) WHERE id IS NOT NULL;
-- Serves: children of a node. The child that follows its parent directly is found by key, and is not in here.
CREATE INDEX nodes_by_far_parent ON nodes (parent_key) WHERE parent_key <> key - 1;
-- Serves: roots of a session.
CREATE INDEX nodes_roots ON nodes (key) WHERE parent_key IS NULL;
-- Serves: orphans that wait for a parent.
CREATE INDEX nodes_by_missing_parent ON nodes (key >> 32, missing_parent) WHERE missing_parent IS NOT NULL;

CREATE TABLE labels (
  -- A person's mark on a node. The node is named by its id, so that a mark may come before the node it names.
  session_key INTEGER NOT NULL REFERENCES sessions (key),
  node_id     TEXT    NOT NULL,
  label       TEXT,                          -- NULL = cleared by hand: lines of a file do not set it again
  set_by      TEXT    NOT NULL CHECK (set_by IN ('api', 'file')), -- what 'api' set, lines of a file do not change
  set_at_ms   INTEGER NOT NULL,              -- Unix time in milliseconds
  PRIMARY KEY (session_key, node_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE summaries (
  -- Text that stands for a branch. All are kept; the one with the highest key counts.
  key           INTEGER PRIMARY KEY AUTOINCREMENT CHECK (key > 0),
  session_key   INTEGER NOT NULL REFERENCES sessions (key),
  branch_key    INTEGER NOT NULL REFERENCES branches (key),
  branch        TEXT    NOT NULL,            -- the branch's name when it was summarised
  node_id       TEXT    NOT NULL,            -- the leaf as of which it speaks
  summary       TEXT    NOT NULL,
  model_id      TEXT,                        -- NULL = no model: a count, or a person's words
  created_at_ms INTEGER NOT NULL             -- Unix time in milliseconds
) STRICT;
-- Serves: newest summary of a branch.
CREATE INDEX summaries_by_branch ON summaries (branch_key);
-- Serves: deleting a session.
CREATE INDEX summaries_by_session ON summaries (session_key);

CREATE TABLE operations (
  -- What was done to a tree, in order, but for appends: those are recorded by their node rows.
  key         INTEGER PRIMARY KEY AUTOINCREMENT CHECK (key > 0),
  session_key INTEGER NOT NULL,              -- may name a session that was deleted since
  verb        TEXT    NOT NULL,              -- create, rewind, branch, switch, label, rename, archive, summarize, navigate, import, ...
  actor       TEXT    NOT NULL,              -- who: as given when the store was opened
  at_ms       INTEGER NOT NULL,              -- Unix time in milliseconds
  branch_key  INTEGER,                       -- the branch that was moved, made, switched to or summarised
  from_key    INTEGER,                       -- its leaf before; NULL = none
  to_key      INTEGER,                       -- its leaf after, or the node that was labelled
  high_key    INTEGER NOT NULL,              -- highest node key of the session at that moment: the place among the appends
  detail      TEXT    NOT NULL DEFAULT '{}'  -- JSON object of what the verb needs besides
) STRICT;
-- Serves: operations of a session after a cursor.
CREATE INDEX operations_by_session ON operations (session_key);

CREATE TABLE guards (
  -- What keeps a session to one turn or navigation at a time. The row stays when it is free, so that fence only grows.
  session_key     INTEGER PRIMARY KEY REFERENCES sessions (key),
  fence           INTEGER NOT NULL,          -- fencing number: a holder with another one has lost it
  kind            TEXT    CHECK (kind IN ('turn', 'navigation')), -- NULL = free
  branch_key      INTEGER,                   -- the branch it pins
  leaf_key        INTEGER,                   -- that branch's leaf when it was taken, then when it became free; NULL = empty
  actor           TEXT,                      -- who holds it; when it is free, who held it last
  boot_id         TEXT,                      -- the host's boot: a beat of an earlier boot is known to be dead
  pid             INTEGER,                   -- the holder's process
  pid_space       INTEGER,                   -- inode of the PID namespace in which pid counts; in others only expiry tells
  process_start   INTEGER,                   -- start of that process in clock ticks since boot: a reused pid is not taken for it
  began_at_ms     INTEGER,                   -- Unix time in milliseconds
  beat_boot_ms    INTEGER,                   -- last sign of life: CLOCK_BOOTTIME in milliseconds
  expires_boot_ms INTEGER                    -- CLOCK_BOOTTIME at which it is free without a further sign
) STRICT;

CREATE TABLE loose_records (
  -- What a source held that is no node: headers, damaged lines, repeats, settings. Kept byte for byte, in order.
  key         INTEGER PRIMARY KEY AUTOINCREMENT CHECK (key > 0),
  session_key INTEGER NOT NULL REFERENCES sessions (key),
  node_key    INTEGER REFERENCES nodes (key), -- the node whose line this is, where that line was not valid UTF-8; else NULL
  source_line INTEGER NOT NULL,              -- from 1
  byte_offset INTEGER NOT NULL,              -- of the line's first byte in the source
  reason      TEXT    NOT NULL,              -- header, scalar, damaged, repeat, ...: why it is no node
  raw         BLOB    NOT NULL               -- the line without its line end
) STRICT;
CREATE INDEX loose_records_by_session ON loose_records (session_key, source_line);
CREATE INDEX loose_records_by_node ON loose_records (node_key) WHERE node_key IS NOT NULL;

-- Guards ------------------------------------------------------------------------------------------------------------------
-- Every guard is a BEFORE trigger without an OF list: such a trigger also fires for UPDATE ... SET rowid = ..., and
-- RAISE(ABORT) wins over OR IGNORE and OR REPLACE. Nothing here walks a tree but the cycle guard. The guards repeat those
-- CHECKs that keep a tree whole, because PRAGMA ignore_check_constraints switches CHECKs off, but no triggers.
-- An AUTOINCREMENT key is -1 in a BEFORE INSERT trigger while SQLite is still to choose it. A key that is given must be the
-- next one: a huge one would use up the keys of the whole store, and a freed one would be used twice.

-- A new node: the next key of a live session, an unused id, an existing parent of the same session, and true bookkeeping.
-- A parent must be there first, so no insert can close a cycle; the key must be new, so no REPLACE can either.
-- The condition lets an append below the newest node through at once, by the same rules.
CREATE TRIGGER nodes_guard_insert BEFORE INSERT ON nodes
WHEN (
  NEW.id IS NULL AND NEW.parent_key = NEW.key - 1
  AND (NEW.parent_key, NEW.run_start, NEW.messages - (NEW.kind = 'message')) = (
    SELECT key, run_start, messages FROM nodes
    WHERE key BETWEEN NEW.key >> 32 << 32 AND NEW.key | 4294967295 ORDER BY key DESC LIMIT 1)
  AND NEW.key & 4294967295 > (
    SELECT high_seq FROM sessions WHERE key = NEW.key >> 32 AND id_style = 'seq' AND state <> 'deleting')) IS NOT TRUE
BEGIN
  SELECT CASE
    WHEN session.key IS NULL
      THEN RAISE(ABORT, 'session-tree: a node needs a session that exists and is not being deleted')
    WHEN NEW.key <> 1 + max((session.key << 32) + session.high_seq, coalesce(latest.key, 0))
      THEN RAISE(ABORT, 'session-tree: a node''s key must be the next one of its session')
    WHEN NEW.parent_key IS NOT NULL AND NEW.parent_key IS NOT latest.key
      AND NOT EXISTS (SELECT 1 FROM nodes WHERE key = NEW.parent_key AND key >> 32 = NEW.key >> 32)
      THEN RAISE(ABORT, 'session-tree: the parent must be a node of the same session')
    WHEN NEW.run_start <> CASE WHEN NEW.parent_key = NEW.key - 1 THEN latest.run_start ELSE NEW.key END
      THEN RAISE(ABORT, 'session-tree: run_start must be the parent''s if the parent is the node before, else the key')
    WHEN NEW.messages <> coalesce(latest.messages, 0) + (NEW.kind = 'message')
      THEN RAISE(ABORT, 'session-tree: messages must count the message nodes of the session')
    WHEN NEW.id IS NULL AND session.id_style <> 'seq'
      THEN RAISE(ABORT, 'session-tree: nodes of this session need an explicit id')
    WHEN session.id_style = 'seq' AND NEW.id GLOB 'n[0-9]*' AND substr(NEW.id, 2) NOT GLOB '*[^0-9]*'
      THEN RAISE(ABORT, 'session-tree: ids of the form n<number> are made by this session itself')
    WHEN NEW.id IS NOT NULL AND EXISTS (SELECT 1 FROM nodes WHERE key >> 32 = NEW.key >> 32 AND id = NEW.id)
      THEN RAISE(ABORT, 'session-tree: the id is taken')
  END
  FROM (SELECT 1)
  LEFT JOIN sessions AS session ON session.key = NEW.key >> 32 AND session.state <> 'deleting'
  LEFT JOIN nodes AS latest ON latest.key = (
    SELECT max(key) FROM nodes WHERE key BETWEEN NEW.key >> 32 << 32 AND NEW.key | 4294967295);
END;

-- Nodes are written once. Three changes are let through: an orphan adopted by the parent it declared, an orphan marked as
-- never to be adopted, and a payload replaced by the fixed tombstone.
CREATE TRIGGER nodes_guard_update BEFORE UPDATE ON nodes BEGIN
  SELECT RAISE(ABORT, 'session-tree: nodes are immutable')
  WHERE NOT (
    NEW.key IS OLD.key AND NEW.id IS OLD.id AND NEW.run_start IS OLD.run_start AND NEW.branch_key IS OLD.branch_key
    AND NEW.messages IS OLD.messages AND NEW.kind IS OLD.kind AND NEW.role IS OLD.role
    AND NEW.created_at_ms IS OLD.created_at_ms AND NEW.time_text IS OLD.time_text AND NEW.source_line IS OLD.source_line
    AND NEW.missing_parent IS OLD.missing_parent
    AND (NEW.adoptable IS OLD.adoptable OR (NEW.adoptable = 0 AND OLD.missing_parent IS NOT NULL))
    AND (NEW.parent_key IS OLD.parent_key OR (
      OLD.parent_key IS NULL AND OLD.adoptable = 1 AND OLD.missing_parent IS (
        SELECT coalesce(id, 'n' || (key & 4294967295)) FROM nodes
        WHERE key = NEW.parent_key AND key >> 32 = OLD.key >> 32)))
    AND ((NEW.preview IS OLD.preview AND NEW.envelope_at IS OLD.envelope_at AND NEW.envelope IS OLD.envelope
          AND NEW.payload IS OLD.payload)
      OR (NEW.preview = '[scrubbed]' AND NEW.envelope_at IS NULL AND NEW.envelope IS NULL
          AND NEW.payload = '{"scrubbed":true}' AND OLD.payload <> '{"scrubbed":true}')));
  -- The orphan is the start of its run, so its key is among the run starts above the new parent if and only if it is an
  -- ancestor of that parent. UNION, not UNION ALL: the walk ends even in a tree that is already damaged.
  SELECT RAISE(ABORT, 'session-tree: the new parent is a descendant of the node: that would close a cycle')
  WHERE NEW.parent_key IS NOT OLD.parent_key AND EXISTS (
    WITH RECURSIVE ancestor_run (run_start) AS (
      SELECT run_start FROM nodes WHERE key = NEW.parent_key
      UNION
      SELECT above.run_start
      FROM ancestor_run
      JOIN nodes AS head ON head.key = ancestor_run.run_start
      JOIN nodes AS above ON above.key = head.parent_key)
    SELECT 1 FROM ancestor_run WHERE run_start = OLD.key);
END;

-- Nothing is lost: nodes go only with their whole session, after it was marked by name.
CREATE TRIGGER nodes_guard_delete BEFORE DELETE ON nodes BEGIN
  SELECT RAISE(ABORT, 'session-tree: nodes are not deleted one by one; delete the session')
  WHERE NOT EXISTS (
    SELECT 1 FROM sessions
    WHERE key = OLD.key >> 32 AND state = 'deleting' AND high_seq >= (OLD.key & 4294967295));
END;

CREATE TRIGGER branches_guard_insert BEFORE INSERT ON branches BEGIN
  SELECT RAISE(ABORT, 'session-tree: a branch needs a session that exists')
  WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE key = NEW.session_key AND state <> 'deleting');
  SELECT RAISE(ABORT, 'session-tree: a branch''s key must be the next one; leave it out')
  WHERE NEW.key <> -1 AND (
    NEW.key <> 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'branches'), 0)
    OR EXISTS (SELECT 1 FROM branches WHERE key = NEW.key));
  SELECT RAISE(ABORT, 'session-tree: the branch name is taken')
  WHERE EXISTS (SELECT 1 FROM branches WHERE session_key = NEW.session_key AND name = NEW.name);
  SELECT RAISE(ABORT, 'session-tree: the leaf must be a node of the branch''s session')
  WHERE NEW.leaf_key IS NOT NULL
    AND (NEW.leaf_key >> 32 <> NEW.session_key OR NOT EXISTS (SELECT 1 FROM nodes WHERE key = NEW.leaf_key));
  SELECT RAISE(ABORT, 'session-tree: a new branch rests until it is made active')
  WHERE NEW.resting <> 1;
END;

-- A leaf must not lose its last name: the old leaf needs a child, or another branch that ends there. The condition lets an
-- append through at once: nothing but the leaf changes, to a child of the old leaf, or from nothing to a root.
CREATE TRIGGER branches_guard_update BEFORE UPDATE ON branches
WHEN (
  NEW.key IS OLD.key AND NEW.session_key IS OLD.session_key AND NEW.name IS OLD.name AND NEW.resting IS OLD.resting
  AND NEW.leaf_key >> 32 = NEW.session_key
  AND EXISTS (SELECT 1 FROM nodes WHERE key = NEW.leaf_key AND parent_key IS OLD.leaf_key)) IS NOT TRUE
BEGIN
  SELECT CASE
    WHEN NEW.key IS NOT OLD.key OR NEW.session_key IS NOT OLD.session_key
      THEN RAISE(ABORT, 'session-tree: a branch keeps its key and its session')
    WHEN NEW.name IS NOT OLD.name
      AND EXISTS (SELECT 1 FROM branches WHERE session_key = NEW.session_key AND name = NEW.name AND key <> OLD.key)
      THEN RAISE(ABORT, 'session-tree: the branch name is taken')
    WHEN NEW.resting IS NOT OLD.resting
      AND NEW.resting <> (NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND active_branch_key = OLD.key))
      THEN RAISE(ABORT, 'session-tree: resting is 0 for the active branch and for no other')
    WHEN NEW.leaf_key IS NOT NULL AND NEW.leaf_key IS NOT OLD.leaf_key
      AND (NEW.leaf_key >> 32 <> NEW.session_key OR NOT EXISTS (SELECT 1 FROM nodes WHERE key = NEW.leaf_key))
      THEN RAISE(ABORT, 'session-tree: the leaf must be a node of the branch''s session')
    WHEN OLD.leaf_key IS NOT NULL AND NEW.leaf_key IS NOT OLD.leaf_key
      AND NOT EXISTS (SELECT 1 FROM nodes WHERE key = OLD.leaf_key + 1 AND parent_key = OLD.leaf_key)
      AND NOT EXISTS (SELECT 1 FROM nodes WHERE parent_key = OLD.leaf_key AND parent_key <> key - 1)
      AND NOT EXISTS (SELECT 1 FROM branches WHERE leaf_key = OLD.leaf_key AND resting = 1 AND key <> OLD.key)
      AND NOT EXISTS (
        SELECT 1 FROM sessions AS session JOIN branches AS active ON active.key = session.active_branch_key
        WHERE session.key = OLD.session_key AND active.leaf_key = OLD.leaf_key AND active.key <> OLD.key)
      THEN RAISE(ABORT, 'session-tree: the old leaf would lose its last name; make a branch there first')
  END;
END;

CREATE TRIGGER branches_guard_delete BEFORE DELETE ON branches
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND state = 'deleting')
BEGIN
  SELECT RAISE(ABORT, 'session-tree: the active branch cannot be deleted; switch to another first')
  WHERE EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND active_branch_key = OLD.key);
  SELECT RAISE(ABORT, 'session-tree: a branch with summaries cannot be deleted; archive it')
  WHERE EXISTS (SELECT 1 FROM summaries WHERE branch_key = OLD.key);
  SELECT RAISE(ABORT, 'session-tree: the leaf would lose its last name; make a branch there first')
  WHERE OLD.leaf_key IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE key = OLD.leaf_key + 1 AND parent_key = OLD.leaf_key)
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE parent_key = OLD.leaf_key AND parent_key <> key - 1)
    AND NOT EXISTS (SELECT 1 FROM branches WHERE leaf_key = OLD.leaf_key AND resting = 1 AND key <> OLD.key)
    AND NOT EXISTS (
      SELECT 1 FROM sessions AS session JOIN branches AS active ON active.key = session.active_branch_key
      WHERE session.key = OLD.session_key AND active.leaf_key = OLD.leaf_key AND active.key <> OLD.key);
END;

-- A name that becomes free may be given again: the hint that passes it by starts over. The branch it belongs to is found by
-- its name, not by looking through all branches of the session.
CREATE TRIGGER branches_name_freed AFTER DELETE ON branches
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND state = 'deleting')
BEGIN
  UPDATE branches SET next_rewound = 1
  WHERE session_key = OLD.session_key AND next_rewound > 1
    AND name = CASE
      WHEN OLD.name GLOB '*-rewound' THEN substr(OLD.name, 1, length(OLD.name) - 8)
      WHEN rtrim(OLD.name, '0123456789') GLOB '*-rewound-'
        THEN substr(OLD.name, 1, length(rtrim(OLD.name, '0123456789')) - 9)
    END;
  UPDATE sessions SET next_branch = 1
  WHERE key = OLD.session_key AND next_branch > 1 AND (OLD.name = 'branch' OR OLD.name GLOB 'branch-*');
END;
CREATE TRIGGER branches_renamed AFTER UPDATE OF name ON branches WHEN NEW.name IS NOT OLD.name BEGIN
  UPDATE branches SET next_rewound = 1 WHERE key = NEW.key AND next_rewound > 1;
  UPDATE branches SET next_rewound = 1
  WHERE session_key = OLD.session_key AND next_rewound > 1
    AND name = CASE
      WHEN OLD.name GLOB '*-rewound' THEN substr(OLD.name, 1, length(OLD.name) - 8)
      WHEN rtrim(OLD.name, '0123456789') GLOB '*-rewound-'
        THEN substr(OLD.name, 1, length(rtrim(OLD.name, '0123456789')) - 9)
    END;
  UPDATE sessions SET next_branch = 1
  WHERE key = OLD.session_key AND next_branch > 1 AND (OLD.name = 'branch' OR OLD.name GLOB 'branch-*');
END;

CREATE TRIGGER sessions_guard_insert BEFORE INSERT ON sessions BEGIN
  SELECT RAISE(ABORT, 'session-tree: a session''s key must be the next one; leave it out')
  WHERE NEW.key <> -1 AND (
    NEW.key <> 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'sessions'), 0)
    OR EXISTS (SELECT 1 FROM sessions WHERE key = NEW.key));
  SELECT RAISE(ABORT, 'session-tree: the session''s id or source is taken')
  WHERE EXISTS (SELECT 1 FROM sessions WHERE id = NEW.id)
     OR EXISTS (SELECT 1 FROM sessions WHERE source_format = NEW.source_format AND source_id = NEW.source_id);
  SELECT RAISE(ABORT, 'session-tree: a new session has no branch yet, so none can be active')
  WHERE NEW.active_branch_key IS NOT NULL;
  SELECT RAISE(ABORT, 'session-tree: a new session has no deleted nodes: high_seq is -1')
  WHERE NEW.high_seq <> -1;
END;

CREATE TRIGGER sessions_guard_update BEFORE UPDATE ON sessions BEGIN
  SELECT CASE
    WHEN NEW.key IS NOT OLD.key OR NEW.id IS NOT OLD.id OR NEW.created_at_ms IS NOT OLD.created_at_ms
      THEN RAISE(ABORT, 'session-tree: a session keeps its key, id and time of creation')
    WHEN (NEW.source_format IS NOT OLD.source_format OR NEW.source_id IS NOT OLD.source_id)
      AND EXISTS (
        SELECT 1 FROM sessions
        WHERE source_format = NEW.source_format AND source_id = NEW.source_id AND key <> OLD.key)
      THEN RAISE(ABORT, 'session-tree: another session was imported from that source')
    WHEN NEW.active_branch_key IS NOT OLD.active_branch_key AND OLD.state <> 'deleting'
      AND NOT EXISTS (SELECT 1 FROM branches WHERE key = NEW.active_branch_key AND session_key = NEW.key)
      THEN RAISE(ABORT, 'session-tree: the active branch must be a branch of the session')
    WHEN NEW.state IS NOT OLD.state AND (OLD.state = 'deleting' OR NEW.state = 'importing')
      THEN RAISE(ABORT, 'session-tree: a session that is being deleted stays so, and none goes back to importing')
    WHEN NEW.state = 'live' AND OLD.state = 'importing' AND NEW.active_branch_key IS NULL
      THEN RAISE(ABORT, 'session-tree: a session without an active branch cannot be shown')
    WHEN NEW.id_style IS NOT OLD.id_style
      AND EXISTS (SELECT 1 FROM nodes WHERE key BETWEEN OLD.key << 32 AND (OLD.key << 32) + 4294967295)
      THEN RAISE(ABORT, 'session-tree: the style of ids changes only while the session has no nodes')
    WHEN NEW.high_seq IS NOT OLD.high_seq AND (
      NEW.high_seq NOT BETWEEN OLD.high_seq AND 4294967295
      OR NOT EXISTS (SELECT 1 FROM nodes WHERE key = (OLD.key << 32) + NEW.high_seq))
      THEN RAISE(ABORT, 'session-tree: high_seq only grows, to the seq of a node that is there')
    WHEN (length(NEW.next_id), NEW.next_id) < (length(OLD.next_id), OLD.next_id)
      THEN RAISE(ABORT, 'session-tree: next_id only grows')
  END;
END;

CREATE TRIGGER sessions_active_branch AFTER UPDATE OF active_branch_key ON sessions
WHEN NEW.active_branch_key IS NOT OLD.active_branch_key
BEGIN
  UPDATE branches SET resting = 1 WHERE key = OLD.active_branch_key;
  UPDATE branches SET resting = 0 WHERE key = NEW.active_branch_key;
END;

-- Marking a session for deletion notes its highest seq, once, so that its nodes can go in any order.
CREATE TRIGGER sessions_mark_deleting AFTER UPDATE OF state ON sessions
WHEN NEW.state = 'deleting' AND OLD.state <> 'deleting'
BEGIN
  UPDATE sessions
  SET high_seq = max(high_seq, coalesce((
    SELECT max(key) & 4294967295 FROM nodes WHERE key BETWEEN NEW.key << 32 AND (NEW.key << 32) + 4294967295), -1))
  WHERE key = NEW.key;
END;

CREATE TRIGGER sessions_guard_delete BEFORE DELETE ON sessions BEGIN
  SELECT RAISE(ABORT, 'session-tree: mark the session as deleting and delete what belongs to it first')
  WHERE OLD.state <> 'deleting'
     OR EXISTS (SELECT 1 FROM nodes WHERE key BETWEEN OLD.key << 32 AND (OLD.key << 32) + 4294967295)
     OR EXISTS (SELECT 1 FROM branches WHERE session_key = OLD.key)
     OR EXISTS (SELECT 1 FROM summaries WHERE session_key = OLD.key)
     OR EXISTS (SELECT 1 FROM labels WHERE session_key = OLD.key)
     OR EXISTS (SELECT 1 FROM loose_records WHERE session_key = OLD.key)
     OR EXISTS (SELECT 1 FROM guards WHERE session_key = OLD.key);
END;

CREATE TRIGGER summaries_guard_insert BEFORE INSERT ON summaries BEGIN
  SELECT RAISE(ABORT, 'session-tree: a summary''s key must be the next one; leave it out')
  WHERE NEW.key <> -1 AND (
    NEW.key <> 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'summaries'), 0)
    OR EXISTS (SELECT 1 FROM summaries WHERE key = NEW.key));
  SELECT RAISE(ABORT, 'session-tree: a summary needs a branch of its session')
  WHERE NOT EXISTS (SELECT 1 FROM branches WHERE key = NEW.branch_key AND session_key = NEW.session_key);
END;
CREATE TRIGGER summaries_guard_update BEFORE UPDATE ON summaries BEGIN
  SELECT RAISE(ABORT, 'session-tree: summaries are immutable; a newer one takes its place');
END;
CREATE TRIGGER summaries_guard_delete BEFORE DELETE ON summaries
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND state = 'deleting')
BEGIN
  SELECT RAISE(ABORT, 'session-tree: summaries go only with their session');
END;

CREATE TRIGGER operations_guard_insert BEFORE INSERT ON operations BEGIN
  SELECT RAISE(ABORT, 'session-tree: an operation''s key must be the next one; leave it out')
  WHERE NEW.key <> -1 AND (
    NEW.key <> 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'operations'), 0)
    OR EXISTS (SELECT 1 FROM operations WHERE key = NEW.key));
  SELECT RAISE(ABORT, 'session-tree: an operation needs a session that exists or was deleted')
  WHERE NEW.session_key NOT BETWEEN 1 AND coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'sessions'), 0);
END;
CREATE TRIGGER operations_guard_update BEFORE UPDATE ON operations BEGIN
  SELECT RAISE(ABORT, 'session-tree: operations are immutable');
END;
CREATE TRIGGER operations_guard_delete BEFORE DELETE ON operations
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND state = 'deleting')
BEGIN
  SELECT RAISE(ABORT, 'session-tree: operations go only with their session');
END;

-- Lines that are no nodes are kept as nodes are: written once, and replaced by the fixed tombstone only.
CREATE TRIGGER loose_records_guard_insert BEFORE INSERT ON loose_records BEGIN
  SELECT RAISE(ABORT, 'session-tree: a loose record''s key must be the next one; leave it out')
  WHERE NEW.key <> -1 AND (
    NEW.key <> 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'loose_records'), 0)
    OR EXISTS (SELECT 1 FROM loose_records WHERE key = NEW.key));
  SELECT RAISE(ABORT, 'session-tree: a loose record needs a session that exists, and its node must be one of it')
  WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE key = NEW.session_key AND state <> 'deleting')
     OR (NEW.node_key IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM nodes WHERE key = NEW.node_key AND key >> 32 = NEW.session_key));
END;
CREATE TRIGGER loose_records_guard_update BEFORE UPDATE ON loose_records BEGIN
  SELECT RAISE(ABORT, 'session-tree: loose records are immutable')
  WHERE NOT (
    NEW.key IS OLD.key AND NEW.session_key IS OLD.session_key AND NEW.node_key IS OLD.node_key
    AND NEW.source_line IS OLD.source_line AND NEW.byte_offset IS OLD.byte_offset AND NEW.reason IS OLD.reason
    AND (NEW.raw IS OLD.raw OR NEW.raw = CAST('{"scrubbed":true}' AS BLOB)));
END;
CREATE TRIGGER loose_records_guard_delete BEFORE DELETE ON loose_records
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND state = 'deleting')
BEGIN
  SELECT RAISE(ABORT, 'session-tree: loose records go only with their session');
END;

-- A fence only grows, by one, so a holder that was released cannot be mistaken for the next one.
CREATE TRIGGER guards_guard_insert BEFORE INSERT ON guards BEGIN
  SELECT RAISE(ABORT, 'session-tree: the session has a guard row; update it')
  WHERE EXISTS (SELECT 1 FROM guards WHERE session_key = NEW.session_key);
  SELECT RAISE(ABORT, 'session-tree: a guard needs a session that exists, and its fence starts at 0 or 1')
  WHERE NEW.fence NOT BETWEEN 0 AND 1
     OR NOT EXISTS (SELECT 1 FROM sessions WHERE key = NEW.session_key AND state <> 'deleting');
END;
CREATE TRIGGER guards_guard_update BEFORE UPDATE ON guards BEGIN
  SELECT RAISE(ABORT, 'session-tree: a guard keeps its session, and its fence grows by one each time it is taken')
  WHERE NEW.session_key IS NOT OLD.session_key OR NEW.fence NOT BETWEEN OLD.fence AND OLD.fence + 1
     OR (NEW.kind IS NOT NULL AND OLD.kind IS NULL AND NEW.fence = OLD.fence);
END;
CREATE TRIGGER guards_guard_delete BEFORE DELETE ON guards
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session_key AND state = 'deleting')
BEGIN
  SELECT RAISE(ABORT, 'session-tree: set kind to NULL to free a guard');
END;

CREATE TRIGGER store_guard_insert BEFORE INSERT ON store BEGIN
  SELECT RAISE(ABORT, 'session-tree: the store has an id') WHERE EXISTS (SELECT 1 FROM store);
END;
CREATE TRIGGER store_guard_update BEFORE UPDATE ON store BEGIN
  SELECT RAISE(ABORT, 'session-tree: the store keeps its id');
END;
CREATE TRIGGER store_guard_delete BEFORE DELETE ON store BEGIN
  SELECT RAISE(ABORT, 'session-tree: the store keeps its id');
END;

-- Views for people --------------------------------------------------------------------------------------------------------

CREATE VIEW session_list AS
-- One row a live session. nodes_written counts every node it ever had.
SELECT
  session.id AS session_id,
  session.name,
  session.cwd,
  active.name AS active_branch,
  coalesce(latest.key & 4294967295, session.high_seq) + 1 AS nodes_written,
  coalesce(latest.messages, 0) AS messages,
  (SELECT count(*) FROM branches WHERE session_key = session.key) AS branches,
  strftime('%Y-%m-%dT%H:%M:%fZ', session.created_at_ms / 1000.0, 'unixepoch') AS created_at,
  session.created_at_ms,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(latest.created_at_ms, session.created_at_ms) / 1000.0, 'unixepoch') AS last_node_at,
  session.archived_at_ms,
  session.source_format,
  session.source_path,
  session.origin_session_id
FROM sessions AS session
LEFT JOIN branches AS active ON active.key = session.active_branch_key
LEFT JOIN nodes AS latest ON latest.key = (
  SELECT max(key) FROM nodes WHERE key BETWEEN session.key << 32 AND (session.key << 32) + 4294967295)
WHERE session.state = 'live';

CREATE VIEW branch_list AS
-- One row a branch, with its newest summary.
SELECT
  session.id AS session_id,
  branch.name AS branch,
  branch.key = session.active_branch_key AS is_active,
  coalesce(leaf.id, 'n' || (leaf.key & 4294967295)) AS leaf_id,
  leaf.preview AS leaf_preview,
  summary.summary,
  strftime('%Y-%m-%dT%H:%M:%fZ', branch.created_at_ms / 1000.0, 'unixepoch') AS created_at,
  branch.created_at_ms,
  branch.archived_at_ms
FROM sessions AS session
JOIN branches AS branch ON branch.session_key = session.key
LEFT JOIN nodes AS leaf ON leaf.key = branch.leaf_key
LEFT JOIN summaries AS summary ON summary.key = (SELECT max(key) FROM summaries WHERE branch_key = branch.key)
WHERE session.state = 'live';

CREATE VIEW active_path AS
-- The active branch of each session, from root to leaf: ORDER BY position. Filtered by one session_id it costs that session.
-- The walk goes over runs of keys, from the leaf up, inside a scalar subquery that belongs to one session: SQLite pushes no
-- WHERE into a recursive CTE, but evaluates such a subquery only for the sessions that were asked for. UNION ends a cycle.
SELECT
  session.id AS session_id,
  json_extract(run.value, '$[2]') + node.key - json_extract(run.value, '$[0]') AS position, -- 1 = root
  coalesce(node.id, 'n' || (node.key & 4294967295)) AS node_id,
  coalesce(
    (SELECT coalesce(parent.id, 'n' || (parent.key & 4294967295)) FROM nodes AS parent WHERE parent.key = node.parent_key),
    node.missing_parent) AS parent_id,
  node.kind,
  node.role,
  (SELECT label FROM labels
   WHERE session_key = session.key AND node_id = coalesce(node.id, 'n' || (node.key & 4294967295))) AS label,
  node.preview,
  strftime('%Y-%m-%dT%H:%M:%fZ', node.created_at_ms / 1000.0, 'unixepoch') AS created_at,
  node.created_at_ms,
  node.payload
FROM sessions AS session
CROSS JOIN json_each((
  WITH RECURSIVE
    walk (first_key, last_key) AS (
      SELECT leaf.run_start, leaf.key
      FROM branches AS active JOIN nodes AS leaf ON leaf.key = active.leaf_key
      WHERE active.key = session.active_branch_key AND leaf.key >> 32 = session.key
      UNION
      SELECT above.run_start, above.key
      FROM walk
      JOIN nodes AS head ON head.key = walk.first_key
      JOIN nodes AS above ON above.key = head.parent_key),
    numbered (first_key, last_key, run_number) AS (
      SELECT first_key, last_key, row_number() OVER () FROM walk),
    placed (first_key, last_key, run_number, position) AS (
      SELECT first_key, last_key, run_number,
        sum(last_key - first_key + 1) OVER (ORDER BY run_number DESC) - (last_key - first_key)
      FROM numbered)
  SELECT json_group_array(json_array(first_key, last_key, position))
  FROM (SELECT first_key, last_key, position FROM placed ORDER BY run_number DESC))) AS run
CROSS JOIN nodes AS node
  ON node.key BETWEEN json_extract(run.value, '$[0]') AND json_extract(run.value, '$[1]')
WHERE session.state = 'live';

CREATE VIEW tree_outline AS
-- Every node of every session in the order of writing: ORDER BY node_key. ends_branches names the branches whose leaf it is.
SELECT
  session.id AS session_id,
  node.key AS node_key,
  coalesce(node.id, 'n' || (node.key & 4294967295)) AS node_id,
  coalesce(
    (SELECT coalesce(parent.id, 'n' || (parent.key & 4294967295)) FROM nodes AS parent WHERE parent.key = node.parent_key),
    node.missing_parent) AS parent_id,
  node.kind,
  node.role,
  (SELECT label FROM labels
   WHERE session_key = session.key AND node_id = coalesce(node.id, 'n' || (node.key & 4294967295))) AS label,
  node.preview,
  (SELECT group_concat(name, ', ') FROM (
    SELECT name FROM branches WHERE leaf_key = node.key AND resting = 1
    UNION ALL
    SELECT name FROM branches WHERE key = session.active_branch_key AND leaf_key = node.key)) AS ends_branches,
  strftime('%Y-%m-%dT%H:%M:%fZ', node.created_at_ms / 1000.0, 'unixepoch') AS created_at,
  node.created_at_ms
FROM sessions AS session
CROSS JOIN nodes AS node ON node.key BETWEEN session.key << 32 AND (session.key << 32) + 4294967295
WHERE session.state = 'live';

CREATE VIEW label_list AS
-- One row a label that is set. preview is NULL where the label names a node that is not there.
SELECT
  session.id AS session_id,
  label.node_id,
  label.label,
  node.kind,
  node.role,
  node.preview,
  strftime('%Y-%m-%dT%H:%M:%fZ', label.set_at_ms / 1000.0, 'unixepoch') AS set_at,
  label.set_at_ms
FROM sessions AS session
JOIN labels AS label ON label.session_key = session.key
LEFT JOIN nodes AS node ON node.key = coalesce(
  (SELECT key FROM nodes WHERE key >> 32 = +session.key AND id = label.node_id), -- + : else no index on key >> 32 is used
  (SELECT key FROM nodes
   WHERE key = (session.key << 32) + CAST(substr(label.node_id, 2) AS INTEGER) AND id IS NULL
     AND 'n' || (key & 4294967295) = label.node_id))
WHERE session.state = 'live' AND label.label IS NOT NULL;

CREATE VIEW operation_list AS
-- What was done, in order: ORDER BY operation_key.
SELECT
  operation.key AS operation_key,
  session.id AS session_id,
  operation.verb,
  operation.actor,
  branch.name AS branch,
  (SELECT coalesce(id, 'n' || (key & 4294967295)) FROM nodes WHERE key = operation.from_key) AS from_id,
  (SELECT coalesce(id, 'n' || (key & 4294967295)) FROM nodes WHERE key = operation.to_key) AS to_id,
  operation.detail,
  strftime('%Y-%m-%dT%H:%M:%fZ', operation.at_ms / 1000.0, 'unixepoch') AS at,
  operation.at_ms
FROM operations AS operation
LEFT JOIN sessions AS session ON session.key = operation.session_key
LEFT JOIN branches AS branch ON branch.key = operation.branch_key;
