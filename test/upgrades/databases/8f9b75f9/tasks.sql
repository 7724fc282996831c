CREATE SCHEMA schema_of_the_dump;

CREATE FUNCTION schema_of_the_dump.assert_current(is_current boolean) RETURNS integer
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF is_current THEN
    RETURN 1;
  END IF;
  RAISE EXCEPTION 'A task has changed since it was read' USING ERRCODE = 'TA001';
END
$$;

CREATE TABLE schema_of_the_dump.claim_position (
    agent text NOT NULL COLLATE pg_catalog."C",
    fairness_key text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE schema_of_the_dump.dead_letter (
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    task_id text NOT NULL COLLATE pg_catalog."C",
    config_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    kind text NOT NULL,
    attempts integer NOT NULL,
    "time" bigint NOT NULL,
    reason text NOT NULL,
    body text NOT NULL
);

ALTER TABLE schema_of_the_dump.dead_letter ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME schema_of_the_dump.dead_letter_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE schema_of_the_dump.event (
    task_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    kind smallint NOT NULL,
    body text NOT NULL
);

CREATE TABLE schema_of_the_dump.journal (
    task_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    body text NOT NULL,
    outline text,
    sensitive boolean DEFAULT true NOT NULL
);

CREATE TABLE schema_of_the_dump.message (
    task_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    body text NOT NULL
);

CREATE TABLE schema_of_the_dump.migration (
    number integer NOT NULL,
    applied_at timestamp with time zone NOT NULL,
    secret text
);

CREATE TABLE schema_of_the_dump.node (
    id text NOT NULL COLLATE pg_catalog."C",
    lives_until bigint NOT NULL
);

CREATE TABLE schema_of_the_dump.push_config (
    task_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    dialect text NOT NULL,
    created_at bigint NOT NULL,
    config text NOT NULL,
    receiver text NOT NULL COLLATE pg_catalog."C",
    told integer NOT NULL,
    due_at bigint,
    attempts integer DEFAULT 0 NOT NULL,
    failing_since bigint,
    given_up integer DEFAULT 0 NOT NULL,
    disabled text,
    node text COLLATE pg_catalog."C",
    fence integer DEFAULT 0 NOT NULL
);

CREATE TABLE schema_of_the_dump.request_key (
    key text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL,
    task_id text NOT NULL COLLATE pg_catalog."C",
    has_task boolean NOT NULL,
    keep_until bigint NOT NULL,
    reply text
);

CREATE TABLE schema_of_the_dump.task (
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    context_id text NOT NULL COLLATE pg_catalog."C",
    agent text NOT NULL COLLATE pg_catalog."C",
    alias text COLLATE pg_catalog."C",
    state smallint NOT NULL,
    status_time bigint NOT NULL,
    visible boolean NOT NULL,
    canceling boolean NOT NULL,
    pushed boolean NOT NULL,
    has_events boolean DEFAULT true NOT NULL,
    last_event integer NOT NULL,
    last_journal integer NOT NULL,
    last_message integer NOT NULL,
    fence integer NOT NULL,
    attempts integer NOT NULL,
    node text COLLATE pg_catalog."C",
    wake_at bigint,
    question text,
    created_at bigint NOT NULL,
    ended_at bigint,
    status text NOT NULL,
    metadata text,
    origin text NOT NULL,
    artifacts_up_to integer DEFAULT 0 NOT NULL,
    artifacts text,
    fairness_key text COLLATE pg_catalog."C",
    queued boolean DEFAULT false NOT NULL,
    history_bytes bigint,
    suspect_ms integer,
    claimed_journal integer,
    crashes integer
)
WITH (fillfactor='70');

ALTER TABLE schema_of_the_dump.task ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME schema_of_the_dump.task_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE UNLOGGED TABLE schema_of_the_dump.token_bucket (
    name text NOT NULL COLLATE pg_catalog."C",
    tokens double precision NOT NULL,
    taken boolean NOT NULL,
    at bigint NOT NULL,
    full_at bigint NOT NULL
);

INSERT INTO schema_of_the_dump.event VALUES
	('01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', 1, 0, '{"task":{"id":"01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e","contextId":"01a1f28d-9c30-745e-b523-2d603ced2a5d","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.264Z"},"history":[{"messageId":"first \"sleeping\"","contextId":"01a1f28d-9c30-745e-b523-2d603ced2a5d","taskId":"01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e","role":"ROLE_USER","parts":[{"text":"sleeping"}]}]}}'),
	('01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e","contextId":"01a1f28d-9c30-745e-b523-2d603ced2a5d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.302Z"}}}'),
	('01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e","contextId":"01a1f28d-9c30-745e-b523-2d603ced2a5d","artifact":{"artifactId":"response","name":"response","parts":[{"text":"before old, "}]}}}'),
	('01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', 1, 0, '{"task":{"id":"01a1f28d-9c98-7f1e-820b-0a2aab6ee33d","contextId":"01a1f28d-9c99-78a7-9c66-6ca2befe26a1","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.368Z"},"history":[{"messageId":"first \"canceled\"","contextId":"01a1f28d-9c99-78a7-9c66-6ca2befe26a1","taskId":"01a1f28d-9c98-7f1e-820b-0a2aab6ee33d","role":"ROLE_USER","parts":[{"text":"canceled"}]}]}}'),
	('01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9c98-7f1e-820b-0a2aab6ee33d","contextId":"01a1f28d-9c99-78a7-9c66-6ca2befe26a1","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.375Z"}}}'),
	('01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9c98-7f1e-820b-0a2aab6ee33d","contextId":"01a1f28d-9c99-78a7-9c66-6ca2befe26a1","artifact":{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}}}'),
	('01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-9c98-7f1e-820b-0a2aab6ee33d","contextId":"01a1f28d-9c99-78a7-9c66-6ca2befe26a1","status":{"state":"TASK_STATE_CANCELED","timestamp":"2026-11-19T06:45:29.429Z"}}}'),
	('01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', 1, 0, '{"task":{"id":"01a1f28d-9cfb-7a2c-8fa6-28a2565ad354","contextId":"01a1f28d-9cfb-7f51-a5cd-894b5c2f896d","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.467Z"},"history":[{"messageId":"first \"text\"","contextId":"01a1f28d-9cfb-7f51-a5cd-894b5c2f896d","taskId":"01a1f28d-9cfb-7a2c-8fa6-28a2565ad354","role":"ROLE_USER","parts":[{"text":"text"}]}]}}'),
	('01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9cfb-7a2c-8fa6-28a2565ad354","contextId":"01a1f28d-9cfb-7f51-a5cd-894b5c2f896d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.489Z"}}}'),
	('01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9cfb-7a2c-8fa6-28a2565ad354","contextId":"01a1f28d-9cfb-7f51-a5cd-894b5c2f896d","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9d2a-778b-94b3-7624342abae1","taskId":"01a1f28d-9cfb-7a2c-8fa6-28a2565ad354","contextId":"01a1f28d-9cfb-7f51-a5cd-894b5c2f896d","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:29.514Z"}}}'),
	('01a1f28d-9d49-7849-9546-b3e19023c775', 1, 0, '{"task":{"id":"01a1f28d-9d49-7849-9546-b3e19023c775","contextId":"01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.545Z"},"history":[{"messageId":"first \"confirm\"","contextId":"01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f","taskId":"01a1f28d-9d49-7849-9546-b3e19023c775","role":"ROLE_USER","parts":[{"text":"confirm"}]}]}}'),
	('01a1f28d-9d49-7849-9546-b3e19023c775', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9d49-7849-9546-b3e19023c775","contextId":"01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.562Z"}}}'),
	('01a1f28d-9d49-7849-9546-b3e19023c775', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9d49-7849-9546-b3e19023c775","contextId":"01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9d6e-7f3a-9d80-2ef08f1c577e","taskId":"01a1f28d-9d49-7849-9546-b3e19023c775","contextId":"01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:29.582Z"}}}'),
	('01a1f28d-9d89-7f73-93c9-40b29c9e0b91', 1, 0, '{"task":{"id":"01a1f28d-9d89-7f73-93c9-40b29c9e0b91","contextId":"01a1f28d-9d89-73cb-a428-c0cc81ac237d","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.609Z"},"history":[{"messageId":"first \"choose\"","contextId":"01a1f28d-9d89-73cb-a428-c0cc81ac237d","taskId":"01a1f28d-9d89-7f73-93c9-40b29c9e0b91","role":"ROLE_USER","parts":[{"text":"choose"}]}]}}'),
	('01a1f28d-9d89-7f73-93c9-40b29c9e0b91', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9d89-7f73-93c9-40b29c9e0b91","contextId":"01a1f28d-9d89-73cb-a428-c0cc81ac237d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.624Z"}}}'),
	('01a1f28d-9d89-7f73-93c9-40b29c9e0b91', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9d89-7f73-93c9-40b29c9e0b91","contextId":"01a1f28d-9d89-73cb-a428-c0cc81ac237d","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9daf-7b61-abba-14cc2a090f9f","taskId":"01a1f28d-9d89-7f73-93c9-40b29c9e0b91","contextId":"01a1f28d-9d89-73cb-a428-c0cc81ac237d","role":"ROLE_AGENT","parts":[{"text":"Which size?\n1. S\n2. Medium"},{"data":{"question":{"kind":"choose","text":"Which size?","options":[{"id":"S","label":"S"},{"id":"M","label":"Medium"}],"schema":{"type":"string","enum":["S","M"]}}}}]},"timestamp":"2026-11-19T06:45:29.647Z"}}}'),
	('01a1f28d-9dc5-783d-8652-35cc56ac3f4a', 1, 0, '{"task":{"id":"01a1f28d-9dc5-783d-8652-35cc56ac3f4a","contextId":"01a1f28d-9dc5-7550-81f4-793c046a41e5","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.669Z"},"history":[{"messageId":"first \"form\"","contextId":"01a1f28d-9dc5-7550-81f4-793c046a41e5","taskId":"01a1f28d-9dc5-783d-8652-35cc56ac3f4a","role":"ROLE_USER","parts":[{"text":"form"}]}]}}'),
	('01a1f28d-9dc5-783d-8652-35cc56ac3f4a', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9dc5-783d-8652-35cc56ac3f4a","contextId":"01a1f28d-9dc5-7550-81f4-793c046a41e5","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.681Z"}}}'),
	('01a1f28d-9dc5-783d-8652-35cc56ac3f4a', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9dc5-783d-8652-35cc56ac3f4a","contextId":"01a1f28d-9dc5-7550-81f4-793c046a41e5","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9de1-7732-9ea5-b13ec12f0e75","taskId":"01a1f28d-9dc5-783d-8652-35cc56ac3f4a","contextId":"01a1f28d-9dc5-7550-81f4-793c046a41e5","role":"ROLE_AGENT","parts":[{"text":"Where to?\n- city\n- floor"},{"data":{"question":{"kind":"form","text":"Where to?","schema":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer"}},"required":["city","floor"]}}}}]},"timestamp":"2026-11-19T06:45:29.697Z"}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.299Z"}}}'),
	('01a1f28d-9e01-72ff-b621-ba9da78a401f', 1, 0, '{"task":{"id":"01a1f28d-9e01-72ff-b621-ba9da78a401f","contextId":"01a1f28d-9e01-7fa7-9e7c-377fe7cd4214","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.729Z"},"history":[{"messageId":"first \"schema\"","contextId":"01a1f28d-9e01-7fa7-9e7c-377fe7cd4214","taskId":"01a1f28d-9e01-72ff-b621-ba9da78a401f","role":"ROLE_USER","parts":[{"text":"schema"}]}]}}'),
	('01a1f28d-9e01-72ff-b621-ba9da78a401f', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9e01-72ff-b621-ba9da78a401f","contextId":"01a1f28d-9e01-7fa7-9e7c-377fe7cd4214","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.744Z"}}}'),
	('01a1f28d-9eb3-7480-ba80-dd36c9c690cc', 1, 0, '{"task":{"id":"01a1f28d-9eb3-7480-ba80-dd36c9c690cc","contextId":"01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.907Z"},"history":[{"messageId":"first \"authorize\"","contextId":"01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0","taskId":"01a1f28d-9eb3-7480-ba80-dd36c9c690cc","role":"ROLE_USER","parts":[{"text":"authorize"}]}]}}'),
	('01a1f28d-9eb3-7480-ba80-dd36c9c690cc', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9eb3-7480-ba80-dd36c9c690cc","contextId":"01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.917Z"}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 1, 0, '{"task":{"id":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.123Z"},"history":[{"messageId":"first \"completed\"","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","role":"ROLE_USER","parts":[{"text":"completed"}]}]}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 10, 1, '{"statusUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.204Z"}}}'),
	('01a1f28d-a122-7d50-8ab8-7688322a9906', 1, 0, '{"task":{"id":"01a1f28d-a122-7d50-8ab8-7688322a9906","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.530Z"},"history":[{"messageId":"first \"failed\"","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","taskId":"01a1f28d-a122-7d50-8ab8-7688322a9906","role":"ROLE_USER","parts":[{"text":"failed"}]}]}}'),
	('01a1f28d-a122-7d50-8ab8-7688322a9906', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a122-7d50-8ab8-7688322a9906","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.541Z"}}}'),
	('01a1f28d-a122-7d50-8ab8-7688322a9906', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a122-7d50-8ab8-7688322a9906","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","artifact":{"artifactId":"response","name":"response","parts":[{"text":"begun"}]},"lastChunk":true}}'),
	('01a1f28d-a122-7d50-8ab8-7688322a9906', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-a122-7d50-8ab8-7688322a9906","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"01a1f28d-a12d-7bbf-89a7-2e8a9f1e165f","taskId":"01a1f28d-a122-7d50-8ab8-7688322a9906","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","role":"ROLE_AGENT","parts":[{"text":"Out of stock"}]},"timestamp":"2026-11-19T06:45:30.541Z"}}}'),
	('01a1f28d-a149-766f-806c-1af34f82d411', 1, 0, '{"task":{"id":"01a1f28d-a149-766f-806c-1af34f82d411","contextId":"01a1f28d-a149-746c-be36-86ae97d16434","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.569Z"},"history":[{"messageId":"first \"rejected\"","contextId":"01a1f28d-a149-746c-be36-86ae97d16434","taskId":"01a1f28d-a149-766f-806c-1af34f82d411","role":"ROLE_USER","parts":[{"text":"rejected"}]}]}}'),
	('01a1f28d-a149-766f-806c-1af34f82d411', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a149-766f-806c-1af34f82d411","contextId":"01a1f28d-a149-746c-be36-86ae97d16434","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.580Z"}}}'),
	('01a1f28d-a149-766f-806c-1af34f82d411', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-a149-766f-806c-1af34f82d411","contextId":"01a1f28d-a149-746c-be36-86ae97d16434","status":{"state":"TASK_STATE_REJECTED","message":{"messageId":"01a1f28d-a155-7052-91ad-f69c2f040313","taskId":"01a1f28d-a149-766f-806c-1af34f82d411","contextId":"01a1f28d-a149-746c-be36-86ae97d16434","role":"ROLE_AGENT","parts":[{"text":"Not sold here"}]},"timestamp":"2026-11-19T06:45:30.581Z"}}}'),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.636Z"}}}'),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a191-757a-bfcc-053a78786c0c","taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","role":"ROLE_AGENT","parts":[{"text":"Writing"}]},"timestamp":"2026-11-19T06:45:30.641Z"}}}'),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","artifact":{"artifactId":"report","name":"report","parts":[{"text":"one "}]}}}'),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","artifact":{"artifactId":"report","name":"report","parts":[{"text":"two "}]},"append":true}}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 1, 0, '{"task":{"id":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.807Z"},"history":[{"messageId":"first \"answered\"","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","role":"ROLE_USER","parts":[{"text":"answered"}]}]}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 7, 1, '{"statusUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:31.012Z"}}}'),
	('01a1f28d-a395-7d20-ac82-f0fe1d6ca187', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a395-7d20-ac82-f0fe1d6ca187","contextId":"01a1f28d-a395-7729-918c-a3339cd39cf3","artifact":{"artifactId":"cleanup","name":"cleanup","parts":[{"text":"begun"}]}}}'),
	('01a1f28d-a3d1-7ca8-839b-81283d24f2b6', 1, 0, '{"task":{"id":"01a1f28d-a3d1-7ca8-839b-81283d24f2b6","contextId":"01a1f28d-a3d1-794b-85a9-a751830d2b34","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:31.217Z"},"history":[{"messageId":"first \"queued\"","contextId":"01a1f28d-a3d1-794b-85a9-a751830d2b34","taskId":"01a1f28d-a3d1-7ca8-839b-81283d24f2b6","role":"ROLE_USER","parts":[{"text":"queued"}]}]}}'),
	('01a1f28d-9e01-72ff-b621-ba9da78a401f', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9e01-72ff-b621-ba9da78a401f","contextId":"01a1f28d-9e01-7fa7-9e7c-377fe7cd4214","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9e29-77dd-a9c7-9646ccf28b52","taskId":"01a1f28d-9e01-72ff-b621-ba9da78a401f","contextId":"01a1f28d-9e01-7fa7-9e7c-377fe7cd4214","role":"ROLE_AGENT","parts":[{"text":"How many?"},{"data":{"question":{"schema":{"type":"integer"}}}}]},"timestamp":"2026-11-19T06:45:29.769Z"}}}'),
	('01a1f28d-9e59-7e1e-acae-937c1dc245ad', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9e59-7e1e-acae-937c1dc245ad","contextId":"01a1f28d-9e59-7733-94b0-62b4902b2e85","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.829Z"}}}'),
	('01a1f28d-9e59-7e1e-acae-937c1dc245ad', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9e59-7e1e-acae-937c1dc245ad","contextId":"01a1f28d-9e59-7733-94b0-62b4902b2e85","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9e6e-7bfe-aefa-803e84a61fce","taskId":"01a1f28d-9e59-7e1e-acae-937c1dc245ad","contextId":"01a1f28d-9e59-7733-94b0-62b4902b2e85","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:29.838Z"}}}'),
	('01a1f28d-9f51-7847-97fe-6488adc8296b', 1, 0, '{"task":{"id":"01a1f28d-9f51-7847-97fe-6488adc8296b","contextId":"01a1f28d-9f51-74fc-8731-c20a5d7d4a57","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.065Z"},"history":[{"messageId":"first \"confirm\"","contextId":"01a1f28d-9f51-74fc-8731-c20a5d7d4a57","taskId":"01a1f28d-9f51-7847-97fe-6488adc8296b","role":"ROLE_USER","parts":[{"text":"confirm"}]}]}}'),
	('01a1f28d-9f51-7847-97fe-6488adc8296b', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9f51-7847-97fe-6488adc8296b","contextId":"01a1f28d-9f51-74fc-8731-c20a5d7d4a57","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.073Z"}}}'),
	('01a1f28d-9f51-7847-97fe-6488adc8296b', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9f51-7847-97fe-6488adc8296b","contextId":"01a1f28d-9f51-74fc-8731-c20a5d7d4a57","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9f75-755e-abb1-1f56e021c76c","taskId":"01a1f28d-9f51-7847-97fe-6488adc8296b","contextId":"01a1f28d-9f51-74fc-8731-c20a5d7d4a57","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:30.101Z"}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 11, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","artifact":{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]},"lastChunk":true}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 12, 1, '{"statusUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:30.263Z"}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 1, 0, '{"task":{"id":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.293Z"},"history":[{"messageId":"first \"completed\"","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","taskId":"01a1f28d-a035-7086-af07-3983b471d223","role":"ROLE_USER","parts":[{"text":"completed"}]}]}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 11, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","artifact":{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]},"lastChunk":true}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 12, 1, '{"statusUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:30.439Z"}}}'),
	('01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', 1, 0, '{"task":{"id":"01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8","contextId":"01a1f28d-a0e4-7044-934c-0c2a22fb883b","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.468Z"},"history":[{"messageId":"01a1f28d-a0d8-7420-a16c-0fd730f13d17","contextId":"01a1f28d-a0e4-7044-934c-0c2a22fb883b","taskId":"01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8","role":"ROLE_USER","parts":[{"text":"confirm"}]}]}}'),
	('01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8","contextId":"01a1f28d-a0e4-7044-934c-0c2a22fb883b","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.477Z"}}}'),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 6, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","artifact":{"artifactId":"report","name":"report","parts":[{"text":"three old "}]},"append":true}}'),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 1, 0, '{"task":{"id":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.682Z"},"history":[{"messageId":"first \"corrected\"","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","taskId":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","role":"ROLE_USER","parts":[{"text":"corrected"}]}]}}'),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.690Z"}}}'),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","artifact":{"artifactId":"report","name":"report","parts":[{"text":"one "}]}}}'),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","artifact":{"artifactId":"report","name":"report","parts":[{"text":"draft "}]},"append":true}}'),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","artifact":{"artifactId":"report","name":"report","parts":[{"text":"one two "}]}}}'),
	('01a1f28d-a1e3-7d99-b933-ad75d462ddfd', 1, 0, '{"task":{"id":"01a1f28d-a1e3-7d99-b933-ad75d462ddfd","contextId":"01a1f28d-a1e3-7c66-884c-dd60c89b5856","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.723Z"},"history":[{"messageId":"first \"retried\"","contextId":"01a1f28d-a1e3-7c66-884c-dd60c89b5856","taskId":"01a1f28d-a1e3-7d99-b933-ad75d462ddfd","role":"ROLE_USER","parts":[{"text":"retried"}]}]}}'),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 1, 0, '{"task":{"id":"01a1f28d-a205-70af-a99e-793c4e3930bb","contextId":"01a1f28d-a205-792a-b7df-8a44a35d0ff5","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.757Z"},"history":[{"messageId":"first \"inbox\"","contextId":"01a1f28d-a205-792a-b7df-8a44a35d0ff5","taskId":"01a1f28d-a205-70af-a99e-793c4e3930bb","role":"ROLE_USER","parts":[{"text":"inbox"}]}]}}'),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a205-70af-a99e-793c4e3930bb","contextId":"01a1f28d-a205-792a-b7df-8a44a35d0ff5","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.760Z"}}}'),
	('01a1f28d-9e59-7e1e-acae-937c1dc245ad', 1, 0, '{"task":{"id":"01a1f28d-9e59-7e1e-acae-937c1dc245ad","contextId":"01a1f28d-9e59-7733-94b0-62b4902b2e85","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.817Z"},"history":[{"messageId":"first \"expired\"","contextId":"01a1f28d-9e59-7733-94b0-62b4902b2e85","taskId":"01a1f28d-9e59-7e1e-acae-937c1dc245ad","role":"ROLE_USER","parts":[{"text":"expired"}]}]}}'),
	('01a1f28d-9eb3-7480-ba80-dd36c9c690cc', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9eb3-7480-ba80-dd36c9c690cc","contextId":"01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0","status":{"state":"TASK_STATE_AUTH_REQUIRED","message":{"messageId":"01a1f28d-9ed0-77ba-bac9-9b6e2196422c","taskId":"01a1f28d-9eb3-7480-ba80-dd36c9c690cc","contextId":"01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0","role":"ROLE_AGENT","parts":[{"text":"Sign in\nhttps://example.com/login"}]},"timestamp":"2026-11-19T06:45:29.936Z"}}}'),
	('01a1f28d-9eff-7306-a5ae-0fe4d1205610', 1, 0, '{"task":{"id":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:29.983Z"},"history":[{"messageId":"first \"turns\"","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","taskId":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","role":"ROLE_USER","parts":[{"text":"turns"}]}]}}'),
	('01a1f28d-9eff-7306-a5ae-0fe4d1205610', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.993Z"}}}'),
	('01a1f28d-9eff-7306-a5ae-0fe4d1205610', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","artifact":{"artifactId":"response","name":"response","parts":[{"text":"prepare old, "}]}}}'),
	('01a1f28d-9eff-7306-a5ae-0fe4d1205610', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9f20-7d87-be80-416cbb255494","taskId":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:30.016Z"}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.149Z"}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-9fa6-7139-a564-c280b2b4543e","taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","role":"ROLE_AGENT","parts":[{"text":"Packing"}]},"timestamp":"2026-11-19T06:45:30.150Z"}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","artifact":{"artifactId":"list","name":"list","parts":[{"text":"one "}]}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","artifact":{"artifactId":"list","name":"list","parts":[{"text":"two"}],"description":"What is in the box","metadata":{"box":1}},"append":true,"lastChunk":true}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 6, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","artifact":{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 7, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","artifact":{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 8, 2, '{"artifactUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","artifact":{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]}}}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 9, 1, '{"statusUpdate":{"taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9fbb-7deb-b9d1-d4cd77f22e2b","taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]},"timestamp":"2026-11-19T06:45:30.171Z"}}}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.820Z"}}}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-a24c-7da9-b11f-4c9164109fd1","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]},"timestamp":"2026-11-19T06:45:30.828Z"}}}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.852Z"}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a03b-7090-904d-72647f2589f9","taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","role":"ROLE_AGENT","parts":[{"text":"Packing"}]},"timestamp":"2026-11-19T06:45:30.299Z"}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","artifact":{"artifactId":"list","name":"list","parts":[{"text":"one "}]}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","artifact":{"artifactId":"list","name":"list","parts":[{"text":"two"}],"description":"What is in the box","metadata":{"box":1}},"append":true,"lastChunk":true}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 6, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","artifact":{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 7, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","artifact":{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 8, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","artifact":{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 9, 1, '{"statusUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-a057-703a-b2e4-e0520feffbee","taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]},"timestamp":"2026-11-19T06:45:30.327Z"}}}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 10, 1, '{"statusUpdate":{"taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.379Z"}}}'),
	('01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8","contextId":"01a1f28d-a0e4-7044-934c-0c2a22fb883b","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-a109-75bc-9c65-579eaf65a884","taskId":"01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8","contextId":"01a1f28d-a0e4-7044-934c-0c2a22fb883b","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:30.505Z"}}}'),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 1, 0, '{"task":{"id":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.591Z"},"history":[{"messageId":"first \"notified\"","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","role":"ROLE_USER","parts":[{"text":"notified"}]}]}}'),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.604Z"}}}'),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a16d-7928-b8c8-1ee08b532105","taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","role":"ROLE_AGENT","parts":[{"text":"Packing"}]},"timestamp":"2026-11-19T06:45:30.605Z"}}}'),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","artifact":{"artifactId":"response","name":"response","parts":[{"text":"Packed"}]},"lastChunk":true}}'),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 5, 1, '{"statusUpdate":{"taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:30.605Z"}}}'),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 1, 0, '{"task":{"id":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.627Z"},"history":[{"messageId":"first \"interrupted\"","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","role":"ROLE_USER","parts":[{"text":"interrupted"}]}]}}'),
	('01a1f28d-a1e3-7d99-b933-ad75d462ddfd', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a1e3-7d99-b933-ad75d462ddfd","contextId":"01a1f28d-a1e3-7c66-884c-dd60c89b5856","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.736Z"}}}'),
	('01a1f28d-a1e3-7d99-b933-ad75d462ddfd', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a1e3-7d99-b933-ad75d462ddfd","contextId":"01a1f28d-a1e3-7c66-884c-dd60c89b5856","artifact":{"artifactId":"attempts","name":"attempts","parts":[{"text":"attempt 1"}]}}}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 5, 1, '{"statusUpdate":{"taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a27f-784e-ba95-6b94a9d90d1c","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","role":"ROLE_AGENT","parts":[{"text":"Painting"}]},"timestamp":"2026-11-19T06:45:30.879Z"}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 1, 0, '{"task":{"id":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:30.889Z"},"history":[{"messageId":"first \"recorded\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"recorded"}]}]}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 9, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","artifact":{"artifactId":"response","name":"response","parts":[{"text":"0 messages, slept, now, hello, "}]},"append":true}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 10, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","artifact":{"artifactId":"response","name":"response","parts":[{"text":"one "}]},"append":true}}'),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a205-70af-a99e-793c4e3930bb","contextId":"01a1f28d-a205-792a-b7df-8a44a35d0ff5","artifact":{"artifactId":"response","name":"response","parts":[{"text":"listening, "}]}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.901Z"}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","artifact":{"artifactId":"response","name":"response","parts":[{"text":"first turn, "}]}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-a29f-769c-b5f9-2d1a581aabe1","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"What then?"}]},"timestamp":"2026-11-19T06:45:30.911Z"}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 5, 1, '{"statusUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.937Z"}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 6, 1, '{"statusUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-a2e4-7b88-8cde-2bde3ab7ce2f","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"Now?"}]},"timestamp":"2026-11-19T06:45:30.980Z"}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 8, 1, '{"statusUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a31f-75b2-a362-f427cb88649a","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"Listening"}]},"timestamp":"2026-11-19T06:45:31.039Z"}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 11, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","artifact":{"artifactId":"response","name":"response","parts":[{"text":"two, "}]},"append":true}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 12, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","artifact":{"artifactId":"draft","name":"draft","parts":[{"text":"draft 1"}]}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 13, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","artifact":{"artifactId":"draft","name":"draft","parts":[{"text":"draft 2"}]}}}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 14, 1, '{"statusUpdate":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a385-7a37-b853-a0d5c388da46","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"Finishing"}]},"timestamp":"2026-11-19T06:45:31.141Z"}}}'),
	('01a1f28d-a395-7d20-ac82-f0fe1d6ca187', 1, 0, '{"task":{"id":"01a1f28d-a395-7d20-ac82-f0fe1d6ca187","contextId":"01a1f28d-a395-7729-918c-a3339cd39cf3","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:31.157Z"},"history":[{"messageId":"first \"canceling\"","contextId":"01a1f28d-a395-7729-918c-a3339cd39cf3","taskId":"01a1f28d-a395-7d20-ac82-f0fe1d6ca187","role":"ROLE_USER","parts":[{"text":"canceling"}]}]}}'),
	('01a1f28d-a395-7d20-ac82-f0fe1d6ca187', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-a395-7d20-ac82-f0fe1d6ca187","contextId":"01a1f28d-a395-7729-918c-a3339cd39cf3","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:31.168Z"}}}'),
	('01a1f28d-a395-7d20-ac82-f0fe1d6ca187', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-a395-7d20-ac82-f0fe1d6ca187","contextId":"01a1f28d-a395-7729-918c-a3339cd39cf3","artifact":{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}}}');

INSERT INTO schema_of_the_dump.journal VALUES
	('01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":2}', '{"at":1795070729304,"outcome":"done"}', false),
	('01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', 2, '"sleep"', '"1"', '{"until":1795071029332}', '{"at":1795070729334,"until":1795071029332}', false),
	('01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', 1, '"sleep"', '"1"', 'null', '{"at":1795070729376,"until":1795071029376}', false),
	('01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}', '{"at":1795070729489,"outcome":"done"}', false),
	('01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', 2, '"question"', '"0.1:1u31pepeaby1istmmk4pep"', '{"gives":"text","sensitive":false,"timeoutMs":604800000,"expiresAt":1795675529510}', '{"at":1795070729514,"expiresAt":1795675529510}', false),
	('01a1f28d-9d49-7849-9546-b3e19023c775', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}', '{"at":1795070729562,"outcome":"done"}', false),
	('01a1f28d-9d49-7849-9546-b3e19023c775', 2, '"question"', '"0.1:0m60bjyrgod0ww82hqimep"', '{"gives":"value","schema":{"type":"boolean"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675529577}', '{"at":1795070729583,"expiresAt":1795675529577}', false),
	('01a1f28d-9d89-7f73-93c9-40b29c9e0b91', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}', '{"at":1795070729624,"outcome":"done"}', false),
	('01a1f28d-9d89-7f73-93c9-40b29c9e0b91', 2, '"question"', '"0.1:0tv09suslzu0zuf0o29h6u"', '{"gives":"value","schema":{"type":"string","enum":["S","M"]},"options":[{"id":"S","label":"S"},{"id":"M","label":"Medium"}],"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675529641}', '{"at":1795070729648,"expiresAt":1795675529641}', false),
	('01a1f28d-9dc5-783d-8652-35cc56ac3f4a', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}', '{"at":1795070729681,"outcome":"done"}', false),
	('01a1f28d-9dc5-783d-8652-35cc56ac3f4a', 2, '"question"', '"0.1:0665wxkh7hw1rkdnd5hdq8"', '{"gives":"value","schema":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer"}},"required":["city","floor"]},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675529694}', '{"at":1795070729697,"expiresAt":1795675529694}', false),
	('01a1f28d-9e01-72ff-b621-ba9da78a401f', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}', '{"at":1795070729744,"outcome":"done"}', false),
	('01a1f28d-9e01-72ff-b621-ba9da78a401f', 2, '"question"', '"0.1:0wcczec0lr80irx8a6cwak"', '{"gives":"value","schema":{"type":"integer"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675529762}', '{"at":1795070729780,"expiresAt":1795675529762}', false),
	('01a1f28d-9e59-7e1e-acae-937c1dc245ad', 1, '"question"', '"0.1:1u31pepeaby1istmmk4pep"', '{"gives":"text","sensitive":false,"timeoutMs":300000,"expiresAt":1795071029829}', '{"at":1795070729844,"expiresAt":1795071029829}', false),
	('01a1f28d-9eb3-7480-ba80-dd36c9c690cc', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}', '{"at":1795070729917,"outcome":"done"}', false),
	('01a1f28d-9eb3-7480-ba80-dd36c9c690cc', 2, '"question"', '"0.1:11iso2owomx1hb1thc93ec"', '{"gives":"text","sensitive":true,"credential":"marked","timeoutMs":604800000,"expiresAt":1795675529933}', '{"at":1795070729937,"expiresAt":1795675529933}', false),
	('01a1f28d-9eff-7306-a5ae-0fe4d1205610', 1, '"step"', '"prepare#1"', '{"value":"prepare old","outputs":{},"workedMs":1}', '{"at":1795070729994,"outcome":"done"}', false),
	('01a1f28d-9f51-7847-97fe-6488adc8296b', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}', '{"at":1795070730073,"outcome":"done"}', false),
	('01a1f28d-9f51-7847-97fe-6488adc8296b', 2, '"question"', '"0.1:0m60bjyrgod0ww82hqimep"', '{"gives":"value","schema":{"type":"boolean"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675530096}', '{"at":1795070730101,"expiresAt":1795675530096}', false),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 1, '"question"', '"0.1:1eo1hndx3mq1185wxrzcct"', 'null', '{"at":1795070730177,"expiresAt":1795675530161}', false),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 2, '"answer"', '"0.1:1eo1hndx3mq1185wxrzcct"', 'null', '{"at":1795070730204,"outcome":"answered"}', false),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 3, '"step"', '"pack#1"', 'null', '{"at":1795070730253,"outcome":"done"}', false),
	('01a1f28d-a035-7086-af07-3983b471d223', 1, '"question"', '"0.1:1eo1hndx3mq1185wxrzcct"', 'null', '{"at":1795070730328,"expiresAt":1795675530306}', false),
	('01a1f28d-a035-7086-af07-3983b471d223', 2, '"answer"', '"0.1:1eo1hndx3mq1185wxrzcct"', 'null', '{"at":1795070730380,"outcome":"answered"}', false),
	('01a1f28d-a035-7086-af07-3983b471d223', 3, '"step"', '"pack#1"', 'null', '{"at":1795070730433,"outcome":"done"}', false),
	('01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":1}', '{"at":1795070730477,"outcome":"done"}', false),
	('01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', 2, '"question"', '"0.1:0m60bjyrgod0ww82hqimep"', '{"gives":"value","schema":{"type":"boolean"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675530485}', '{"at":1795070730505,"expiresAt":1795675530485}', false),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 1, '"step"', '"first#1"', '{"value":"first old","outputs":{"own":{"artifacts":[1,2]}},"workedMs":6}', '{"at":1795070730642,"outcome":"done"}', false),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 2, '"step"', '"failing#1"', '{"error":{"name":"Error","message":"failing old failed"},"outputs":{},"workedMs":17}', '{"at":1795070730659,"outcome":"failed"}', false),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 1, '"correction"', '"artifact 3"', '{"drop":[2,2],"update":{"taskId":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","artifact":{"artifactId":"report","name":"report","parts":[{"text":"two "}]},"append":true},"before":2}', '{"at":1795070730705}', false),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":1}', '{"at":1795070730761,"outcome":"done"}', false),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 2, '"message"', '"01a1f28d-a205-70af-a99e-793c4e3930bb \"hello\""', '{"messageId":"01a1f28d-a205-70af-a99e-793c4e3930bb \"hello\"","contextId":"01a1f28d-a205-792a-b7df-8a44a35d0ff5","taskId":"01a1f28d-a205-70af-a99e-793c4e3930bb","role":"ROLE_USER","parts":[{"text":"hello"}]}', '{"at":1795070730785}', false),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 1, '"question"', '"0.1:1eo1hndx3mq1185wxrzcct"', '{"gives":"text","sensitive":false,"timeoutMs":604800000,"expiresAt":1795675530821}', '{"at":1795070730835,"expiresAt":1795675530821}', false),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 2, '"answer"', '"0.1:1eo1hndx3mq1185wxrzcct"', '{"value":"blue","said":{"messageId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e \"blue\"","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","role":"ROLE_USER","parts":[{"text":"blue"}]}}', '{"at":1795070730852,"outcome":"answered"}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 1, '"turn"', '"turn 1"', '{"message":{"messageId":"01a1f28d-a289-79c7-9b18-5e4497186aa9 \"recorded again\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"recorded again"}]},"extensions":[],"after":5}', '{"at":1795070730937}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 2, '"read"', '"1"', '{"upTo":0}', '{"at":1795070730977,"upTo":0}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 3, '"sleep"', '"1"', '{"until":1795070730977}', '{"at":1795070730977,"until":1795070730977}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 4, '"slept"', '"1"', '{}', '{"at":1795070730977}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 5, '"question"', '"1.1:0ov2ynlivtw13i331t2bk9"', '{"gives":"text","sensitive":false,"timeoutMs":604800000,"expiresAt":1795675530976}', '{"at":1795070730984,"expiresAt":1795675530976}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 6, '"sleep"', '"2"', '{"until":1795071030985}', '{"at":1795070730996,"until":1795071030985}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 8, '"message"', '"01a1f28d-a289-79c7-9b18-5e4497186aa9 \"hello\""', '{"messageId":"01a1f28d-a289-79c7-9b18-5e4497186aa9 \"hello\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"hello"}]}', '{"at":1795070731054}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 7, '"answer"', '"1.1:0ov2ynlivtw13i331t2bk9"', '{"value":"now","said":{"messageId":"01a1f28d-a289-79c7-9b18-5e4497186aa9 \"now\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"now"}]}}', '{"at":1795070731012,"outcome":"answered"}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 9, '"read"', '"2"', '{"upTo":8}', '{"at":1795070731085,"upTo":8}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 10, '"step"', '"generate#1"', '{"value":"generate old","outputs":{"own":{"artifacts":[2,3]}},"workedMs":6}', '{"at":1795070731091,"outcome":"done"}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 11, '"step"', '"left#1"', '{"value":"left old","outputs":{},"workedMs":6}', '{"at":1795070731097,"outcome":"done"}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 12, '"step"', '"right#1"', '{"value":"right old","outputs":{}}', '{"at":1795070731104,"outcome":"done"}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 13, '"step"', '"outer#1/inner#1"', '{"value":"inner old","outputs":{},"workedMs":11}', '{"at":1795070731108,"outcome":"done"}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 14, '"step"', '"outer#1"', '{"value":"outer old inner old","outputs":{},"workedMs":6}', '{"at":1795070731114,"outcome":"done"}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 15, '"correction"', '"artifact 5"', '{"drop":[4,4],"update":{"taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","artifact":{"artifactId":"draft","name":"draft","parts":[{"text":"draft 2"}]},"append":true},"before":4}', '{"at":1795070731128}', false),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 16, '"step"', '"draft#1"', '{"value":"draft old","outputs":{"own":{"artifacts":[5,5]}},"workedMs":12}', '{"at":1795070731128,"outcome":"done"}', false);

INSERT INTO schema_of_the_dump.message VALUES
	('01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', 1, '{"messageId":"first \"sleeping\"","contextId":"01a1f28d-9c30-745e-b523-2d603ced2a5d","taskId":"01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e","role":"ROLE_USER","parts":[{"text":"sleeping"}]}'),
	('01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', 1, '{"messageId":"first \"canceled\"","contextId":"01a1f28d-9c99-78a7-9c66-6ca2befe26a1","taskId":"01a1f28d-9c98-7f1e-820b-0a2aab6ee33d","role":"ROLE_USER","parts":[{"text":"canceled"}]}'),
	('01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', 1, '{"messageId":"first \"text\"","contextId":"01a1f28d-9cfb-7f51-a5cd-894b5c2f896d","taskId":"01a1f28d-9cfb-7a2c-8fa6-28a2565ad354","role":"ROLE_USER","parts":[{"text":"text"}]}'),
	('01a1f28d-9d49-7849-9546-b3e19023c775', 1, '{"messageId":"first \"confirm\"","contextId":"01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f","taskId":"01a1f28d-9d49-7849-9546-b3e19023c775","role":"ROLE_USER","parts":[{"text":"confirm"}]}'),
	('01a1f28d-9d89-7f73-93c9-40b29c9e0b91', 1, '{"messageId":"first \"choose\"","contextId":"01a1f28d-9d89-73cb-a428-c0cc81ac237d","taskId":"01a1f28d-9d89-7f73-93c9-40b29c9e0b91","role":"ROLE_USER","parts":[{"text":"choose"}]}'),
	('01a1f28d-9dc5-783d-8652-35cc56ac3f4a', 1, '{"messageId":"first \"form\"","contextId":"01a1f28d-9dc5-7550-81f4-793c046a41e5","taskId":"01a1f28d-9dc5-783d-8652-35cc56ac3f4a","role":"ROLE_USER","parts":[{"text":"form"}]}'),
	('01a1f28d-9e01-72ff-b621-ba9da78a401f', 1, '{"messageId":"first \"schema\"","contextId":"01a1f28d-9e01-7fa7-9e7c-377fe7cd4214","taskId":"01a1f28d-9e01-72ff-b621-ba9da78a401f","role":"ROLE_USER","parts":[{"text":"schema"}]}'),
	('01a1f28d-9e59-7e1e-acae-937c1dc245ad', 1, '{"messageId":"first \"expired\"","contextId":"01a1f28d-9e59-7733-94b0-62b4902b2e85","taskId":"01a1f28d-9e59-7e1e-acae-937c1dc245ad","role":"ROLE_USER","parts":[{"text":"expired"}]}'),
	('01a1f28d-9eb3-7480-ba80-dd36c9c690cc', 1, '{"messageId":"first \"authorize\"","contextId":"01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0","taskId":"01a1f28d-9eb3-7480-ba80-dd36c9c690cc","role":"ROLE_USER","parts":[{"text":"authorize"}]}'),
	('01a1f28d-9eff-7306-a5ae-0fe4d1205610', 1, '{"messageId":"first \"turns\"","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","taskId":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","role":"ROLE_USER","parts":[{"text":"turns"}]}'),
	('01a1f28d-9f51-7847-97fe-6488adc8296b', 1, '{"messageId":"first \"confirm\"","contextId":"01a1f28d-9f51-74fc-8731-c20a5d7d4a57","taskId":"01a1f28d-9f51-7847-97fe-6488adc8296b","role":"ROLE_USER","parts":[{"text":"confirm"}]}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 1, '{"messageId":"first \"completed\"","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","role":"ROLE_USER","parts":[{"text":"completed"}]}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 2, '{"messageId":"01a1f28d-9fa6-7139-a564-c280b2b4543e","taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","role":"ROLE_AGENT","parts":[{"text":"Packing"}]}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 3, '{"messageId":"01a1f28d-9fbb-7deb-b9d1-d4cd77f22e2b","taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]}'),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 4, '{"messageId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541 \"red\"","contextId":"01a1f28d-9f8c-75ae-94ae-f46ce6969b14","taskId":"01a1f28d-9f8b-72ed-bdea-98e0093d7541","role":"ROLE_USER","parts":[{"text":"red"}]}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 1, '{"messageId":"first \"completed\"","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","taskId":"01a1f28d-a035-7086-af07-3983b471d223","role":"ROLE_USER","parts":[{"text":"completed"}]}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 2, '{"messageId":"01a1f28d-a03b-7090-904d-72647f2589f9","taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","role":"ROLE_AGENT","parts":[{"text":"Packing"}]}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 3, '{"messageId":"01a1f28d-a057-703a-b2e4-e0520feffbee","taskId":"01a1f28d-a035-7086-af07-3983b471d223","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]}'),
	('01a1f28d-a035-7086-af07-3983b471d223', 4, '{"messageId":"01a1f28d-a035-7086-af07-3983b471d223 \"red\"","contextId":"01a1f28d-a035-753c-aa61-5b9dc5edb5f8","taskId":"01a1f28d-a035-7086-af07-3983b471d223","role":"ROLE_USER","parts":[{"text":"red"}]}'),
	('01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', 1, '{"messageId":"01a1f28d-a0d8-7420-a16c-0fd730f13d17","contextId":"01a1f28d-a0e4-7044-934c-0c2a22fb883b","taskId":"01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8","role":"ROLE_USER","parts":[{"text":"confirm"}]}'),
	('01a1f28d-a122-7d50-8ab8-7688322a9906', 1, '{"messageId":"first \"failed\"","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","taskId":"01a1f28d-a122-7d50-8ab8-7688322a9906","role":"ROLE_USER","parts":[{"text":"failed"}]}'),
	('01a1f28d-a149-766f-806c-1af34f82d411', 1, '{"messageId":"first \"rejected\"","contextId":"01a1f28d-a149-746c-be36-86ae97d16434","taskId":"01a1f28d-a149-766f-806c-1af34f82d411","role":"ROLE_USER","parts":[{"text":"rejected"}]}'),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 1, '{"messageId":"first \"notified\"","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","role":"ROLE_USER","parts":[{"text":"notified"}]}'),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 2, '{"messageId":"01a1f28d-a16d-7928-b8c8-1ee08b532105","taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80","contextId":"01a1f28d-a15f-79c8-8cd7-0c98a3768cbe","role":"ROLE_AGENT","parts":[{"text":"Packing"}]}'),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 1, '{"messageId":"first \"interrupted\"","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","role":"ROLE_USER","parts":[{"text":"interrupted"}]}'),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 1, '{"messageId":"first \"corrected\"","contextId":"01a1f28d-a1ba-7afc-b677-060b42cf9b92","taskId":"01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0","role":"ROLE_USER","parts":[{"text":"corrected"}]}'),
	('01a1f28d-a1e3-7d99-b933-ad75d462ddfd', 1, '{"messageId":"first \"retried\"","contextId":"01a1f28d-a1e3-7c66-884c-dd60c89b5856","taskId":"01a1f28d-a1e3-7d99-b933-ad75d462ddfd","role":"ROLE_USER","parts":[{"text":"retried"}]}'),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 1, '{"messageId":"first \"inbox\"","contextId":"01a1f28d-a205-792a-b7df-8a44a35d0ff5","taskId":"01a1f28d-a205-70af-a99e-793c4e3930bb","role":"ROLE_USER","parts":[{"text":"inbox"}]}'),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 2, '{"messageId":"01a1f28d-a205-70af-a99e-793c4e3930bb \"hello\"","contextId":"01a1f28d-a205-792a-b7df-8a44a35d0ff5","taskId":"01a1f28d-a205-70af-a99e-793c4e3930bb","role":"ROLE_USER","parts":[{"text":"hello"}]}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 1, '{"messageId":"first \"answered\"","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","role":"ROLE_USER","parts":[{"text":"answered"}]}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 2, '{"messageId":"01a1f28d-a24c-7da9-b11f-4c9164109fd1","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]}'),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 3, '{"messageId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e \"blue\"","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","role":"ROLE_USER","parts":[{"text":"blue"}]}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 1, '{"messageId":"first \"recorded\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"recorded"}]}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 7, '{"messageId":"01a1f28d-a31f-75b2-a362-f427cb88649a","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"Listening"}]}'),
	('01a1f28d-a395-7d20-ac82-f0fe1d6ca187', 1, '{"messageId":"first \"canceling\"","contextId":"01a1f28d-a395-7729-918c-a3339cd39cf3","taskId":"01a1f28d-a395-7d20-ac82-f0fe1d6ca187","role":"ROLE_USER","parts":[{"text":"canceling"}]}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 2, '{"messageId":"01a1f28d-a29f-769c-b5f9-2d1a581aabe1","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"What then?"}]}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 3, '{"messageId":"01a1f28d-a289-79c7-9b18-5e4497186aa9 \"recorded again\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"recorded again"}]}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 6, '{"messageId":"01a1f28d-a289-79c7-9b18-5e4497186aa9 \"hello\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"hello"}]}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 4, '{"messageId":"01a1f28d-a2e4-7b88-8cde-2bde3ab7ce2f","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"Now?"}]}'),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 5, '{"messageId":"01a1f28d-a289-79c7-9b18-5e4497186aa9 \"now\"","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","role":"ROLE_USER","parts":[{"text":"now"}]}'),
	('01a1f28d-a3d1-7ca8-839b-81283d24f2b6', 1, '{"messageId":"first \"queued\"","contextId":"01a1f28d-a3d1-794b-85a9-a751830d2b34","taskId":"01a1f28d-a3d1-7ca8-839b-81283d24f2b6","role":"ROLE_USER","parts":[{"text":"queued"}]}');

