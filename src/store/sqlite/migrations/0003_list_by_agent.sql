-- Several agents may have their tasks in one file, and each lists its own: as many of the others as there are must not
-- lie in between. Within a context, where there are few, looking at all of them is enough.
DROP INDEX task_list;
DROP INDEX task_list_state;
DROP INDEX task_list_context;

CREATE INDEX task_list ON task (tenant, owner, agent, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_state ON task (tenant, owner, agent, state, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_context ON task (tenant, owner, context_id, status_time, id, state, agent) WHERE visible = 1;
