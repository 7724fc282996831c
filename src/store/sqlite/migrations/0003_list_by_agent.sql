-- Several agents can share a file, and each lists only its own tasks, so a list must not scan the tasks of other agents. A
-- context has few tasks, so there a scan is cheap enough.
DROP INDEX task_list;
DROP INDEX task_list_state;
DROP INDEX task_list_context;

CREATE INDEX task_list ON task (tenant, owner, agent, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_state ON task (tenant, owner, agent, state, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_context ON task (tenant, owner, context_id, status_time, id, state, agent) WHERE visible = 1;
