CREATE SCHEMA schema_of_the_dump;

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
    body text NOT NULL
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
	('01a1f28d-7a3c-7d55-938f-584d2179ba1f', 1, 0, '{"task":{"id":"01a1f28d-7a3c-7d55-938f-584d2179ba1f","contextId":"01a1f28d-7a3c-7cfb-88ae-af27fda1adc1","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:20.572Z"},"history":[{"messageId":"first \"sleeping\"","contextId":"01a1f28d-7a3c-7cfb-88ae-af27fda1adc1","taskId":"01a1f28d-7a3c-7d55-938f-584d2179ba1f","role":"ROLE_USER","parts":[{"text":"sleeping"}]}]}}'),
	('01a1f28d-7a3c-7d55-938f-584d2179ba1f', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7a3c-7d55-938f-584d2179ba1f","contextId":"01a1f28d-7a3c-7cfb-88ae-af27fda1adc1","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:20.588Z"}}}'),
	('01a1f28d-7a3c-7d55-938f-584d2179ba1f', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7a3c-7d55-938f-584d2179ba1f","contextId":"01a1f28d-7a3c-7cfb-88ae-af27fda1adc1","artifact":{"artifactId":"response","name":"response","parts":[{"text":"before old, "}]}}}'),
	('01a1f28d-7a83-78b8-9183-807c8838c79c', 1, 0, '{"task":{"id":"01a1f28d-7a83-78b8-9183-807c8838c79c","contextId":"01a1f28d-7a84-7c06-90fc-55fa2286f5bf","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:20.643Z"},"history":[{"messageId":"first \"canceled\"","contextId":"01a1f28d-7a84-7c06-90fc-55fa2286f5bf","taskId":"01a1f28d-7a83-78b8-9183-807c8838c79c","role":"ROLE_USER","parts":[{"text":"canceled"}]}]}}'),
	('01a1f28d-7a83-78b8-9183-807c8838c79c', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7a83-78b8-9183-807c8838c79c","contextId":"01a1f28d-7a84-7c06-90fc-55fa2286f5bf","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:20.657Z"}}}'),
	('01a1f28d-7a83-78b8-9183-807c8838c79c', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7a83-78b8-9183-807c8838c79c","contextId":"01a1f28d-7a84-7c06-90fc-55fa2286f5bf","artifact":{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}}}'),
	('01a1f28d-7a83-78b8-9183-807c8838c79c', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-7a83-78b8-9183-807c8838c79c","contextId":"01a1f28d-7a84-7c06-90fc-55fa2286f5bf","status":{"state":"TASK_STATE_CANCELED","timestamp":"2026-11-19T06:45:20.698Z"}}}'),
	('01a1f28d-7ad9-7b10-8bc5-73f198d72202', 1, 0, '{"task":{"id":"01a1f28d-7ad9-7b10-8bc5-73f198d72202","contextId":"01a1f28d-7ad9-7421-bc19-9a565493f017","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:20.729Z"},"history":[{"messageId":"first \"text\"","contextId":"01a1f28d-7ad9-7421-bc19-9a565493f017","taskId":"01a1f28d-7ad9-7b10-8bc5-73f198d72202","role":"ROLE_USER","parts":[{"text":"text"}]}]}}'),
	('01a1f28d-7ad9-7b10-8bc5-73f198d72202', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7ad9-7b10-8bc5-73f198d72202","contextId":"01a1f28d-7ad9-7421-bc19-9a565493f017","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:20.743Z"}}}'),
	('01a1f28d-7ad9-7b10-8bc5-73f198d72202', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7ad9-7b10-8bc5-73f198d72202","contextId":"01a1f28d-7ad9-7421-bc19-9a565493f017","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7afc-7353-86e2-afd26e2d6615","taskId":"01a1f28d-7ad9-7b10-8bc5-73f198d72202","contextId":"01a1f28d-7ad9-7421-bc19-9a565493f017","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:20.764Z"}}}'),
	('01a1f28d-7b14-7cae-9202-0adc73ce992f', 1, 0, '{"task":{"id":"01a1f28d-7b14-7cae-9202-0adc73ce992f","contextId":"01a1f28d-7b14-7615-8de7-13e3d3adc749","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:20.788Z"},"history":[{"messageId":"first \"confirm\"","contextId":"01a1f28d-7b14-7615-8de7-13e3d3adc749","taskId":"01a1f28d-7b14-7cae-9202-0adc73ce992f","role":"ROLE_USER","parts":[{"text":"confirm"}]}]}}'),
	('01a1f28d-7b14-7cae-9202-0adc73ce992f', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7b14-7cae-9202-0adc73ce992f","contextId":"01a1f28d-7b14-7615-8de7-13e3d3adc749","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:20.805Z"}}}'),
	('01a1f28d-7b14-7cae-9202-0adc73ce992f', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7b14-7cae-9202-0adc73ce992f","contextId":"01a1f28d-7b14-7615-8de7-13e3d3adc749","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7b39-7ec4-bb0f-1dbde7c044cc","taskId":"01a1f28d-7b14-7cae-9202-0adc73ce992f","contextId":"01a1f28d-7b14-7615-8de7-13e3d3adc749","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:20.825Z"}}}'),
	('01a1f28d-7b4f-78d8-81e0-4d009fb077f3', 1, 0, '{"task":{"id":"01a1f28d-7b4f-78d8-81e0-4d009fb077f3","contextId":"01a1f28d-7b4f-7f3b-9b46-b39b72b95f16","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:20.847Z"},"history":[{"messageId":"first \"choose\"","contextId":"01a1f28d-7b4f-7f3b-9b46-b39b72b95f16","taskId":"01a1f28d-7b4f-78d8-81e0-4d009fb077f3","role":"ROLE_USER","parts":[{"text":"choose"}]}]}}'),
	('01a1f28d-7b4f-78d8-81e0-4d009fb077f3', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7b4f-78d8-81e0-4d009fb077f3","contextId":"01a1f28d-7b4f-7f3b-9b46-b39b72b95f16","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:20.865Z"}}}'),
	('01a1f28d-7b4f-78d8-81e0-4d009fb077f3', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7b4f-78d8-81e0-4d009fb077f3","contextId":"01a1f28d-7b4f-7f3b-9b46-b39b72b95f16","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7b94-7ec8-a40d-9ed4dc190704","taskId":"01a1f28d-7b4f-78d8-81e0-4d009fb077f3","contextId":"01a1f28d-7b4f-7f3b-9b46-b39b72b95f16","role":"ROLE_AGENT","parts":[{"text":"Which size?\n1. S\n2. Medium"},{"data":{"question":{"kind":"choose","text":"Which size?","options":[{"id":"S","label":"S"},{"id":"M","label":"Medium"}],"schema":{"type":"string","enum":["S","M"]}}}}]},"timestamp":"2026-11-19T06:45:20.916Z"}}}'),
	('01a1f28d-7bbd-73ed-935e-1052fde55f44', 1, 0, '{"task":{"id":"01a1f28d-7bbd-73ed-935e-1052fde55f44","contextId":"01a1f28d-7bbd-7833-b8b8-377fff5de772","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:20.957Z"},"history":[{"messageId":"first \"form\"","contextId":"01a1f28d-7bbd-7833-b8b8-377fff5de772","taskId":"01a1f28d-7bbd-73ed-935e-1052fde55f44","role":"ROLE_USER","parts":[{"text":"form"}]}]}}'),
	('01a1f28d-7bbd-73ed-935e-1052fde55f44', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7bbd-73ed-935e-1052fde55f44","contextId":"01a1f28d-7bbd-7833-b8b8-377fff5de772","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:20.968Z"}}}'),
	('01a1f28d-7bbd-73ed-935e-1052fde55f44', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7bbd-73ed-935e-1052fde55f44","contextId":"01a1f28d-7bbd-7833-b8b8-377fff5de772","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7bda-7bc1-a505-6a42481bd5c2","taskId":"01a1f28d-7bbd-73ed-935e-1052fde55f44","contextId":"01a1f28d-7bbd-7833-b8b8-377fff5de772","role":"ROLE_AGENT","parts":[{"text":"Where to?\n- city\n- floor"},{"data":{"question":{"kind":"form","text":"Where to?","schema":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer"}},"required":["city","floor"]}}}}]},"timestamp":"2026-11-19T06:45:20.986Z"}}}'),
	('01a1f28d-7c4d-776f-ae22-1f1ec0019c6a', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7c4d-776f-ae22-1f1ec0019c6a","contextId":"01a1f28d-7c4d-7ea7-81fb-d72f32ac457a","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.117Z"}}}'),
	('01a1f28d-7bfc-7a97-8ec9-fff651aecc03', 1, 0, '{"task":{"id":"01a1f28d-7bfc-7a97-8ec9-fff651aecc03","contextId":"01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.020Z"},"history":[{"messageId":"first \"schema\"","contextId":"01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de","taskId":"01a1f28d-7bfc-7a97-8ec9-fff651aecc03","role":"ROLE_USER","parts":[{"text":"schema"}]}]}}'),
	('01a1f28d-7bfc-7a97-8ec9-fff651aecc03', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7bfc-7a97-8ec9-fff651aecc03","contextId":"01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.045Z"}}}'),
	('01a1f28d-7c4d-776f-ae22-1f1ec0019c6a', 1, 0, '{"task":{"id":"01a1f28d-7c4d-776f-ae22-1f1ec0019c6a","contextId":"01a1f28d-7c4d-7ea7-81fb-d72f32ac457a","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.101Z"},"history":[{"messageId":"first \"expired\"","contextId":"01a1f28d-7c4d-7ea7-81fb-d72f32ac457a","taskId":"01a1f28d-7c4d-776f-ae22-1f1ec0019c6a","role":"ROLE_USER","parts":[{"text":"expired"}]}]}}'),
	('01a1f28d-7c8f-7d7e-a324-4e9419e429eb', 1, 0, '{"task":{"id":"01a1f28d-7c8f-7d7e-a324-4e9419e429eb","contextId":"01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.167Z"},"history":[{"messageId":"first \"authorize\"","contextId":"01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49","taskId":"01a1f28d-7c8f-7d7e-a324-4e9419e429eb","role":"ROLE_USER","parts":[{"text":"authorize"}]}]}}'),
	('01a1f28d-7c8f-7d7e-a324-4e9419e429eb', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7c8f-7d7e-a324-4e9419e429eb","contextId":"01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.180Z"}}}'),
	('01a1f28d-7d20-72d9-a8ad-bb6055133238', 1, 0, '{"task":{"id":"01a1f28d-7d20-72d9-a8ad-bb6055133238","contextId":"01a1f28d-7d20-7da1-92c5-9187445373e6","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.312Z"},"history":[{"messageId":"first \"confirm\"","contextId":"01a1f28d-7d20-7da1-92c5-9187445373e6","taskId":"01a1f28d-7d20-72d9-a8ad-bb6055133238","role":"ROLE_USER","parts":[{"text":"confirm"}]}]}}'),
	('01a1f28d-7d20-72d9-a8ad-bb6055133238', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7d20-72d9-a8ad-bb6055133238","contextId":"01a1f28d-7d20-7da1-92c5-9187445373e6","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.325Z"}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 10, 1, '{"statusUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.514Z"}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 1, 0, '{"task":{"id":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.607Z"},"history":[{"messageId":"first \"completed\"","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","role":"ROLE_USER","parts":[{"text":"completed"}]}]}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.614Z"}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-7e4e-71b5-865c-81710ffd5a47","taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","role":"ROLE_AGENT","parts":[{"text":"Packing"}]},"timestamp":"2026-11-19T06:45:21.614Z"}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","artifact":{"artifactId":"list","name":"list","parts":[{"text":"one "}]}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","artifact":{"artifactId":"list","name":"list","parts":[{"text":"two"}],"description":"What is in the box","metadata":{"box":1}},"append":true,"lastChunk":true}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 6, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","artifact":{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 7, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","artifact":{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 8, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","artifact":{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 9, 1, '{"statusUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7e59-7813-9e75-cb4c5a575daf","taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]},"timestamp":"2026-11-19T06:45:21.625Z"}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 10, 1, '{"statusUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.661Z"}}}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-80e1-706b-b3f0-5b5313c94cad","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]},"timestamp":"2026-11-19T06:45:22.273Z"}}}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.316Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 1, 0, '{"task":{"id":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.361Z"},"history":[{"messageId":"first \"recorded\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"recorded"}]}]}}'),
	('01a1f28d-8295-7215-939d-bfb4e11bd9d7', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8295-7215-939d-bfb4e11bd9d7","contextId":"01a1f28d-8295-788f-8c71-aa07290a3bef","artifact":{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}}}'),
	('01a1f28d-7bfc-7a97-8ec9-fff651aecc03', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7bfc-7a97-8ec9-fff651aecc03","contextId":"01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7c30-7abd-a6a5-8ff91cbf1cbc","taskId":"01a1f28d-7bfc-7a97-8ec9-fff651aecc03","contextId":"01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de","role":"ROLE_AGENT","parts":[{"text":"How many?"},{"data":{"question":{"schema":{"type":"integer"}}}}]},"timestamp":"2026-11-19T06:45:21.072Z"}}}'),
	('01a1f28d-7cdd-7993-bec1-3318f8f31182', 1, 0, '{"task":{"id":"01a1f28d-7cdd-7993-bec1-3318f8f31182","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.245Z"},"history":[{"messageId":"first \"turns\"","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","taskId":"01a1f28d-7cdd-7993-bec1-3318f8f31182","role":"ROLE_USER","parts":[{"text":"turns"}]}]}}'),
	('01a1f28d-7cdd-7993-bec1-3318f8f31182', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7cdd-7993-bec1-3318f8f31182","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.257Z"}}}'),
	('01a1f28d-7d20-72d9-a8ad-bb6055133238', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7d20-72d9-a8ad-bb6055133238","contextId":"01a1f28d-7d20-7da1-92c5-9187445373e6","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7d44-7aca-ad0f-29ffddf72da0","taskId":"01a1f28d-7d20-72d9-a8ad-bb6055133238","contextId":"01a1f28d-7d20-7da1-92c5-9187445373e6","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:21.348Z"}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 11, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","artifact":{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]},"lastChunk":true}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 12, 1, '{"statusUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:21.580Z"}}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 11, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","artifact":{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]},"lastChunk":true}}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 12, 1, '{"statusUpdate":{"taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:21.708Z"}}}'),
	('01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', 1, 0, '{"task":{"id":"01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d","contextId":"01a1f28d-7ecc-7799-9847-f1b6d34ad145","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.740Z"},"history":[{"messageId":"01a1f28d-7ec6-71ce-a830-e5f8134ca1da","contextId":"01a1f28d-7ecc-7799-9847-f1b6d34ad145","taskId":"01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d","role":"ROLE_USER","parts":[{"text":"confirm"}]}]}}'),
	('01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d","contextId":"01a1f28d-7ecc-7799-9847-f1b6d34ad145","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.751Z"}}}'),
	('01a1f28d-7f0a-71ea-9e10-f7b6c6a38073', 1, 0, '{"task":{"id":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.802Z"},"history":[{"messageId":"first \"failed\"","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","taskId":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","role":"ROLE_USER","parts":[{"text":"failed"}]}]}}'),
	('01a1f28d-7f0a-71ea-9e10-f7b6c6a38073', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.833Z"}}}'),
	('01a1f28d-7f0a-71ea-9e10-f7b6c6a38073', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","artifact":{"artifactId":"response","name":"response","parts":[{"text":"begun"}]},"lastChunk":true}}'),
	('01a1f28d-7f0a-71ea-9e10-f7b6c6a38073', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"01a1f28d-7f29-7070-8f26-71c6bb5bb985","taskId":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","role":"ROLE_AGENT","parts":[{"text":"Out of stock"}]},"timestamp":"2026-11-19T06:45:21.833Z"}}}'),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.913Z"}}}'),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-7f79-705d-8639-a433ff9b9789","taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","role":"ROLE_AGENT","parts":[{"text":"Packing"}]},"timestamp":"2026-11-19T06:45:21.913Z"}}}'),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","artifact":{"artifactId":"response","name":"response","parts":[{"text":"Packed"}]},"lastChunk":true}}'),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 5, 1, '{"statusUpdate":{"taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:21.914Z"}}}'),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 1, 0, '{"task":{"id":"01a1f28d-8086-7b62-b55a-e0020369011a","contextId":"01a1f28d-8086-7ca7-b10f-23a5e794b176","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.182Z"},"history":[{"messageId":"first \"inbox\"","contextId":"01a1f28d-8086-7ca7-b10f-23a5e794b176","taskId":"01a1f28d-8086-7b62-b55a-e0020369011a","role":"ROLE_USER","parts":[{"text":"inbox"}]}]}}'),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-8086-7b62-b55a-e0020369011a","contextId":"01a1f28d-8086-7ca7-b10f-23a5e794b176","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.193Z"}}}'),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8086-7b62-b55a-e0020369011a","contextId":"01a1f28d-8086-7ca7-b10f-23a5e794b176","artifact":{"artifactId":"response","name":"response","parts":[{"text":"listening, "}]}}}'),
	('01a1f28d-8295-7215-939d-bfb4e11bd9d7', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8295-7215-939d-bfb4e11bd9d7","contextId":"01a1f28d-8295-788f-8c71-aa07290a3bef","artifact":{"artifactId":"cleanup","name":"cleanup","parts":[{"text":"begun"}]}}}'),
	('01a1f28d-7c4d-776f-ae22-1f1ec0019c6a', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7c4d-776f-ae22-1f1ec0019c6a","contextId":"01a1f28d-7c4d-7ea7-81fb-d72f32ac457a","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7c6e-79d0-8ad5-e4fbd8e7c844","taskId":"01a1f28d-7c4d-776f-ae22-1f1ec0019c6a","contextId":"01a1f28d-7c4d-7ea7-81fb-d72f32ac457a","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:21.134Z"}}}'),
	('01a1f28d-7c8f-7d7e-a324-4e9419e429eb', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7c8f-7d7e-a324-4e9419e429eb","contextId":"01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49","status":{"state":"TASK_STATE_AUTH_REQUIRED","message":{"messageId":"01a1f28d-7cb4-7943-bfe4-ba7fdd45b1f5","taskId":"01a1f28d-7c8f-7d7e-a324-4e9419e429eb","contextId":"01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49","role":"ROLE_AGENT","parts":[{"text":"Sign in\nhttps://example.com/login"}]},"timestamp":"2026-11-19T06:45:21.201Z"}}}'),
	('01a1f28d-7cdd-7993-bec1-3318f8f31182', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7cdd-7993-bec1-3318f8f31182","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","artifact":{"artifactId":"response","name":"response","parts":[{"text":"prepare old, "}]}}}'),
	('01a1f28d-7cdd-7993-bec1-3318f8f31182', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-7cdd-7993-bec1-3318f8f31182","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7cf9-777d-85e1-d0023bc3c6bf","taskId":"01a1f28d-7cdd-7993-bec1-3318f8f31182","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:21.273Z"}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 1, 0, '{"task":{"id":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.373Z"},"history":[{"messageId":"first \"completed\"","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","role":"ROLE_USER","parts":[{"text":"completed"}]}]}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.399Z"}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-7d78-743f-b239-9245e60c75ea","taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","role":"ROLE_AGENT","parts":[{"text":"Packing"}]},"timestamp":"2026-11-19T06:45:21.400Z"}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","artifact":{"artifactId":"list","name":"list","parts":[{"text":"one "}]}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","artifact":{"artifactId":"list","name":"list","parts":[{"text":"two"}],"description":"What is in the box","metadata":{"box":1}},"append":true,"lastChunk":true}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 6, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","artifact":{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 7, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","artifact":{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 8, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","artifact":{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]}}}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 9, 1, '{"statusUpdate":{"taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7d95-752e-b26e-045bd65a6c08","taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]},"timestamp":"2026-11-19T06:45:21.429Z"}}}'),
	('01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d","contextId":"01a1f28d-7ecc-7799-9847-f1b6d34ad145","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7ee4-706b-8895-017382d52041","taskId":"01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d","contextId":"01a1f28d-7ecc-7799-9847-f1b6d34ad145","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:21.764Z"}}}'),
	('01a1f28d-7f43-74b2-bcfd-b4ee9552c97a', 1, 0, '{"task":{"id":"01a1f28d-7f43-74b2-bcfd-b4ee9552c97a","contextId":"01a1f28d-7f43-7e91-862e-5508885c70e0","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.859Z"},"history":[{"messageId":"first \"rejected\"","contextId":"01a1f28d-7f43-7e91-862e-5508885c70e0","taskId":"01a1f28d-7f43-74b2-bcfd-b4ee9552c97a","role":"ROLE_USER","parts":[{"text":"rejected"}]}]}}'),
	('01a1f28d-7f43-74b2-bcfd-b4ee9552c97a', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7f43-74b2-bcfd-b4ee9552c97a","contextId":"01a1f28d-7f43-7e91-862e-5508885c70e0","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.868Z"}}}'),
	('01a1f28d-7f43-74b2-bcfd-b4ee9552c97a', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7f43-74b2-bcfd-b4ee9552c97a","contextId":"01a1f28d-7f43-7e91-862e-5508885c70e0","status":{"state":"TASK_STATE_REJECTED","message":{"messageId":"01a1f28d-7f4c-75ce-969c-0853dd31bd12","taskId":"01a1f28d-7f43-74b2-bcfd-b4ee9552c97a","contextId":"01a1f28d-7f43-7e91-862e-5508885c70e0","role":"ROLE_AGENT","parts":[{"text":"Not sold here"}]},"timestamp":"2026-11-19T06:45:21.868Z"}}}'),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 1, 0, '{"task":{"id":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.896Z"},"history":[{"messageId":"first \"notified\"","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","role":"ROLE_USER","parts":[{"text":"notified"}]}]}}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 1, 0, '{"task":{"id":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:21.953Z"},"history":[{"messageId":"first \"interrupted\"","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","role":"ROLE_USER","parts":[{"text":"interrupted"}]}]}}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:21.966Z"}}}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 3, 1, '{"statusUpdate":{"taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-7fae-749e-8299-71b398436112","taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","role":"ROLE_AGENT","parts":[{"text":"Writing"}]},"timestamp":"2026-11-19T06:45:21.966Z"}}}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","artifact":{"artifactId":"report","name":"report","parts":[{"text":"one "}]}}}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","artifact":{"artifactId":"report","name":"report","parts":[{"text":"two "}]},"append":true}}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 6, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","artifact":{"artifactId":"report","name":"report","parts":[{"text":"three old "}]},"append":true}}'),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 1, 0, '{"task":{"id":"01a1f28d-7ff3-727b-96f4-f143bb03565f","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.035Z"},"history":[{"messageId":"first \"corrected\"","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","taskId":"01a1f28d-7ff3-727b-96f4-f143bb03565f","role":"ROLE_USER","parts":[{"text":"corrected"}]}]}}'),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-7ff3-727b-96f4-f143bb03565f","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.045Z"}}}'),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7ff3-727b-96f4-f143bb03565f","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","artifact":{"artifactId":"report","name":"report","parts":[{"text":"one "}]}}}'),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 4, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7ff3-727b-96f4-f143bb03565f","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","artifact":{"artifactId":"report","name":"report","parts":[{"text":"draft "}]},"append":true}}'),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 5, 2, '{"artifactUpdate":{"taskId":"01a1f28d-7ff3-727b-96f4-f143bb03565f","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","artifact":{"artifactId":"report","name":"report","parts":[{"text":"one two "}]}}}'),
	('01a1f28d-8047-7141-be37-18a2bd9f07d6', 1, 0, '{"task":{"id":"01a1f28d-8047-7141-be37-18a2bd9f07d6","contextId":"01a1f28d-8047-7575-ae71-5a10d476d9a6","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.119Z"},"history":[{"messageId":"first \"retried\"","contextId":"01a1f28d-8047-7575-ae71-5a10d476d9a6","taskId":"01a1f28d-8047-7141-be37-18a2bd9f07d6","role":"ROLE_USER","parts":[{"text":"retried"}]}]}}'),
	('01a1f28d-8047-7141-be37-18a2bd9f07d6', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-8047-7141-be37-18a2bd9f07d6","contextId":"01a1f28d-8047-7575-ae71-5a10d476d9a6","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.131Z"}}}'),
	('01a1f28d-8047-7141-be37-18a2bd9f07d6', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8047-7141-be37-18a2bd9f07d6","contextId":"01a1f28d-8047-7575-ae71-5a10d476d9a6","artifact":{"artifactId":"attempts","name":"attempts","parts":[{"text":"attempt 1"}]}}}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 5, 1, '{"statusUpdate":{"taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-8125-73d3-a336-6bf7c6e39a7b","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","role":"ROLE_AGENT","parts":[{"text":"Painting"}]},"timestamp":"2026-11-19T06:45:22.341Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.368Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 3, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","artifact":{"artifactId":"response","name":"response","parts":[{"text":"first turn, "}]}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 9, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","artifact":{"artifactId":"response","name":"response","parts":[{"text":"0 messages, slept, now, hello, "}]},"append":true}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 10, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","artifact":{"artifactId":"response","name":"response","parts":[{"text":"one "}]},"append":true}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 11, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","artifact":{"artifactId":"response","name":"response","parts":[{"text":"two, "}]},"append":true}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 12, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","artifact":{"artifactId":"draft","name":"draft","parts":[{"text":"draft 1"}]}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 13, 2, '{"artifactUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","artifact":{"artifactId":"draft","name":"draft","parts":[{"text":"draft 2"}]}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 14, 1, '{"statusUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-8275-71ee-8586-a9c1e9a24e30","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"Finishing"}]},"timestamp":"2026-11-19T06:45:22.677Z"}}}'),
	('01a1f28d-8295-7215-939d-bfb4e11bd9d7', 1, 0, '{"task":{"id":"01a1f28d-8295-7215-939d-bfb4e11bd9d7","contextId":"01a1f28d-8295-788f-8c71-aa07290a3bef","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.709Z"},"history":[{"messageId":"first \"canceling\"","contextId":"01a1f28d-8295-788f-8c71-aa07290a3bef","taskId":"01a1f28d-8295-7215-939d-bfb4e11bd9d7","role":"ROLE_USER","parts":[{"text":"canceling"}]}]}}'),
	('01a1f28d-8295-7215-939d-bfb4e11bd9d7', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-8295-7215-939d-bfb4e11bd9d7","contextId":"01a1f28d-8295-788f-8c71-aa07290a3bef","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.717Z"}}}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 1, 0, '{"task":{"id":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.255Z"},"history":[{"messageId":"first \"answered\"","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","role":"ROLE_USER","parts":[{"text":"answered"}]}]}}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 2, 1, '{"statusUpdate":{"taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.265Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 4, 1, '{"statusUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-814d-7e42-8620-11ebbd86eaaa","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"What then?"}]},"timestamp":"2026-11-19T06:45:22.381Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 5, 1, '{"statusUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.433Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 7, 1, '{"statusUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.529Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 8, 1, '{"statusUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-8200-7314-b916-10630e1d689b","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"Listening"}]},"timestamp":"2026-11-19T06:45:22.560Z"}}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 6, 1, '{"statusUpdate":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-81c7-77cb-b1c7-a7ad11b5ea3b","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"Now?"}]},"timestamp":"2026-11-19T06:45:22.503Z"}}}'),
	('01a1f28d-82de-778e-ae97-11ae3f33752c', 1, 0, '{"task":{"id":"01a1f28d-82de-778e-ae97-11ae3f33752c","contextId":"01a1f28d-82de-7a39-bd1b-8ec471cf59d2","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.782Z"},"history":[{"messageId":"first \"queued\"","contextId":"01a1f28d-82de-7a39-bd1b-8ec471cf59d2","taskId":"01a1f28d-82de-778e-ae97-11ae3f33752c","role":"ROLE_USER","parts":[{"text":"queued"}]}]}}');

