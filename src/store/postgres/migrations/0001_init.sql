-- {schema} stands for the quoted name of the schema. Times are milliseconds since 1970. JSON is stored as text, because it must be
-- returned unchanged.

-- The small, frequently written part of a task. Large parts have their own tables or are stored outside of the row. Each page
-- keeps free space, so that a changed row stays in its page.
CREATE TABLE {schema}.task (
  id              text COLLATE "C" PRIMARY KEY,
  seq             bigint GENERATED ALWAYS AS IDENTITY, -- the order in which they were made
  tenant          text COLLATE "C" NOT NULL,
  owner           text COLLATE "C" NOT NULL,
  context_id      text COLLATE "C" NOT NULL,
  agent           text COLLATE "C" NOT NULL,
  alias           text COLLATE "C",
  state           smallint NOT NULL, -- its number in the protocol definition
  status_time     bigint NOT NULL,
  visible         boolean NOT NULL,
  canceling       boolean NOT NULL,
  pushed          boolean NOT NULL, -- whether it has push configurations
  has_events      boolean NOT NULL DEFAULT true, -- until retention has taken them
  last_event      integer NOT NULL,
  last_journal    integer NOT NULL,
  last_message    integer NOT NULL,
  fence           integer NOT NULL,
  attempts        integer NOT NULL,
  node            text COLLATE "C",
  wake_at         bigint,
  question        text, -- JSON, because names of questions may hold what no text can
  created_at      bigint NOT NULL,
  ended_at        bigint,
  status          text NOT NULL, -- JSON, like the next two columns
  metadata        text,
  origin          text NOT NULL,
  artifacts_up_to integer NOT NULL DEFAULT 0, -- the number of the last event that is in the snapshot
  artifacts       text -- the snapshot of all artifacts
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX task_alias ON {schema}.task (alias, tenant, owner) WHERE alias IS NOT NULL;

-- Lists: each page is one range of one of these indexes, read backwards.
CREATE INDEX task_list ON {schema}.task (tenant, owner, agent, status_time, id) WHERE visible;
CREATE INDEX task_list_context ON {schema}.task (tenant, owner, context_id, status_time, id) WHERE visible;

-- Tasks to run.
CREATE INDEX task_wake ON {schema}.task (agent, wake_at, seq) WHERE wake_at IS NOT NULL;

-- Retention, of tasks and of their events.
CREATE INDEX task_ended ON {schema}.task (ended_at, seq) WHERE ended_at IS NOT NULL;
CREATE INDEX task_replayable ON {schema}.task (ended_at) WHERE ended_at IS NOT NULL AND has_events;

-- Public events. The number is assigned under the lock of the task's row.
CREATE TABLE {schema}.event (
  task_id text COLLATE "C" NOT NULL,
  number  integer NOT NULL,
  kind    smallint NOT NULL, -- 0 task, 1 status, 2 artifact
  body    text NOT NULL,
  PRIMARY KEY (task_id, number)
);

-- The journals of runs, until their task ends.
CREATE TABLE {schema}.journal (
  task_id text COLLATE "C" NOT NULL,
  number  integer NOT NULL,
  kind    text NOT NULL, -- JSON, like the next two columns
  key     text NOT NULL,
  body    text NOT NULL,
  PRIMARY KEY (task_id, number)
);

-- The history of tasks.
CREATE TABLE {schema}.message (
  task_id text COLLATE "C" NOT NULL,
  number  integer NOT NULL,
  body    text NOT NULL,
  PRIMARY KEY (task_id, number)
);

-- Keys of requests that can be repeated. The keys of a removed task stay until they expire.
CREATE TABLE {schema}.request_key (
  key        text COLLATE "C" NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  owner      text COLLATE "C" NOT NULL,
  digest     text NOT NULL,
  task_id    text COLLATE "C" NOT NULL,
  has_task   boolean NOT NULL,
  keep_until bigint NOT NULL,
  reply      text,
  PRIMARY KEY (key, tenant, owner)
);

CREATE INDEX request_key_task ON {schema}.request_key (task_id) WHERE has_task;
CREATE INDEX request_key_left ON {schema}.request_key (keep_until) WHERE NOT has_task;

-- The push configs of a task, in the order of creation. A replacement keeps the number and the time.
CREATE TABLE {schema}.push_config (
  task_id       text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL,
  number        integer NOT NULL,
  dialect       text NOT NULL,
  created_at    bigint NOT NULL,
  config        text NOT NULL, -- JSON
  receiver      text COLLATE "C" NOT NULL, -- the host of the URL
  told          integer NOT NULL, -- the number of the last event that was delivered or given up
  due_at        bigint, -- NULL while no event is due
  attempts      integer NOT NULL DEFAULT 0,
  failing_since bigint,
  given_up      integer NOT NULL DEFAULT 0,
  disabled      text, -- JSON: why delivery is disabled
  node          text COLLATE "C",
  fence         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (task_id, id)
);

-- Deliveries that are due. The outbox consists of this index and the table of events.
CREATE INDEX push_config_due ON {schema}.push_config (due_at) WHERE due_at IS NOT NULL;

-- Dead letters: events that could not be delivered, in the order in which delivery was given up.
CREATE TABLE {schema}.dead_letter (
  id        text COLLATE "C" PRIMARY KEY,
  seq       bigint GENERATED ALWAYS AS IDENTITY,
  task_id   text COLLATE "C" NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  number    integer NOT NULL,
  kind      text NOT NULL,
  attempts  integer NOT NULL,
  time      bigint NOT NULL,
  reason    text NOT NULL, -- JSON
  body      text NOT NULL
);

CREATE INDEX dead_letter_seq ON {schema}.dead_letter (seq);
CREATE INDEX dead_letter_config ON {schema}.dead_letter (task_id, config_id, seq);

-- The rate limits of callers. Not logged by the database: after a crash all buckets are full.
CREATE UNLOGGED TABLE {schema}.token_bucket (
  name    text COLLATE "C" PRIMARY KEY,
  tokens  double precision NOT NULL,
  taken   boolean NOT NULL, -- whether the last one who asked got one
  at      bigint NOT NULL,
  full_at bigint NOT NULL
);

CREATE INDEX token_bucket_full ON {schema}.token_bucket (full_at);

-- The living nodes, by the clock of the database.
CREATE TABLE {schema}.node (
  id          text COLLATE "C" PRIMARY KEY,
  lives_until bigint NOT NULL
);
