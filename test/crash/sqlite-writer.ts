/**
 * A process that writes to a SQLite store until it is killed: `sqlite-writer.ts <file>`. Prints `open` when the store is
 * open, then a line `<task> <event>` for every write after its acknowledgement.
 */
import { sqlite } from '../../src/store/sqlite/store.ts';
import { writeLine } from './write-line.ts';

const IN_FLIGHT = 32;
const EVENTS_PER_TASK = 20;

const store = sqlite(process.argv[2] ?? '');
writeLine('open');
for (let i = 0; i < IN_FLIGHT; i += 1) void writeTasks(i);

async function writeTasks(worker: number): Promise<never> {
  for (let i = 0; ; i += 1) await writeTask(`${process.pid}-${worker}-${i}`);
}

async function writeTask(taskId: string): Promise<void> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: taskId }] } as const;
  await store.create({
    id: taskId,
    tenant: '',
    owner: 'crash',
    contextId: taskId,
    agent: 'writer',
    status: { state: 'TASK_STATE_WORKING' },
    origin: {},
    message,
    event: { kind: 'task', body: `${taskId} 1` },
    createdAt: 1,
    wakeAt: 1,
    node: 'writer',
  });
  writeLine(`${taskId} 1`);
  for (let number = 2; number <= EVENTS_PER_TASK; number += 1) {
    const result = await store.append({
      taskId,
      guard: { lease: { node: 'writer', fence: 1 } },
      events: [{ kind: 'artifact', body: `${taskId} ${number}` }],
      journal: [{ kind: 'step', key: `${number}`, body: number }],
      history: [message],
    });
    if (result.kind !== 'appended' || result.firstEvent !== number) throw new Error(JSON.stringify(result));
    writeLine(`${taskId} ${number}`);
  }
}