INSERT INTO schema_of_the_dump.journal VALUES
	('01a1f28d-7a3c-7d55-938f-584d2179ba1f', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":1}'),
	('01a1f28d-7a3c-7d55-938f-584d2179ba1f', 2, '"sleep"', '"1"', '{"until":1795071020630}'),
	('01a1f28d-7ad9-7b10-8bc5-73f198d72202', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":1}'),
	('01a1f28d-7ad9-7b10-8bc5-73f198d72202', 2, '"question"', '"0.1:1u31pepeaby1istmmk4pep"', '{"gives":"text","sensitive":false,"timeoutMs":604800000,"expiresAt":1795675520754}'),
	('01a1f28d-7b14-7cae-9202-0adc73ce992f', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}'),
	('01a1f28d-7b14-7cae-9202-0adc73ce992f', 2, '"question"', '"0.1:0m60bjyrgod0ww82hqimep"', '{"gives":"value","schema":{"type":"boolean"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675520815}'),
	('01a1f28d-7b4f-78d8-81e0-4d009fb077f3', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}'),
	('01a1f28d-7b4f-78d8-81e0-4d009fb077f3', 2, '"question"', '"0.1:0tv09suslzu0zuf0o29h6u"', '{"gives":"value","schema":{"type":"string","enum":["S","M"]},"options":[{"id":"S","label":"S"},{"id":"M","label":"Medium"}],"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675520905}'),
	('01a1f28d-7bbd-73ed-935e-1052fde55f44', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":1}'),
	('01a1f28d-7bbd-73ed-935e-1052fde55f44', 2, '"question"', '"0.1:0665wxkh7hw1rkdnd5hdq8"', '{"gives":"value","schema":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer"}},"required":["city","floor"]},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675520981}'),
	('01a1f28d-7bfc-7a97-8ec9-fff651aecc03', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}'),
	('01a1f28d-7bfc-7a97-8ec9-fff651aecc03', 2, '"question"', '"0.1:0wcczec0lr80irx8a6cwak"', '{"gives":"value","schema":{"type":"integer"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675521065}'),
	('01a1f28d-7c4d-776f-ae22-1f1ec0019c6a', 1, '"question"', '"0.1:1u31pepeaby1istmmk4pep"', '{"gives":"text","sensitive":false,"timeoutMs":300000,"expiresAt":1795071021117}'),
	('01a1f28d-7c8f-7d7e-a324-4e9419e429eb', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":1}'),
	('01a1f28d-7c8f-7d7e-a324-4e9419e429eb', 2, '"question"', '"0.1:11iso2owomx1hb1thc93ec"', '{"gives":"text","sensitive":true,"credential":"marked","timeoutMs":604800000,"expiresAt":1795675521190}'),
	('01a1f28d-7cdd-7993-bec1-3318f8f31182', 1, '"step"', '"prepare#1"', '{"value":"prepare old","outputs":{}}'),
	('01a1f28d-7d20-72d9-a8ad-bb6055133238', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}'),
	('01a1f28d-7d20-72d9-a8ad-bb6055133238', 2, '"question"', '"0.1:0m60bjyrgod0ww82hqimep"', '{"gives":"value","schema":{"type":"boolean"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675521345}'),
	('01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{},"workedMs":1}'),
	('01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', 2, '"question"', '"0.1:0m60bjyrgod0ww82hqimep"', '{"gives":"value","schema":{"type":"boolean"},"sensitive":false,"timeoutMs":604800000,"expiresAt":1795675521757}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 1, '"step"', '"first#1"', '{"value":"first old","outputs":{"own":{"artifacts":[1,2]}},"workedMs":1}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 2, '"step"', '"failing#1"', '{"error":{"name":"Error","message":"failing old failed"},"outputs":{},"workedMs":7}'),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 1, '"correction"', '"artifact 3"', '{"drop":[2,2],"update":{"taskId":"01a1f28d-7ff3-727b-96f4-f143bb03565f","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","artifact":{"artifactId":"report","name":"report","parts":[{"text":"two "}]},"append":true},"before":2}'),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 1, '"step"', '"before#1"', '{"value":"before old","outputs":{}}'),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 2, '"message"', '"01a1f28d-8086-7b62-b55a-e0020369011a \"hello\""', '{"messageId":"01a1f28d-8086-7b62-b55a-e0020369011a \"hello\"","contextId":"01a1f28d-8086-7ca7-b10f-23a5e794b176","taskId":"01a1f28d-8086-7b62-b55a-e0020369011a","role":"ROLE_USER","parts":[{"text":"hello"}]}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 1, '"question"', '"0.1:1eo1hndx3mq1185wxrzcct"', '{"gives":"text","sensitive":false,"timeoutMs":604800000,"expiresAt":1795675522265}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 2, '"answer"', '"0.1:1eo1hndx3mq1185wxrzcct"', '{"value":"blue","said":{"messageId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2 \"blue\"","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","role":"ROLE_USER","parts":[{"text":"blue"}]}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 1, '"turn"', '"turn 1"', '{"message":{"messageId":"01a1f28d-8139-7c76-8361-e247da496a80 \"recorded again\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"recorded again"}]},"extensions":[],"after":5}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 2, '"read"', '"1"', '{"upTo":0}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 3, '"sleep"', '"1"', '{"until":1795070722495}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 4, '"slept"', '"1"', '{}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 5, '"question"', '"1.1:0ov2ynlivtw13i331t2bk9"', '{"gives":"text","sensitive":false,"timeoutMs":604800000,"expiresAt":1795675522494}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 6, '"sleep"', '"2"', '{"until":1795071022510}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 7, '"answer"', '"1.1:0ov2ynlivtw13i331t2bk9"', '{"value":"now","said":{"messageId":"01a1f28d-8139-7c76-8361-e247da496a80 \"now\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"now"}]}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 8, '"message"', '"01a1f28d-8139-7c76-8361-e247da496a80 \"hello\""', '{"messageId":"01a1f28d-8139-7c76-8361-e247da496a80 \"hello\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"hello"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 9, '"read"', '"2"', '{"upTo":8}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 10, '"step"', '"generate#1"', '{"value":"generate old","outputs":{"own":{"artifacts":[2,3]}},"workedMs":6}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 11, '"step"', '"left#1"', '{"value":"left old","outputs":{},"workedMs":4}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 12, '"step"', '"right#1"', '{"value":"right old","outputs":{}}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 13, '"step"', '"outer#1/inner#1"', '{"value":"inner old","outputs":{},"workedMs":20}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 14, '"step"', '"outer#1"', '{"value":"outer old inner old","outputs":{},"workedMs":8}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 15, '"correction"', '"artifact 5"', '{"drop":[4,4],"update":{"taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","artifact":{"artifactId":"draft","name":"draft","parts":[{"text":"draft 2"}]},"append":true},"before":4}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 16, '"step"', '"draft#1"', '{"value":"draft old","outputs":{"own":{"artifacts":[5,5]}},"workedMs":12}');

INSERT INTO schema_of_the_dump.message VALUES
	('01a1f28d-7a3c-7d55-938f-584d2179ba1f', 1, '{"messageId":"first \"sleeping\"","contextId":"01a1f28d-7a3c-7cfb-88ae-af27fda1adc1","taskId":"01a1f28d-7a3c-7d55-938f-584d2179ba1f","role":"ROLE_USER","parts":[{"text":"sleeping"}]}'),
	('01a1f28d-7a83-78b8-9183-807c8838c79c', 1, '{"messageId":"first \"canceled\"","contextId":"01a1f28d-7a84-7c06-90fc-55fa2286f5bf","taskId":"01a1f28d-7a83-78b8-9183-807c8838c79c","role":"ROLE_USER","parts":[{"text":"canceled"}]}'),
	('01a1f28d-7ad9-7b10-8bc5-73f198d72202', 1, '{"messageId":"first \"text\"","contextId":"01a1f28d-7ad9-7421-bc19-9a565493f017","taskId":"01a1f28d-7ad9-7b10-8bc5-73f198d72202","role":"ROLE_USER","parts":[{"text":"text"}]}'),
	('01a1f28d-7b14-7cae-9202-0adc73ce992f', 1, '{"messageId":"first \"confirm\"","contextId":"01a1f28d-7b14-7615-8de7-13e3d3adc749","taskId":"01a1f28d-7b14-7cae-9202-0adc73ce992f","role":"ROLE_USER","parts":[{"text":"confirm"}]}'),
	('01a1f28d-7b4f-78d8-81e0-4d009fb077f3', 1, '{"messageId":"first \"choose\"","contextId":"01a1f28d-7b4f-7f3b-9b46-b39b72b95f16","taskId":"01a1f28d-7b4f-78d8-81e0-4d009fb077f3","role":"ROLE_USER","parts":[{"text":"choose"}]}'),
	('01a1f28d-7bbd-73ed-935e-1052fde55f44', 1, '{"messageId":"first \"form\"","contextId":"01a1f28d-7bbd-7833-b8b8-377fff5de772","taskId":"01a1f28d-7bbd-73ed-935e-1052fde55f44","role":"ROLE_USER","parts":[{"text":"form"}]}'),
	('01a1f28d-7bfc-7a97-8ec9-fff651aecc03', 1, '{"messageId":"first \"schema\"","contextId":"01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de","taskId":"01a1f28d-7bfc-7a97-8ec9-fff651aecc03","role":"ROLE_USER","parts":[{"text":"schema"}]}'),
	('01a1f28d-7c4d-776f-ae22-1f1ec0019c6a', 1, '{"messageId":"first \"expired\"","contextId":"01a1f28d-7c4d-7ea7-81fb-d72f32ac457a","taskId":"01a1f28d-7c4d-776f-ae22-1f1ec0019c6a","role":"ROLE_USER","parts":[{"text":"expired"}]}'),
	('01a1f28d-7c8f-7d7e-a324-4e9419e429eb', 1, '{"messageId":"first \"authorize\"","contextId":"01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49","taskId":"01a1f28d-7c8f-7d7e-a324-4e9419e429eb","role":"ROLE_USER","parts":[{"text":"authorize"}]}'),
	('01a1f28d-7cdd-7993-bec1-3318f8f31182', 1, '{"messageId":"first \"turns\"","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","taskId":"01a1f28d-7cdd-7993-bec1-3318f8f31182","role":"ROLE_USER","parts":[{"text":"turns"}]}'),
	('01a1f28d-7d20-72d9-a8ad-bb6055133238', 1, '{"messageId":"first \"confirm\"","contextId":"01a1f28d-7d20-7da1-92c5-9187445373e6","taskId":"01a1f28d-7d20-72d9-a8ad-bb6055133238","role":"ROLE_USER","parts":[{"text":"confirm"}]}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 1, '{"messageId":"first \"completed\"","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","role":"ROLE_USER","parts":[{"text":"completed"}]}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 2, '{"messageId":"01a1f28d-7d78-743f-b239-9245e60c75ea","taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","role":"ROLE_AGENT","parts":[{"text":"Packing"}]}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 3, '{"messageId":"01a1f28d-7d95-752e-b26e-045bd65a6c08","taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]}'),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 4, '{"messageId":"01a1f28d-7d5d-7250-aff2-0c93654ac021 \"red\"","contextId":"01a1f28d-7d5d-7050-a743-73353701ba1e","taskId":"01a1f28d-7d5d-7250-aff2-0c93654ac021","role":"ROLE_USER","parts":[{"text":"red"}]}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 1, '{"messageId":"first \"completed\"","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","role":"ROLE_USER","parts":[{"text":"completed"}]}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 2, '{"messageId":"01a1f28d-7e4e-71b5-865c-81710ffd5a47","taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","role":"ROLE_AGENT","parts":[{"text":"Packing"}]}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 3, '{"messageId":"01a1f28d-7e59-7813-9e75-cb4c5a575daf","taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]}'),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 4, '{"messageId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed \"red\"","contextId":"01a1f28d-7e47-7331-9705-727a60ef71af","taskId":"01a1f28d-7e47-7142-a0e0-1ac053ff1bed","role":"ROLE_USER","parts":[{"text":"red"}]}'),
	('01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', 1, '{"messageId":"01a1f28d-7ec6-71ce-a830-e5f8134ca1da","contextId":"01a1f28d-7ecc-7799-9847-f1b6d34ad145","taskId":"01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d","role":"ROLE_USER","parts":[{"text":"confirm"}]}'),
	('01a1f28d-7f0a-71ea-9e10-f7b6c6a38073', 1, '{"messageId":"first \"failed\"","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","taskId":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","role":"ROLE_USER","parts":[{"text":"failed"}]}'),
	('01a1f28d-7f43-74b2-bcfd-b4ee9552c97a', 1, '{"messageId":"first \"rejected\"","contextId":"01a1f28d-7f43-7e91-862e-5508885c70e0","taskId":"01a1f28d-7f43-74b2-bcfd-b4ee9552c97a","role":"ROLE_USER","parts":[{"text":"rejected"}]}'),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 1, '{"messageId":"first \"notified\"","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","role":"ROLE_USER","parts":[{"text":"notified"}]}'),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 2, '{"messageId":"01a1f28d-7f79-705d-8639-a433ff9b9789","taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa","contextId":"01a1f28d-7f68-7f58-95c6-d75ff2d2b357","role":"ROLE_AGENT","parts":[{"text":"Packing"}]}'),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 1, '{"messageId":"first \"interrupted\"","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","role":"ROLE_USER","parts":[{"text":"interrupted"}]}'),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 1, '{"messageId":"first \"corrected\"","contextId":"01a1f28d-7ff3-74a5-a792-d68f12732ab9","taskId":"01a1f28d-7ff3-727b-96f4-f143bb03565f","role":"ROLE_USER","parts":[{"text":"corrected"}]}'),
	('01a1f28d-8047-7141-be37-18a2bd9f07d6', 1, '{"messageId":"first \"retried\"","contextId":"01a1f28d-8047-7575-ae71-5a10d476d9a6","taskId":"01a1f28d-8047-7141-be37-18a2bd9f07d6","role":"ROLE_USER","parts":[{"text":"retried"}]}'),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 1, '{"messageId":"first \"inbox\"","contextId":"01a1f28d-8086-7ca7-b10f-23a5e794b176","taskId":"01a1f28d-8086-7b62-b55a-e0020369011a","role":"ROLE_USER","parts":[{"text":"inbox"}]}'),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 2, '{"messageId":"01a1f28d-8086-7b62-b55a-e0020369011a \"hello\"","contextId":"01a1f28d-8086-7ca7-b10f-23a5e794b176","taskId":"01a1f28d-8086-7b62-b55a-e0020369011a","role":"ROLE_USER","parts":[{"text":"hello"}]}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 1, '{"messageId":"first \"answered\"","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","role":"ROLE_USER","parts":[{"text":"answered"}]}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 2, '{"messageId":"01a1f28d-80e1-706b-b3f0-5b5313c94cad","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","role":"ROLE_AGENT","parts":[{"text":"Which colour?"}]}'),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 3, '{"messageId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2 \"blue\"","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","role":"ROLE_USER","parts":[{"text":"blue"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 1, '{"messageId":"first \"recorded\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"recorded"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 2, '{"messageId":"01a1f28d-814d-7e42-8620-11ebbd86eaaa","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"What then?"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 3, '{"messageId":"01a1f28d-8139-7c76-8361-e247da496a80 \"recorded again\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"recorded again"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 4, '{"messageId":"01a1f28d-81c7-77cb-b1c7-a7ad11b5ea3b","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"Now?"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 5, '{"messageId":"01a1f28d-8139-7c76-8361-e247da496a80 \"now\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"now"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 6, '{"messageId":"01a1f28d-8139-7c76-8361-e247da496a80 \"hello\"","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","role":"ROLE_USER","parts":[{"text":"hello"}]}'),
	('01a1f28d-8139-7c76-8361-e247da496a80', 7, '{"messageId":"01a1f28d-8200-7314-b916-10630e1d689b","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"Listening"}]}'),
	('01a1f28d-8295-7215-939d-bfb4e11bd9d7', 1, '{"messageId":"first \"canceling\"","contextId":"01a1f28d-8295-788f-8c71-aa07290a3bef","taskId":"01a1f28d-8295-7215-939d-bfb4e11bd9d7","role":"ROLE_USER","parts":[{"text":"canceling"}]}'),
	('01a1f28d-82de-778e-ae97-11ae3f33752c', 1, '{"messageId":"first \"queued\"","contextId":"01a1f28d-82de-7a39-bd1b-8ec471cf59d2","taskId":"01a1f28d-82de-778e-ae97-11ae3f33752c","role":"ROLE_USER","parts":[{"text":"queued"}]}');

INSERT INTO schema_of_the_dump.migration VALUES
	(1, '2026-11-19 06:45:20.314744+00', '007e1f21-245d-4638-88a5-67e214a50723'),
	(2, '2026-11-19 06:45:20.314744+00', NULL),
	(3, '2026-11-19 06:45:20.314744+00', NULL),
	(4, '2026-11-19 06:45:20.314744+00', NULL),
	(5, '2026-11-19 06:45:20.314744+00', NULL);

INSERT INTO schema_of_the_dump.node VALUES
	('01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070735521);

INSERT INTO schema_of_the_dump.push_config VALUES
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 'webhook', 1, 'v1', 1795070721896, '{"id":"webhook","url":"http://127.0.0.1:9/webhook","taskId":"01a1f28d-7f68-7369-b6d0-2438bf6de0fa"}', '127.0.0.1', 0, 1795070724136, 1, 1795070721947, 0, NULL, NULL, 1);

INSERT INTO schema_of_the_dump.request_key VALUES
	('upgraded/k:key-of-sleeping', '', 'ann', '19k2nixxg8d2gl2t8k0mvv', '01a1f28d-7a3c-7d55-938f-584d2179ba1f', true, 1795157120572, NULL),
	('upgraded/m:first "canceled":14xosh83iae0u0tosn9qex', '', 'ann', '14xosh83iae0u0tosn9qex', '01a1f28d-7a83-78b8-9183-807c8838c79c', true, 1795157120643, NULL),
	('upgraded/m:first "text":0g9jc7tyx0k1v92j2gqlb3', '', 'ann', '0g9jc7tyx0k1v92j2gqlb3', '01a1f28d-7ad9-7b10-8bc5-73f198d72202', true, 1795157120729, NULL),
	('upgraded/m:first "confirm":23fwi1jwesr1i90fvxeso3', '', 'ann', '23fwi1jwesr1i90fvxeso3', '01a1f28d-7b14-7cae-9202-0adc73ce992f', true, 1795157120788, NULL),
	('upgraded/m:first "choose":1mpac4f90zb11ztp4yb703', '', 'ann', '1mpac4f90zb11ztp4yb703', '01a1f28d-7b4f-78d8-81e0-4d009fb077f3', true, 1795157120847, NULL),
	('upgraded/m:first "form":2gb4n3d7qff0jgyro4bzq8', '', 'ann', '2gb4n3d7qff0jgyro4bzq8', '01a1f28d-7bbd-73ed-935e-1052fde55f44', true, 1795157120957, NULL),
	('upgraded/m:first "schema":1adfz5nzww10nw20mdxet1', '', 'ann', '1adfz5nzww10nw20mdxet1', '01a1f28d-7bfc-7a97-8ec9-fff651aecc03', true, 1795157121020, NULL),
	('upgraded/m:first "expired":0zcz9vhsy7u1d5qvhiwf14', '', 'ann', '0zcz9vhsy7u1d5qvhiwf14', '01a1f28d-7c4d-776f-ae22-1f1ec0019c6a', true, 1795157121101, NULL),
	('upgraded/m:first "authorize":05j4m2qd7fd22z2un3hjv0', '', 'ann', '05j4m2qd7fd22z2un3hjv0', '01a1f28d-7c8f-7d7e-a324-4e9419e429eb', true, 1795157121167, NULL),
	('upgraded/m:first "turns":1eu30h24w8905rim5q12kg', '', 'ann', '1eu30h24w8905rim5q12kg', '01a1f28d-7cdd-7993-bec1-3318f8f31182', true, 1795157121245, NULL),
	('upgraded/m:first "confirm":23fwi1jwesr1i90fvxeso3', '', 'bob', '23fwi1jwesr1i90fvxeso3', '01a1f28d-7d20-72d9-a8ad-bb6055133238', true, 1795157121312, NULL),
	('upgraded/k:key-of-completed', '', 'ann', '0xx62m7og2m03liriieo39', '01a1f28d-7d5d-7250-aff2-0c93654ac021', true, 1795157121373, NULL),
	('upgraded/m:01a1f28d-7d5d-7250-aff2-0c93654ac021 "red":1v0m355ok8t0p5bx0zh2el', '', 'ann', '1v0m355ok8t0p5bx0zh2el', '01a1f28d-7d5d-7250-aff2-0c93654ac021', true, 1795157121513, NULL),
	('upgraded/k:key-of-completed', '', 'bob', '0xx62m7og2m03liriieo39', '01a1f28d-7e47-7142-a0e0-1ac053ff1bed', true, 1795157121607, NULL),
	('upgraded/m:01a1f28d-7e47-7142-a0e0-1ac053ff1bed "red":0xjantdawsz1gpyln1u8rg', '', 'bob', '0xjantdawsz1gpyln1u8rg', '01a1f28d-7e47-7142-a0e0-1ac053ff1bed', true, 1795157121661, NULL),
	('upgraded/m:01a1f28d-7ec6-71ce-a830-e5f8134ca1da:23fwi1jwesr1i90fvxeso3', '', 'cleo', '23fwi1jwesr1i90fvxeso3', '01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', true, 1795157121740, NULL),
	('upgraded/m:first "failed":1zkoptxrexb1od0u0an7nn', '', 'ann', '1zkoptxrexb1od0u0an7nn', '01a1f28d-7f0a-71ea-9e10-f7b6c6a38073', true, 1795157121802, NULL),
	('upgraded/m:first "rejected":0obye11q2ru232hij9v24c', '', 'ann', '0obye11q2ru232hij9v24c', '01a1f28d-7f43-74b2-bcfd-b4ee9552c97a', true, 1795157121859, NULL),
	('upgraded/m:first "notified":11s3bbcv7cv1pdjdmekg43', '', 'ann', '11s3bbcv7cv1pdjdmekg43', '01a1f28d-7f68-7369-b6d0-2438bf6de0fa', true, 1795157121896, NULL),
	('upgraded/m:first "interrupted":04vfhlm2p2q0lfidg0wgsi', '', 'ann', '04vfhlm2p2q0lfidg0wgsi', '01a1f28d-7fa1-785f-b491-b05a44bcc54f', true, 1795157121953, NULL),
	('upgraded/m:first "corrected":0hauakxoaxc12ejs4vhoez', '', 'ann', '0hauakxoaxc12ejs4vhoez', '01a1f28d-7ff3-727b-96f4-f143bb03565f', true, 1795157122035, NULL),
	('upgraded/m:first "retried":07xocdm4gei0kniqd5wb31', '', 'ann', '07xocdm4gei0kniqd5wb31', '01a1f28d-8047-7141-be37-18a2bd9f07d6', true, 1795157122119, NULL),
	('upgraded/m:first "inbox":2doqim9pxgk1aiy3fgjo1k', '', 'ann', '2doqim9pxgk1aiy3fgjo1k', '01a1f28d-8086-7b62-b55a-e0020369011a', true, 1795157122182, NULL),
	('upgraded/m:01a1f28d-8086-7b62-b55a-e0020369011a "hello":282vh0ngs5b0ndkykydgo3', '', 'ann', '282vh0ngs5b0ndkykydgo3', '01a1f28d-8086-7b62-b55a-e0020369011a', true, 1795157122227, NULL),
	('upgraded/m:first "answered":1m72bxyj3xs0jjkn62fa68', '', 'ann', '1m72bxyj3xs0jjkn62fa68', '01a1f28d-80cf-7b9c-935a-8f60c6575da2', true, 1795157122255, NULL),
	('upgraded/m:01a1f28d-80cf-7b9c-935a-8f60c6575da2 "blue":193ha1mir3o090ul12i3vs', '', 'ann', '193ha1mir3o090ul12i3vs', '01a1f28d-80cf-7b9c-935a-8f60c6575da2', true, 1795157122312, NULL),
	('upgraded/m:first "recorded":1yrni6e4da42fvqdryrd11', '', 'ann', '1yrni6e4da42fvqdryrd11', '01a1f28d-8139-7c76-8361-e247da496a80', true, 1795157122361, NULL),
	('upgraded/m:01a1f28d-8139-7c76-8361-e247da496a80 "recorded again":1ntlcsa7g8m1eeuwplrt0j', '', 'ann', '1ntlcsa7g8m1eeuwplrt0j', '01a1f28d-8139-7c76-8361-e247da496a80', true, 1795157122433, NULL),
	('upgraded/m:01a1f28d-8139-7c76-8361-e247da496a80 "now":1mshaeby0of1o2z6546czh', '', 'ann', '1mshaeby0of1o2z6546czh', '01a1f28d-8139-7c76-8361-e247da496a80', true, 1795157122526, NULL),
	('upgraded/m:01a1f28d-8139-7c76-8361-e247da496a80 "hello":08m6z9h55hi14ykqlhpkn0', '', 'ann', '08m6z9h55hi14ykqlhpkn0', '01a1f28d-8139-7c76-8361-e247da496a80', true, 1795157122586, NULL),
	('upgraded/m:first "canceling":1oy8inp87lb23xr3h8lf82', '', 'ann', '1oy8inp87lb23xr3h8lf82', '01a1f28d-8295-7215-939d-bfb4e11bd9d7', true, 1795157122709, NULL),
	('upgraded/m:first "queued":019zxtkf3wz29eb0bix3yq', '', 'ann', '019zxtkf3wz29eb0bix3yq', '01a1f28d-82de-778e-ae97-11ae3f33752c', true, 1795157122782, NULL);

INSERT INTO schema_of_the_dump.task OVERRIDING SYSTEM VALUE VALUES
	('01a1f28d-7a3c-7d55-938f-584d2179ba1f', 1, '', 'ann', '01a1f28d-7a3c-7cfb-88ae-af27fda1adc1', 'upgraded', NULL, 2, 1795070720588, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795071020630, NULL, 1795070720572, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:20.588Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 183, NULL, NULL, NULL),
	('01a1f28d-7a83-78b8-9183-807c8838c79c', 2, '', 'ann', '01a1f28d-7a84-7c06-90fc-55fa2286f5bf', 'upgraded', NULL, 5, 1795070720698, true, true, false, true, 4, 1, 1, 1, 0, NULL, NULL, NULL, 1795070720643, 1795070720698, '{"state":"TASK_STATE_CANCELED","timestamp":"2026-11-19T06:45:20.698Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 4, '[{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}]', NULL, false, 183, NULL, NULL, NULL),
	('01a1f28d-7ad9-7b10-8bc5-73f198d72202', 3, '', 'ann', '01a1f28d-7ad9-7421-bc19-9a565493f017', 'upgraded', NULL, 6, 1795070720764, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675520754, '"0.1:1u31pepeaby1istmmk4pep"', 1795070720729, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7afc-7353-86e2-afd26e2d6615","taskId":"01a1f28d-7ad9-7b10-8bc5-73f198d72202","contextId":"01a1f28d-7ad9-7421-bc19-9a565493f017","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:20.764Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 175, NULL, NULL, NULL),
	('01a1f28d-7b14-7cae-9202-0adc73ce992f', 4, '', 'ann', '01a1f28d-7b14-7615-8de7-13e3d3adc749', 'upgraded', NULL, 6, 1795070720825, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675520815, '"0.1:0m60bjyrgod0ww82hqimep"', 1795070720788, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7b39-7ec4-bb0f-1dbde7c044cc","taskId":"01a1f28d-7b14-7cae-9202-0adc73ce992f","contextId":"01a1f28d-7b14-7615-8de7-13e3d3adc749","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:20.825Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-7b4f-78d8-81e0-4d009fb077f3', 5, '', 'ann', '01a1f28d-7b4f-7f3b-9b46-b39b72b95f16', 'upgraded', NULL, 6, 1795070720916, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675520905, '"0.1:0tv09suslzu0zuf0o29h6u"', 1795070720847, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7b94-7ec8-a40d-9ed4dc190704","taskId":"01a1f28d-7b4f-78d8-81e0-4d009fb077f3","contextId":"01a1f28d-7b4f-7f3b-9b46-b39b72b95f16","role":"ROLE_AGENT","parts":[{"text":"Which size?\n1. S\n2. Medium"},{"data":{"question":{"kind":"choose","text":"Which size?","options":[{"id":"S","label":"S"},{"id":"M","label":"Medium"}],"schema":{"type":"string","enum":["S","M"]}}}}]},"timestamp":"2026-11-19T06:45:20.916Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 179, NULL, NULL, NULL),
	('01a1f28d-7bbd-73ed-935e-1052fde55f44', 6, '', 'ann', '01a1f28d-7bbd-7833-b8b8-377fff5de772', 'upgraded', NULL, 6, 1795070720986, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675520981, '"0.1:0665wxkh7hw1rkdnd5hdq8"', 1795070720957, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7bda-7bc1-a505-6a42481bd5c2","taskId":"01a1f28d-7bbd-73ed-935e-1052fde55f44","contextId":"01a1f28d-7bbd-7833-b8b8-377fff5de772","role":"ROLE_AGENT","parts":[{"text":"Where to?\n- city\n- floor"},{"data":{"question":{"kind":"form","text":"Where to?","schema":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer"}},"required":["city","floor"]}}}}]},"timestamp":"2026-11-19T06:45:20.986Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 175, NULL, NULL, NULL),
	('01a1f28d-7bfc-7a97-8ec9-fff651aecc03', 7, '', 'ann', '01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de', 'upgraded', NULL, 6, 1795070721072, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675521065, '"0.1:0wcczec0lr80irx8a6cwak"', 1795070721020, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7c30-7abd-a6a5-8ff91cbf1cbc","taskId":"01a1f28d-7bfc-7a97-8ec9-fff651aecc03","contextId":"01a1f28d-7bfc-72c0-a8e2-ca5c53fd82de","role":"ROLE_AGENT","parts":[{"text":"How many?"},{"data":{"question":{"schema":{"type":"integer"}}}}]},"timestamp":"2026-11-19T06:45:21.072Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 179, NULL, NULL, NULL),
	('01a1f28d-7c4d-776f-ae22-1f1ec0019c6a', 8, '', 'ann', '01a1f28d-7c4d-7ea7-81fb-d72f32ac457a', 'upgraded', NULL, 6, 1795070721134, true, false, false, true, 3, 1, 1, 1, 0, NULL, 1795071021117, '"0.1:1u31pepeaby1istmmk4pep"', 1795070721101, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7c6e-79d0-8ad5-e4fbd8e7c844","taskId":"01a1f28d-7c4d-776f-ae22-1f1ec0019c6a","contextId":"01a1f28d-7c4d-7ea7-81fb-d72f32ac457a","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:21.134Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-7c8f-7d7e-a324-4e9419e429eb', 9, '', 'ann', '01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49', 'upgraded', NULL, 8, 1795070721201, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675521190, '"0.1:11iso2owomx1hb1thc93ec"', 1795070721167, NULL, '{"state":"TASK_STATE_AUTH_REQUIRED","message":{"messageId":"01a1f28d-7cb4-7943-bfe4-ba7fdd45b1f5","taskId":"01a1f28d-7c8f-7d7e-a324-4e9419e429eb","contextId":"01a1f28d-7c8f-75f6-bd77-8a60b6fd2c49","role":"ROLE_AGENT","parts":[{"text":"Sign in\nhttps://example.com/login"}]},"timestamp":"2026-11-19T06:45:21.201Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 185, NULL, NULL, NULL),
	('01a1f28d-7d20-72d9-a8ad-bb6055133238', 11, '', 'bob', '01a1f28d-7d20-7da1-92c5-9187445373e6', 'upgraded', NULL, 6, 1795070721348, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675521345, '"0.1:0m60bjyrgod0ww82hqimep"', 1795070721312, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7d44-7aca-ad0f-29ffddf72da0","taskId":"01a1f28d-7d20-72d9-a8ad-bb6055133238","contextId":"01a1f28d-7d20-7da1-92c5-9187445373e6","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:21.348Z"}', NULL, '{"caller":{"id":"bob","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-7e47-7142-a0e0-1ac053ff1bed', 13, '', 'bob', '01a1f28d-7e47-7331-9705-727a60ef71af', 'upgraded', NULL, 3, 1795070721708, true, false, false, true, 12, 3, 4, 2, 1, NULL, NULL, NULL, 1795070721607, 1795070721708, '{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:21.708Z"}', NULL, '{"caller":{"id":"bob","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 12, '[{"artifactId":"list","name":"list","parts":[{"text":"one two"}],"description":"What is in the box","metadata":{"box":1}},{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]},{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]},{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]},{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]}]', NULL, false, 750, NULL, 2, NULL),
	('01a1f28d-8139-7c76-8361-e247da496a80', 23, '', 'ann', '01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c', 'upgraded', NULL, 2, 1795070722677, true, false, false, true, 14, 16, 7, 4, 1, '01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070722586, NULL, 1795070722361, NULL, '{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-8275-71ee-8586-a9c1e9a24e30","taskId":"01a1f28d-8139-7c76-8361-e247da496a80","contextId":"01a1f28d-8139-71c0-aaf6-9aca5a4b5d0c","role":"ROLE_AGENT","parts":[{"text":"Finishing"}]},"timestamp":"2026-11-19T06:45:22.677Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 1279, NULL, 8, NULL),
	('01a1f28d-7cdd-7993-bec1-3318f8f31182', 10, '', 'ann', '01a1f28d-7cdd-738e-9c89-f0850b4393b3', 'upgraded', NULL, 6, 1795070721273, true, false, false, true, 4, 1, 1, 1, 0, NULL, 1795675521273, '"turn 1"', 1795070721245, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7cf9-777d-85e1-d0023bc3c6bf","taskId":"01a1f28d-7cdd-7993-bec1-3318f8f31182","contextId":"01a1f28d-7cdd-738e-9c89-f0850b4393b3","role":"ROLE_AGENT","parts":[{"text":"Which city?"}]},"timestamp":"2026-11-19T06:45:21.273Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 177, NULL, NULL, NULL),
	('01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d', 14, '', 'cleo', '01a1f28d-7ecc-7799-9847-f1b6d34ad145', 'upgraded', 'upgraded/chosen-by-cleo', 6, 1795070721764, true, false, false, true, 3, 2, 1, 1, 0, NULL, 1795675521757, '"0.1:0m60bjyrgod0ww82hqimep"', 1795070721740, NULL, '{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"01a1f28d-7ee4-706b-8895-017382d52041","taskId":"01a1f28d-7ecc-75c2-a571-2fcac2ea6f5d","contextId":"01a1f28d-7ecc-7799-9847-f1b6d34ad145","role":"ROLE_AGENT","parts":[{"text":"Book it? (yes/no)"},{"data":{"question":{"kind":"confirm","text":"Book it?","schema":{"type":"boolean"}}}}]},"timestamp":"2026-11-19T06:45:21.764Z"}', NULL, '{"caller":{"id":"cleo","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 202, NULL, NULL, NULL),
	('01a1f28d-7f0a-71ea-9e10-f7b6c6a38073', 15, '', 'ann', '01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6', 'upgraded', NULL, 4, 1795070721833, true, false, false, true, 4, 0, 1, 1, 1, NULL, NULL, NULL, 1795070721802, 1795070721833, '{"state":"TASK_STATE_FAILED","message":{"messageId":"01a1f28d-7f29-7070-8f26-71c6bb5bb985","taskId":"01a1f28d-7f0a-71ea-9e10-f7b6c6a38073","contextId":"01a1f28d-7f0a-7f5b-9e83-675ecf8e1bd6","role":"ROLE_AGENT","parts":[{"text":"Out of stock"}]},"timestamp":"2026-11-19T06:45:21.833Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 4, '[{"artifactId":"response","name":"response","parts":[{"text":"begun"}]}]', NULL, false, 179, NULL, NULL, NULL),
	('01a1f28d-8086-7b62-b55a-e0020369011a', 21, '', 'ann', '01a1f28d-8086-7ca7-b10f-23a5e794b176', 'upgraded', NULL, 2, 1795070722193, true, false, false, true, 3, 2, 2, 1, 1, '01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070722182, NULL, 1795070722182, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.193Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 334, NULL, NULL, NULL),
	('01a1f28d-80cf-7b9c-935a-8f60c6575da2', 22, '', 'ann', '01a1f28d-80cf-7088-a65d-67367ff4f1a2', 'upgraded', NULL, 2, 1795070722341, true, false, false, true, 5, 2, 3, 2, 1, '01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070722316, NULL, 1795070722255, NULL, '{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-8125-73d3-a336-6bf7c6e39a7b","taskId":"01a1f28d-80cf-7b9c-935a-8f60c6575da2","contextId":"01a1f28d-80cf-7088-a65d-67367ff4f1a2","role":"ROLE_AGENT","parts":[{"text":"Painting"}]},"timestamp":"2026-11-19T06:45:22.341Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 547, NULL, 2, NULL),
	('01a1f28d-7d5d-7250-aff2-0c93654ac021', 12, '', 'ann', '01a1f28d-7d5d-7050-a743-73353701ba1e', 'upgraded', NULL, 3, 1795070721580, true, false, false, true, 12, 3, 4, 2, 1, NULL, NULL, NULL, 1795070721373, 1795070721580, '{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:21.580Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 12, '[{"artifactId":"list","name":"list","parts":[{"text":"one two"}],"description":"What is in the box","metadata":{"box":1}},{"artifactId":"order.json","name":"order.json","parts":[{"data":{"items":["one","two"],"total":9.5}}]},{"artifactId":"label.png","name":"label.png","parts":[{"raw":"iVBORw0KGgo=","mediaType":"image/png","filename":"label.png"}]},{"artifactId":"invoice","name":"invoice","parts":[{"url":"https://example.com/invoice.pdf","mediaType":"application/pdf"}]},{"artifactId":"response","name":"response","parts":[{"text":"pack old red"}]}]', NULL, false, 750, NULL, 2, NULL),
	('01a1f28d-7f43-74b2-bcfd-b4ee9552c97a', 16, '', 'ann', '01a1f28d-7f43-7e91-862e-5508885c70e0', 'upgraded', NULL, 7, 1795070721868, true, false, false, true, 3, 0, 1, 1, 1, NULL, NULL, NULL, 1795070721859, 1795070721868, '{"state":"TASK_STATE_REJECTED","message":{"messageId":"01a1f28d-7f4c-75ce-969c-0853dd31bd12","taskId":"01a1f28d-7f43-74b2-bcfd-b4ee9552c97a","contextId":"01a1f28d-7f43-7e91-862e-5508885c70e0","role":"ROLE_AGENT","parts":[{"text":"Not sold here"}]},"timestamp":"2026-11-19T06:45:21.868Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 183, NULL, NULL, NULL),
	('01a1f28d-7f68-7369-b6d0-2438bf6de0fa', 17, '', 'ann', '01a1f28d-7f68-7f58-95c6-d75ff2d2b357', 'upgraded', NULL, 3, 1795070721914, true, false, true, true, 5, 0, 2, 1, 1, NULL, NULL, NULL, 1795070721896, 1795070721914, '{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-19T06:45:21.914Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 5, '[{"artifactId":"response","name":"response","parts":[{"text":"Packed"}]}]', NULL, false, 386, NULL, NULL, NULL),
	('01a1f28d-7fa1-785f-b491-b05a44bcc54f', 18, '', 'ann', '01a1f28d-7fa1-7afc-addb-07333fb36af8', 'upgraded', NULL, 2, 1795070721966, true, false, false, true, 5, 1, 1, 1, 1, '01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070721953, NULL, 1795070721953, NULL, '{"state":"TASK_STATE_WORKING","message":{"messageId":"01a1f28d-7fae-749e-8299-71b398436112","taskId":"01a1f28d-7fa1-785f-b491-b05a44bcc54f","contextId":"01a1f28d-7fa1-7afc-addb-07333fb36af8","role":"ROLE_AGENT","parts":[{"text":"Writing"}]},"timestamp":"2026-11-19T06:45:21.966Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 189, NULL, NULL, NULL),
	('01a1f28d-7ff3-727b-96f4-f143bb03565f', 19, '', 'ann', '01a1f28d-7ff3-74a5-a792-d68f12732ab9', 'upgraded', NULL, 2, 1795070722045, true, false, false, true, 4, 0, 1, 1, 1, '01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070722035, NULL, 1795070722035, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.045Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 185, NULL, NULL, NULL),
	('01a1f28d-8047-7141-be37-18a2bd9f07d6', 20, '', 'ann', '01a1f28d-8047-7575-ae71-5a10d476d9a6', 'upgraded', NULL, 2, 1795070722131, true, false, false, true, 3, 0, 1, 1, 1, '01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070722119, NULL, 1795070722119, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.131Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 181, NULL, NULL, NULL),
	('01a1f28d-8295-7215-939d-bfb4e11bd9d7', 24, '', 'ann', '01a1f28d-8295-788f-8c71-aa07290a3bef', 'upgraded', NULL, 2, 1795070722717, true, true, false, true, 3, 0, 1, 1, 1, '01a1f28d-788b-76ca-ad7a-32263d8eeee9', 1795070722746, NULL, 1795070722709, NULL, '{"state":"TASK_STATE_WORKING","timestamp":"2026-11-19T06:45:22.717Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, false, 185, NULL, NULL, NULL),
	('01a1f28d-82de-778e-ae97-11ae3f33752c', 25, '', 'ann', '01a1f28d-82de-7a39-bd1b-8ec471cf59d2', 'upgraded', NULL, 1, 1795070722782, true, false, false, true, 1, 0, 1, 0, 0, NULL, 1795070722782, NULL, 1795070722782, NULL, '{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-19T06:45:22.782Z"}', NULL, '{"caller":{"id":"ann","isVerified":true},"acceptedOutputModes":[],"extensions":[]}', 0, NULL, NULL, true, 179, NULL, NULL, NULL);

INSERT INTO schema_of_the_dump.token_bucket VALUES
	('["upgraded","caller","cleo"]', 99, true, 1795070721727, 1795070721827),
	('["upgraded","caller","bob"]', 98.23, true, 1795070722973, 1795070723150),
	('["upgraded","caller","ann"]', 45.289999999999985, true, 1795070723094, 1795070728566);

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