INSERT INTO schema_of_the_dump.migration VALUES
	(1, '2026-11-19 06:45:28.991726+00', 'd8d8144f-44f7-4a9d-9185-c9452bf4eb96'),
	(2, '2026-11-19 06:45:28.991726+00', NULL),
	(3, '2026-11-19 06:45:28.991726+00', NULL),
	(4, '2026-11-19 06:45:28.991726+00', NULL),
	(5, '2026-11-19 06:45:28.991726+00', NULL),
	(6, '2026-11-19 06:45:28.991726+00', NULL),
	(7, '2026-11-19 06:45:28.991726+00', NULL);

INSERT INTO schema_of_the_dump.node VALUES
	('01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070744197);

INSERT INTO schema_of_the_dump.push_config VALUES
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 'webhook', 1, 'v1', 1795070730591, '{"id":"webhook","url":"http://127.0.0.1:9/webhook","taskId":"01a1f28d-a15f-7ef6-bfc3-d51975a27b80"}', '127.0.0.1', 0, 1795070732549, 1, 1795070730643, 0, NULL, NULL, 1);

INSERT INTO schema_of_the_dump.request_key VALUES
	('upgraded/k:key-of-sleeping', '', 'ann', '19k2nixxg8d2gl2t8k0mvv', '01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', true, 1795157129264, NULL),
	('upgraded/m:first "canceled":14xosh83iae0u0tosn9qex', '', 'ann', '14xosh83iae0u0tosn9qex', '01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', true, 1795157129368, NULL),
	('upgraded/m:first "text":0g9jc7tyx0k1v92j2gqlb3', '', 'ann', '0g9jc7tyx0k1v92j2gqlb3', '01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', true, 1795157129467, NULL),
	('upgraded/m:first "confirm":23fwi1jwesr1i90fvxeso3', '', 'ann', '23fwi1jwesr1i90fvxeso3', '01a1f28d-9d49-7849-9546-b3e19023c775', true, 1795157129545, NULL),
	('upgraded/m:first "choose":1mpac4f90zb11ztp4yb703', '', 'ann', '1mpac4f90zb11ztp4yb703', '01a1f28d-9d89-7f73-93c9-40b29c9e0b91', true, 1795157129609, NULL),
	('upgraded/m:first "form":2gb4n3d7qff0jgyro4bzq8', '', 'ann', '2gb4n3d7qff0jgyro4bzq8', '01a1f28d-9dc5-783d-8652-35cc56ac3f4a', true, 1795157129669, NULL),
	('upgraded/m:first "schema":1adfz5nzww10nw20mdxet1', '', 'ann', '1adfz5nzww10nw20mdxet1', '01a1f28d-9e01-72ff-b621-ba9da78a401f', true, 1795157129729, NULL),
	('upgraded/m:first "expired":0zcz9vhsy7u1d5qvhiwf14', '', 'ann', '0zcz9vhsy7u1d5qvhiwf14', '01a1f28d-9e59-7e1e-acae-937c1dc245ad', true, 1795157129817, NULL),
	('upgraded/m:first "authorize":05j4m2qd7fd22z2un3hjv0', '', 'ann', '05j4m2qd7fd22z2un3hjv0', '01a1f28d-9eb3-7480-ba80-dd36c9c690cc', true, 1795157129907, NULL),
	('upgraded/m:first "turns":1eu30h24w8905rim5q12kg', '', 'ann', '1eu30h24w8905rim5q12kg', '01a1f28d-9eff-7306-a5ae-0fe4d1205610', true, 1795157129983, NULL),
	('upgraded/m:first "confirm":23fwi1jwesr1i90fvxeso3', '', 'bob', '23fwi1jwesr1i90fvxeso3', '01a1f28d-9f51-7847-97fe-6488adc8296b', true, 1795157130065, NULL),
	('upgraded/k:key-of-completed', '', 'ann', '0xx62m7og2m03liriieo39', '01a1f28d-9f8b-72ed-bdea-98e0093d7541', true, 1795157130123, NULL),
	('upgraded/m:01a1f28d-9f8b-72ed-bdea-98e0093d7541 "red":0fs61alrfxi19llyk07wvr', '', 'ann', '0fs61alrfxi19llyk07wvr', '01a1f28d-9f8b-72ed-bdea-98e0093d7541', true, 1795157130200, NULL),
	('upgraded/k:key-of-completed', '', 'bob', '0xx62m7og2m03liriieo39', '01a1f28d-a035-7086-af07-3983b471d223', true, 1795157130293, NULL),
	('upgraded/m:01a1f28d-a035-7086-af07-3983b471d223 "red":0tiaeozg4y21dm5ro6gxpr', '', 'bob', '0tiaeozg4y21dm5ro6gxpr', '01a1f28d-a035-7086-af07-3983b471d223', true, 1795157130374, NULL),
	('upgraded/m:01a1f28d-a0d8-7420-a16c-0fd730f13d17:23fwi1jwesr1i90fvxeso3', '', 'cleo', '23fwi1jwesr1i90fvxeso3', '01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', true, 1795157130468, NULL),
	('upgraded/m:first "failed":1zkoptxrexb1od0u0an7nn', '', 'ann', '1zkoptxrexb1od0u0an7nn', '01a1f28d-a122-7d50-8ab8-7688322a9906', true, 1795157130530, NULL),
	('upgraded/m:first "rejected":0obye11q2ru232hij9v24c', '', 'ann', '0obye11q2ru232hij9v24c', '01a1f28d-a149-766f-806c-1af34f82d411', true, 1795157130569, NULL),
	('upgraded/m:first "notified":11s3bbcv7cv1pdjdmekg43', '', 'ann', '11s3bbcv7cv1pdjdmekg43', '01a1f28d-a15f-7ef6-bfc3-d51975a27b80', true, 1795157130591, NULL),
	('upgraded/m:first "interrupted":04vfhlm2p2q0lfidg0wgsi', '', 'ann', '04vfhlm2p2q0lfidg0wgsi', '01a1f28d-a183-7cf9-a82d-664032e73cb5', true, 1795157130627, NULL),
	('upgraded/m:first "corrected":0hauakxoaxc12ejs4vhoez', '', 'ann', '0hauakxoaxc12ejs4vhoez', '01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', true, 1795157130682, NULL),
	('upgraded/m:first "retried":07xocdm4gei0kniqd5wb31', '', 'ann', '07xocdm4gei0kniqd5wb31', '01a1f28d-a1e3-7d99-b933-ad75d462ddfd', true, 1795157130723, NULL),
	('upgraded/m:first "inbox":2doqim9pxgk1aiy3fgjo1k', '', 'ann', '2doqim9pxgk1aiy3fgjo1k', '01a1f28d-a205-70af-a99e-793c4e3930bb', true, 1795157130757, NULL),
	('upgraded/m:01a1f28d-a205-70af-a99e-793c4e3930bb "hello":1l97icq1orw2behz8oxh52', '', 'ann', '1l97icq1orw2behz8oxh52', '01a1f28d-a205-70af-a99e-793c4e3930bb', true, 1795157130785, NULL),
	('upgraded/m:first "answered":1m72bxyj3xs0jjkn62fa68', '', 'ann', '1m72bxyj3xs0jjkn62fa68', '01a1f28d-a237-7e9a-98a2-b52513a16c8e', true, 1795157130807, NULL),
	('upgraded/m:01a1f28d-a237-7e9a-98a2-b52513a16c8e "blue":27c213xpa1e1lkp8oll9oz', '', 'ann', '27c213xpa1e1lkp8oll9oz', '01a1f28d-a237-7e9a-98a2-b52513a16c8e', true, 1795157130851, NULL),
	('upgraded/m:first "recorded":1yrni6e4da42fvqdryrd11', '', 'ann', '1yrni6e4da42fvqdryrd11', '01a1f28d-a289-79c7-9b18-5e4497186aa9', true, 1795157130889, NULL),
	('upgraded/m:01a1f28d-a289-79c7-9b18-5e4497186aa9 "recorded again":0nopm4336as02qe24o68if', '', 'ann', '0nopm4336as02qe24o68if', '01a1f28d-a289-79c7-9b18-5e4497186aa9', true, 1795157130936, NULL),
	('upgraded/m:01a1f28d-a289-79c7-9b18-5e4497186aa9 "now":1j4bqr6lqrc202hi1djx6g', '', 'ann', '1j4bqr6lqrc202hi1djx6g', '01a1f28d-a289-79c7-9b18-5e4497186aa9', true, 1795157131008, NULL),
	('upgraded/m:01a1f28d-a289-79c7-9b18-5e4497186aa9 "hello":01ocbzfl0lf24ziwc266pf', '', 'ann', '01ocbzfl0lf24ziwc266pf', '01a1f28d-a289-79c7-9b18-5e4497186aa9', true, 1795157131054, NULL),
	('upgraded/m:first "canceling":1oy8inp87lb23xr3h8lf82', '', 'ann', '1oy8inp87lb23xr3h8lf82', '01a1f28d-a395-7d20-ac82-f0fe1d6ca187', true, 1795157131157, NULL),
	('upgraded/m:first "queued":019zxtkf3wz29eb0bix3yq', '', 'ann', '019zxtkf3wz29eb0bix3yq', '01a1f28d-a3d1-7ca8-839b-81283d24f2b6', true, 1795157131217, NULL);

