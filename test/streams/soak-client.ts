import type { Input, OperationName, Output } from '../../src/model/operation.ts';
import { isTerminal } from '../../src/model/state.ts';
import type { Task } from '../../src/model/task.ts';
import { decodeResult } from '../../src/wire/dialect.ts';
import { decodeResponse } from '../../src/wire/jsonrpc.ts';
import type { Random } from '../simulation/random.ts';
import { ResumingClient } from './resuming-client.ts';
import { send, subscribe, taskIdOf } from './stream-calls.ts';
import { StreamReader } from './stream-reader.ts';
import { requestOf, RPC_1, userMessage, type Way, WAYS } from './ways.ts';

/** What a client does, once, in words of its own choice. Each throws if it is not served as it should be. */
export const ERRANDS = {
  send: async (port, way) => {
    ended(await sent(port, way, 'work'), 'TASK_STATE_COMPLETED');
  },
  stream: async (port, way) => {
    const reader = send(port, way, 'work');
    if ((await reader.ended) !== 'complete' || reader.state !== 'TASK_STATE_COMPLETED') throw new Error('Cut off');
  },
  resume: async (port, way, random) => {
    const sender = await send(port, way, 'work').until(({ events }) => events.length > 0);
    sender.leave();
    const client = new ResumingClient({
      port: async () => port,
      way,
      taskId: taskIdOf(sender),
      random,
      begins: 'at the first event',
      patience: 20,
    });
    await client.run();
    if (client.faults.length > 0) throw new Error(client.faults.join('; '));
  },
  cancel: async (port, way) => {
    const reader = await send(port, way, 'wait').until(({ events }) => events.length >= 3);
    ended(await call(port, way, 'CancelTask', { id: taskIdOf(reader) }), 'TASK_STATE_CANCELED');
    if ((await reader.ended) !== 'complete') throw new Error('Cut off');
  },
  question: async (port, way) => {
    const asked = await sent(port, way, 'ask');
    ended(asked, 'TASK_STATE_INPUT_REQUIRED');
    const answered = await call(port, way, 'SendMessage', userMessage('this', asked.id));
    ended('task' in answered ? answered.task : undefined, 'TASK_STATE_COMPLETED');
  },
  read: async (port, way) => {
    const { tasks } = await call(port, RPC_1, 'ListTasks', { pageSize: 20 });
    const task = tasks.find(({ status }) => !isTerminal(status.state));
    if (task !== undefined) await call(port, way, 'GetTask', { id: task.id });
  },
  vanish: async (port, way, random) => {
    const left = random.int(0, 5);
    const reader = send(port, way, 'work');
    if (left > 0) await reader.until(({ events }) => events.length >= left);
    reader.leave();
    await reader.ended;
  },
  listen: async (port, way) => {
    const reader = await send(port, way, 'wait').until(({ events }) => events.length >= 3);
    const other = await subscribe(port, way, taskIdOf(reader)).until(({ events }) => events.length > 0);
    reader.leave();
    await call(port, way, 'CancelTask', { id: taskIdOf(reader) });
    if ((await other.ended) !== 'complete' || other.state !== 'TASK_STATE_CANCELED') throw new Error('Cut off');
  },
} as const satisfies Record<string, (port: number, way: Way, random: Random) => Promise<void>>;

export type OperationCall = keyof typeof ERRANDS;

/** Runs one that chance picks, in a way that chance picks. Says which. */
export async function runErrand(port: number, random: Random): Promise<OperationCall> {
  const name = random.pick(Object.keys(ERRANDS) as OperationCall[]);
  const way = random.pick(WAYS);
  try {
    await ERRANDS[name](port, way, random);
  } catch (cause) {
    throw new Error(`${name} in ${way.name}: ${String(cause)}`, { cause });
  }
  return name;
}

async function sent(port: number, way: Way, text: string): Promise<Task> {
  const result = await call(port, way, 'SendMessage', userMessage(text));
  if (!('task' in result)) throw new Error('Expected a task');
  return result.task;
}

function ended(task: Task | undefined, state: Task['status']['state']): void {
  if (task?.status.state !== state) throw new Error(`Expected ${state}, not ${task?.status.state}`);
}

async function call<K extends OperationName>(
  port: number,
  way: Way,
  operation: K,
  input: Input<K>,
): Promise<Output<K>> {
  const reader = new StreamReader(port, way, requestOf(way, operation, input));
  const ending = await reader.ended;
  if (ending !== 'complete' || reader.status !== 200) throw new Error(`${ending}: ${reader.status} ${reader.body}`);
  const json: unknown = JSON.parse(reader.body);
  if (way.binding === 'REST') return decodeResult(way.dialect, operation, json).value;
  const reply = decodeResponse(json);
  if (reply.error !== undefined) throw way.dialect.errors.decodeRpc(reply.error);
  return decodeResult(way.dialect, operation, reply.result).value;
}
