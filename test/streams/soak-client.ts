import type { Input, OperationName, Output } from '../../src/model/operation.ts';
import { isTerminal } from '../../src/model/state.ts';
import type { Task } from '../../src/model/task.ts';
import { decodeResult } from '../../src/wire/dialect.ts';
import { decodeResponse } from '../../src/wire/jsonrpc.ts';
import type { Random } from '../simulation/random.ts';
import { ResumingClient } from './resuming-client.ts';
import { send, subscribe, taskIdOf } from './stream-calls.ts';
import { StreamClient } from './stream-client.ts';
import { requestOf, RPC_1, userMessage, type WireFormat, WIRE_FORMATS } from './wire-formats.ts';

/** Requests of one client, in any wire format. Each throws if a response is wrong. */
export const SCENARIOS = {
  send: async (port, format) => {
    ended(await sent(port, format, 'work'), 'TASK_STATE_COMPLETED');
  },
  stream: async (port, format) => {
    const subscriber = send(port, format, 'work');
    if ((await subscriber.ended) !== 'complete' || subscriber.state !== 'TASK_STATE_COMPLETED')
      throw new Error('Cut off');
  },
  resume: async (port, format, random) => {
    const sender = await send(port, format, 'work').until(({ events }) => events.length > 0);
    sender.disconnect();
    const client = new ResumingClient({
      port: async () => port,
      format,
      taskId: taskIdOf(sender),
      random,
      startsAt: 'first event',
      maxEvents: 20,
    });
    await client.run();
    if (client.faults.length > 0) throw new Error(client.faults.join('; '));
  },
  cancel: async (port, format) => {
    const subscriber = await send(port, format, 'wait').until(({ events }) => events.length >= 3);
    ended(await call(port, format, 'CancelTask', { id: taskIdOf(subscriber) }), 'TASK_STATE_CANCELED');
    if ((await subscriber.ended) !== 'complete') throw new Error('Cut off');
  },
  question: async (port, format) => {
    const asked = await sent(port, format, 'ask');
    ended(asked, 'TASK_STATE_INPUT_REQUIRED');
    const answered = await call(port, format, 'SendMessage', userMessage('this', asked.id));
    ended('task' in answered ? answered.task : undefined, 'TASK_STATE_COMPLETED');
  },
  read: async (port, format) => {
    const { tasks } = await call(port, RPC_1, 'ListTasks', { pageSize: 20 });
    const task = tasks.find(({ status }) => !isTerminal(status.state));
    if (task !== undefined) await call(port, format, 'GetTask', { id: task.id });
  },
  disconnect: async (port, format, random) => {
    const eventsToRead = random.int(0, 5);
    const subscriber = send(port, format, 'work');
    if (eventsToRead > 0) await subscriber.until(({ events }) => events.length >= eventsToRead);
    subscriber.disconnect();
    await subscriber.ended;
  },
  subscribe: async (port, format) => {
    const subscriber = await send(port, format, 'wait').until(({ events }) => events.length >= 3);
    const other = await subscribe(port, format, taskIdOf(subscriber)).until(({ events }) => events.length > 0);
    subscriber.disconnect();
    await call(port, format, 'CancelTask', { id: taskIdOf(subscriber) });
    if ((await other.ended) !== 'complete' || other.state !== 'TASK_STATE_CANCELED') throw new Error('Cut off');
  },
} as const satisfies Record<string, (port: number, format: WireFormat, random: Random) => Promise<void>>;

export type ScenarioName = keyof typeof SCENARIOS;

/** Runs a random scenario in a random wire format. Resolves to the name of the scenario. */
export async function runRandomScenario(port: number, random: Random): Promise<ScenarioName> {
  const name = random.pick(Object.keys(SCENARIOS) as ScenarioName[]);
  const format = random.pick(WIRE_FORMATS);
  try {
    await SCENARIOS[name](port, format, random);
  } catch (cause) {
    throw new Error(`${name} in ${format.name}: ${String(cause)}`, { cause });
  }
  return name;
}

async function sent(port: number, format: WireFormat, text: string): Promise<Task> {
  const result = await call(port, format, 'SendMessage', userMessage(text));
  if (!('task' in result)) throw new Error('Expected a task');
  return result.task;
}

function ended(task: Task | undefined, state: Task['status']['state']): void {
  if (task?.status.state !== state) throw new Error(`Expected ${state}, not ${task?.status.state}`);
}

async function call<K extends OperationName>(
  port: number,
  format: WireFormat,
  operation: K,
  input: Input<K>,
): Promise<Output<K>> {
  const subscriber = new StreamClient(port, format, requestOf(format, operation, input));
  const ending = await subscriber.ended;
  if (ending !== 'complete' || subscriber.status !== 200)
    throw new Error(`${ending}: ${subscriber.status} ${subscriber.body}`);
  const json: unknown = JSON.parse(subscriber.body);
  if (format.binding === 'REST') return decodeResult(format.dialect, operation, json).value;
  const reply = decodeResponse(json);
  if (reply.error !== undefined) throw format.dialect.errors.decodeRpc(reply.error);
  return decodeResult(format.dialect, operation, reply.result).value;
}