INSERT INTO schema_of_the_dump.task OVERRIDING SYSTEM VALUE VALUES
	('01a1f28d-9c30-76dd-af9e-ad6f0ac56a0e', 1, '', 'ann', '01a1f28d-9c30-745e-b523-2d603ced2a5d', 'upgraded', NULL, 2, 1795070729302, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795071029332, NULL, 1795070729264, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:29.302Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 183, NULL, NULL, NULL),
	('01a1f28d-9c98-7f1e-820b-0a2aab6ee33d', 2, '', 'ann', '01a1f28d-9c99-78a7-9c66-6ca2befe26a1', 'upgraded', NULL, 5, 1795070729429, true, true, false, true, 4, 1, 1, 1, 0, NULL, NULL, NULL, 1795070729368, 1795070729429, '{"state":"TASK_STATE_CANCELED","timestamp":"2026-11-19T06:45:29.429Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 4, '[{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}]', NULL, false, 183, NULL, NULL, NULL),
	('01a1f28d-9cfb-7a2c-8fa6-28a2565ad354', 3, '', 'ann', '01a1f28d-9cfb-7f51-a5cd-894b5c2f896d', 'upgraded', NULL, 6, 1795070729514, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675529510, '"0.1:1u31pepeaby1istmmk4pep"', 1795070729467, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9d2a-778b-94b3-7624342abae1","taskId":"01a1f28d-9cfb-7a2c-8fa6-28a2565ad354","contextId":"01a1f28d-9cfb-7f51-a5cd-894b5c2f896d","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:29.514Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 175, NULL, NULL, NULL),
	('01a1f28d-9d49-7849-9546-b3e19023c775', 4, '', 'ann', '01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f', 'upgraded', NULL, 6, 1795070729582, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675529577, '"0.1:0m60bjyrgod0ww82hqimep"', 1795070729545, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9d6e-7f3a-9d80-2ef08f1c577e","taskId":"01a1f28d-9d49-7849-9546-b3e19023c775","contextId":"01a1f28d-9d49-7bfa-b2d9-c6e14d9f556f","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:29.582Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-9d89-7f73-93c9-40b29c9e0b91', 5, '', 'ann', '01a1f28d-9d89-73cb-a428-c0cc81ac237d', 'upgraded', NULL, 6, 1795070729647, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675529641, '"0.1:0tv09suslzu0zuf0o29h6u"', 1795070729609, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9daf-7b61-abba-14cc2a090f9f","taskId":"01a1f28d-9d89-7f73-93c9-40b29c9e0b91","contextId":"01a1f28d-9d89-73cb-a428-c0cc81ac237d","role":"ROLE_AGENT","parts":[{"text":"Which size?\n1. S\n2. Medium"},{"data":{"question":{"kind":"choose","text":"Which size?","options":[{"id":"S","label":"S"},{"id":"M","label":"Medium"}],"schema":{"type":"string","enum":["S","M"]}}}}]},"timestamp":"2026-11-19T06:45:29.647Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 179, NULL, NULL, NULL),
	('01a1f28d-9dc5-783d-8652-35cc56ac3f4a', 6, '', 'ann', '01a1f28d-9dc5-7550-81f4-793c046a41e5', 'upgraded', NULL, 6, 1795070729697, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675529694, '"0.1:0665wxkh7hw1rkdnd5hdq8"', 1795070729669, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9de1-7732-9ea5-b13ec12f0e75","taskId":"01a1f28d-9dc5-783d-8652-35cc56ac3f4a","contextId":"01a1f28d-9dc5-7550-81f4-793c046a41e5","role":"ROLE_AGENT","parts":[{"text":"Where to?\n- city\n- floor"},{"data":{"question":{"kind":"form","text":"Where to?","schema":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer"}},"required":["city","floor"]}}}}]},"timestamp":"2026-11-19T06:45:29.697Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 175, NULL, NULL, NULL),
	('01a1f28d-9e01-72ff-b621-ba9da78a401f', 7, '', 'ann', '01a1f28d-9e01-7fa7-9e7c-377fe7cd4214', 'upgraded', NULL, 6, 1795070729769, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675529762, '"0.1:0wcczec0lr80irx8a6cwak"', 1795070729729, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9e29-77dd-a9c7-9646ccf28b52","taskId":"01a1f28d-9e01-72ff-b621-ba9da78a401f","contextId":"01a1f28d-9e01-7fa7-9e7c-377fe7cd4214","role":"ROLE_AGENT","parts":[{"text":"How many?"},{"data":{"question":{"schema":{"type":"integer"}}}}]},"timestamp":"2026-11-19T06:45:29.769Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 179, NULL, NULL, NULL),
	('01a1f28d-9e59-7e1e-acae-937c1dc245ad', 8, '', 'ann', '01a1f28d-9e59-7733-94b0-62b4902b2e85', 'upgraded', NULL, 6, 1795070729838, true, false, false, true, 3, 1, 1, 1, 0, NULL, 1795071029829, '"0.1:1u31pepeaby1istmmk4pep"', 1795070729817, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9e6e-7bfe-aefa-803e84a61fce","taskId":"01a1f28d-9e59-7e1e-acae-937c1dc245ad","contextId":"01a1f28d-9e59-7733-94b0-62b4902b2e85","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:29.838Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-9eb3-7480-ba80-dd36c9c690cc', 9, '', 'ann', '01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0', 'upgraded', NULL, 8, 1795070729936, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675529933, '"0.1:11iso2owomx1hb1thc93ec"', 1795070729907, NULL, '{"state":"TASK_STATE_AUTH_REQUIRED","message":{"messageId":"01a1f28d-9ed0-77ba-bac9-9b6e2196422c","taskId":"01a1f28d-9eb3-7480-ba80-dd36c9c690cc","contextId":"01a1f28d-9eb3-74bd-b606-f6e4ad26b6f0","role":"ROLE_AGENT","parts":[{"text":"Sign in\nhttps://example.com/login"}]},"timestamp":"2026-11-19T06:45:29.936Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 185, NULL, NULL, NULL),
	('01a1f28d-9eff-7306-a5ae-0fe4d1205610', 10, '', 'ann', '01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26', 'upgraded', NULL, 6, 1795070730016, true, false, false, true, 4, 1, 1, 1, 0, NULL, 1795675530016, '"turn 1"', 1795070729983, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9f20-7d87-be80-416cbb255494","taskId":"01a1f28d-9eff-7306-a5ae-0fe4d1205610","contextId":"01a1f28d-9eff-70b6-bf33-a0c0a6a7ec26","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:30.016Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 177, NULL, NULL, NULL),
	('01a1f28d-9f8b-72ed-bdea-98e0093d7541', 12, '', 'ann', '01a1f28d-9f8c-75ae-94ae-f46ce6969b14', 'upgraded', NULL, 3, 1795070730263, true, false, false, true, 12, 3, 4, 2, 1, NULL, NULL, NULL, 1795070730123, 1795070730263, '{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:30.263Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 12, '[{"artifactId":"list","name":"list","parts":[{"text":"one two"}],"description":"What is in the box","metadata":{"box":1}},{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]},{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]},{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]},{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]}]', NULL, false, 750, NULL, 2, NULL),
	('01a1f28d-a122-7d50-8ab8-7688322a9906', 15, '', 'ann', '01a1f28d-a122-7f18-aa17-8c6f42815e98', 'upgraded', NULL, 4, 1795070730541, true, false, false, true, 4, 0, 1, 1, 1, NULL, NULL, NULL, 1795070730530, 1795070730541, '{"state":"TASK_STATE_FAILED","message":{"messageId":"01a1f28d-a12d-7bbf-89a7-2e8a9f1e165f","taskId":"01a1f28d-a122-7d50-8ab8-7688322a9906","contextId":"01a1f28d-a122-7f18-aa17-8c6f42815e98","role":"ROLE_AGENT","parts":[{"text":"Out of stock"}]},"timestamp":"2026-11-19T06:45:30.541Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 4, '[{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}]', NULL, false, 179, NULL, NULL, NULL),
	('01a1f28d-a149-766f-806c-1af34f82d411', 16, '', 'ann', '01a1f28d-a149-746c-be36-86ae97d16434', 'upgraded', NULL, 7, 1795070730581, true, false, false, true, 3, 0, 1, 1, 1, NULL, NULL, NULL, 1795070730569, 1795070730581, '{"state":"TASK_STATE_REJECTED","message":{"messageId":"01a1f28d-a155-7052-91ad-f69c2f040313","taskId":"01a1f28d-a149-766f-806c-1af34f82d411","contextId":"01a1f28d-a149-746c-be36-86ae97d16434","role":"ROLE_AGENT","parts":[{"text":"Not sold here"}]},"timestamp":"2026-11-19T06:45:30.581Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 183, NULL, NULL, NULL),
	('01a1f28d-a237-7e9a-98a2-b52513a16c8e', 22, '', 'ann', '01a1f28d-a237-711a-965c-4bb33a28c649', 'upgraded', NULL, 2, 1795070730879, true, false, false, true, 5, 2, 3, 2, 1, '01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070730852, NULL, 1795070730807, NULL, '{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a27f-784e-ba95-6b94a9d90d1c","taskId":"01a1f28d-a237-7e9a-98a2-b52513a16c8e","contextId":"01a1f28d-a237-711a-965c-4bb33a28c649","role":"ROLE_AGENT","parts":[{"text":"Painting"}]},"timestamp":"2026-11-19T06:45:30.879Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 547, NULL, 2, NULL),
	('01a1f28d-9f51-7847-97fe-6488adc8296b', 11, '', 'bob', '01a1f28d-9f51-74fc-8731-c20a5d7d4a57', 'upgraded', NULL, 6, 1795070730101, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675530096, '"0.1:0m60bjyrgod0ww82hqimep"', 1795070730065, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-9f75-755e-abb1-1f56e021c76c","taskId":"01a1f28d-9f51-7847-97fe-6488adc8296b","contextId":"01a1f28d-9f51-74fc-8731-c20a5d7d4a57","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:30.101Z"}', NULL, '{"caller":{"id":"bob","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-a035-7086-af07-3983b471d223', 13, '', 'bob', '01a1f28d-a035-753c-aa61-5b9dc5edb5f8', 'upgraded', NULL, 3, 1795070730439, true, false, false, true, 12, 3, 4, 2, 1, NULL, NULL, NULL, 1795070730293, 1795070730439, '{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:30.439Z"}', NULL, '{"caller":{"id":"bob","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 12, '[{"artifactId":"list","name":"list","parts":[{"text":"one two"}],"description":"What is in the box","metadata":{"box":1}},{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]},{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]},{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]},{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]}]', NULL, false, 750, NULL, 2, NULL),
	('01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8', 14, '', 'cleo', '01a1f28d-a0e4-7044-934c-0c2a22fb883b', 'upgraded', 'upgraded/chosen-by-cleo', 6, 1795070730505, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675530485, '"0.1:0m60bjyrgod0ww82hqimep"', 1795070730468, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-a109-75bc-9c65-579eaf65a884","taskId":"01a1f28d-a0e4-7ba6-a39d-ed6caf3d6fc8","contextId":"01a1f28d-a0e4-7044-934c-0c2a22fb883b","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:30.505Z"}', NULL, '{"caller":{"id":"cleo","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 202, NULL, NULL, NULL),
	('01a1f28d-a1ba-76eb-97ae-8ce27d9e73e0', 19, '', 'ann', '01a1f28d-a1ba-7afc-b677-060b42cf9b92', 'upgraded', NULL, 2, 1795070730690, true, false, false, true, 4, 0, 1, 1, 1, '01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070730682, NULL, 1795070730682, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.690Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 185, NULL, NULL, NULL),
	('01a1f28d-a1e3-7d99-b933-ad75d462ddfd', 20, '', 'ann', '01a1f28d-a1e3-7c66-884c-dd60c89b5856', 'upgraded', NULL, 2, 1795070730736, true, false, false, true, 3, 0, 1, 1, 1, '01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070730723, NULL, 1795070730723, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.736Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-a205-70af-a99e-793c4e3930bb', 21, '', 'ann', '01a1f28d-a205-792a-b7df-8a44a35d0ff5', 'upgraded', NULL, 2, 1795070730760, true, false, false, true, 3, 2, 2, 1, 1, '01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070730757, NULL, 1795070730757, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:30.760Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 334, NULL, NULL, NULL),
	('01a1f28d-a15f-7ef6-bfc3-d51975a27b80', 17, '', 'ann', '01a1f28d-a15f-79c8-8cd7-0c98a3768cbe', 'upgraded', NULL, 3, 1795070730605, true, false, true, true, 5, 0, 2, 1, 1, NULL, NULL, NULL, 1795070730591, 1795070730605, '{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:30.605Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 5, '[{"artifactId":"response","name":"response","parts":[{"text":"Packed"}]}]', NULL, false, 386, NULL, NULL, NULL),
	('01a1f28d-a183-7cf9-a82d-664032e73cb5', 18, '', 'ann', '01a1f28d-a183-776b-8670-713ec06170dd', 'upgraded', NULL, 2, 1795070730641, true, false, false, true, 5, 1, 1, 1, 1, '01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070730627, NULL, 1795070730627, NULL, '{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a191-757a-bfcc-053a78786c0c","taskId":"01a1f28d-a183-7cf9-a82d-664032e73cb5","contextId":"01a1f28d-a183-776b-8670-713ec06170dd","role":"ROLE_AGENT","parts":[{"text":"Writing"}]},"timestamp":"2026-11-19T06:45:30.641Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 189, NULL, NULL, NULL),
	('01a1f28d-a289-79c7-9b18-5e4497186aa9', 23, '', 'ann', '01a1f28d-a289-7d2c-a8f8-0b50c131162d', 'upgraded', NULL, 2, 1795070731141, true, false, false, true, 14, 16, 7, 4, 1, '01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070731012, NULL, 1795070730889, NULL, '{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-a385-7a37-b853-a0d5c388da46","taskId":"01a1f28d-a289-79c7-9b18-5e4497186aa9","contextId":"01a1f28d-a289-7d2c-a8f8-0b50c131162d","role":"ROLE_AGENT","parts":[{"text":"Finishing"}]},"timestamp":"2026-11-19T06:45:31.141Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 1279, NULL, 8, NULL),
	('01a1f28d-a395-7d20-ac82-f0fe1d6ca187', 24, '', 'ann', '01a1f28d-a395-7729-918c-a3339cd39cf3', 'upgraded', NULL, 2, 1795070731168, true, true, false, true, 3, 0, 1, 1, 1, '01a1f28d-9ab3-7e55-98be-89c706ab64e9', 1795070731188, NULL, 1795070731157, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:31.168Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 185, NULL, NULL, NULL),
	('01a1f28d-a3d1-7ca8-839b-81283d24f2b6', 25, '', 'ann', '01a1f28d-a3d1-794b-85a9-a751830d2b34', 'upgraded', NULL, 1, 1795070731217, true, false, false, true, 1, 0, 1, 0, 0, NULL, 1795070731217, NULL, 1795070731217, NULL, '{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:31.217Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, true, 179, NULL, NULL, NULL);

INSERT INTO schema_of_the_dump.token_bucket VALUES
	('["upgraded","caller","cleo"]', 99, true, 1795070730455, 1795070730555),
	('["upgraded","caller","bob"]', 98.22, true, 1795070731365, 1795070731544),
	('["upgraded","caller","ann"]', 42.020000000000024, true, 1795070731452, 1795070737250);

SELECT pg_catalog.setval('schema_of_the_dump.dead_letter_seq_seq', 1, false);

SELECT pg_catalog.setval('schema_of_the_dump.task_seq_seq', 25, true);

ALTER TABLE ONLY schema_of_the_dump.claim_position
    ADD CONSTRAINT claim_position_pkey PRIMARY KEY (agent);

ALTER TABLE ONLY schema_of_the_dump.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (id);

ALTER TABLE ONLY schema_of_the_dump.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (task_id, number);

ALTER TABLE ONLY schema_of_the_dump.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (task_id, number);

ALTER TABLE ONLY schema_of_the_dump.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (task_id, number);

ALTER TABLE ONLY schema_of_the_dump.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (number);

ALTER TABLE ONLY schema_of_the_dump.node
    ADD CONSTRAINT node_pkey PRIMARY KEY (id);

ALTER TABLE ONLY schema_of_the_dump.push_config
    ADD CONSTRAINT push_config_pkey PRIMARY KEY (task_id, id);

ALTER TABLE ONLY schema_of_the_dump.request_key
    ADD CONSTRAINT request_key_pkey PRIMARY KEY (key, tenant, owner);

ALTER TABLE ONLY schema_of_the_dump.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (id);

ALTER TABLE ONLY schema_of_the_dump.token_bucket
    ADD CONSTRAINT token_bucket_pkey PRIMARY KEY (name);

CREATE INDEX dead_letter_config ON schema_of_the_dump.dead_letter USING btree (task_id, config_id, seq);

CREATE INDEX dead_letter_seq ON schema_of_the_dump.dead_letter USING btree (seq);

CREATE INDEX push_config_due ON schema_of_the_dump.push_config USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX request_key_left ON schema_of_the_dump.request_key USING btree (keep_until) WHERE (NOT has_task);

CREATE INDEX request_key_task ON schema_of_the_dump.request_key USING btree (task_id) WHERE has_task;

CREATE UNIQUE INDEX task_alias ON schema_of_the_dump.task USING btree (alias, tenant, owner) WHERE (alias IS NOT NULL);

CREATE INDEX task_ended ON schema_of_the_dump.task USING btree (ended_at, seq) WHERE (ended_at IS NOT NULL);

CREATE INDEX task_held ON schema_of_the_dump.task USING btree (node) WHERE ((node IS NOT NULL) AND (wake_at IS NOT NULL));

CREATE INDEX task_list ON schema_of_the_dump.task USING btree (tenant, owner, agent, status_time, id) WHERE visible;

CREATE INDEX task_list_context ON schema_of_the_dump.task USING btree (tenant, owner, context_id, status_time, id) WHERE visible;

CREATE INDEX task_queue ON schema_of_the_dump.task USING btree (agent, COALESCE(fairness_key, owner), wake_at, seq) WHERE (queued AND (wake_at IS NOT NULL));

CREATE INDEX task_replayable ON schema_of_the_dump.task USING btree (ended_at) WHERE ((ended_at IS NOT NULL) AND has_events);

CREATE INDEX task_suspect ON schema_of_the_dump.task USING btree (agent, attempts, wake_at, seq) WHERE (suspect_ms IS NOT NULL);

CREATE INDEX task_wake ON schema_of_the_dump.task USING btree (agent, queued, wake_at, seq) WHERE (wake_at IS NOT NULL);

CREATE INDEX token_bucket_full ON schema_of_the_dump.token_bucket USING btree (full_at);
