/** The ways to use an agent, each with the request that fails. */
import type { AgentClient } from '../../../src/client/client.ts';
import type { CallOptions, WaitOptions } from '../../../src/client/options.ts';
import type { TaskStream } from '../../../src/client/task-stream.ts';
import type { OperationName } from '../../../src/model/operation.ts';
import type { FakePeerOptions, Fault } from '../../../src/testing/index.ts';
import type { ProtocolVersion } from '../../../src/wire/version.ts';

type Script = NonNullable<FakePeerOptions['script']>;

/** The output of the agent in every cell, once `until` resolves: six events, three of which are chunks of one text. */
function work(until: Promise<unknown>): Script[number] {
  return [{ status: 'working' }, { until }, 'Hel', 'lo ', 'Rome'];
}

export const ANSWER = 'Hello Rome';

/** The columns of the table: the outcome of a fault depends on the request that it affects. */
export type Column = 'send' | 'stream' | 'poll' | 'resubscribe' | 'subscribe';

/** A running cell of the table. */
export interface Cell {
  readonly agent: AgentClient;
  /** For every call. */
  readonly options: CallOptions & Pick<WaitOptions, 'onProgress'>;
  readonly isNumbered: boolean;
  /** Connects once more, as another process would. */
  reconnect(handle: string): Promise<AgentClient>;
  /** Injects the fault into this operation from now on, and lets the agent continue its work. */
  inject(operation: OperationName): void;
}

export interface Scenario {
  readonly column: Column;
  /** If the column depends on the version. */
  columnFor?(way: { readonly version: ProtocolVersion; readonly isNumbered: boolean }): Column;
  /** All versions, if not set. */
  readonly versions?: readonly ProtocolVersion[];
  /** The agent asks a question, which the client answers. */
  readonly asksFirst?: boolean;
  /** Faults before the one of the cell. */
  readonly faults?: readonly Fault[];
  run(cell: Cell): Promise<string>;
}

export function scriptOf({ asksFirst = false }: Scenario, until: Promise<unknown>): Script {
  return asksFirst ? [[{ status: 'input-required', text: 'Where to?' }], work(until)] : [work(until)];
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'send with wait: block': {
    column: 'send',
    async run({ agent, options, inject }) {
      inject('SendMessage');
      return (await agent.send('Rome', { ...options, wait: 'block' })).text;
    },
  },
  'send with wait: poll, fault in the message': {
    column: 'send',
    // 0.1 has no option to return immediately.
    versions: ['1.0', '0.3', '0.2'],
    async run({ agent, options, inject }) {
      inject('SendMessage');
      return (await agent.send('Rome', { ...options, wait: 'poll' })).text;
    },
  },
  'send with wait: poll, fault in GetTask': {
    column: 'poll',
    async run({ agent, options, inject }) {
      inject('GetTask');
      return (await agent.send('Rome', { ...options, wait: 'poll' })).text;
    },
  },
  ask: {
    column: 'stream',
    async run({ agent, options, inject }) {
      inject('SendStreamingMessage');
      return agent.ask('Rome', options);
    },
  },
  stream: {
    column: 'stream',
    async run({ agent, options, inject }) {
      inject('SendStreamingMessage');
      return read(agent.stream('Rome', options), options.onProgress);
    },
  },
  answer: {
    column: 'stream',
    asksFirst: true,
    async run({ agent, options, inject }) {
      const question = await agent.send('Hi');
      inject('SendStreamingMessage');
      return (await agent.task(question.handle ?? '').answer('Rome', options)).text;
    },
  },
  'wait for a task by its handle': {
    column: 'poll',
    async run({ agent, options, inject, reconnect }) {
      const { handle = '' } = await agent.send('Rome', { wait: 'none' });
      const later = await reconnect(handle);
      inject('GetTask');
      return (await later.task(handle).wait(options)).text;
    },
  },
  'wait for a task by a stream': {
    column: 'resubscribe',
    async run({ agent, options, inject }) {
      const { handle = '' } = await agent.send('Rome', { wait: 'none' });
      inject('SubscribeToTask');
      return (await agent.task(handle).wait(options)).text;
    },
  },
  subscribe: {
    column: 'subscribe',
    async run({ agent, options, inject }) {
      const { handle = '' } = await agent.send('Rome', { wait: 'none' });
      inject('SubscribeToTask');
      return read(agent.task(handle).subscribe(options), options.onProgress);
    },
  },
  'resume a stream after a cut': {
    column: 'resubscribe',
    columnFor: (way) => (isSubscribedAgain(way) ? 'resubscribe' : 'poll'),
    faults: [{ fault: 'cut-stream', afterEvents: 3, on: 'SendStreamingMessage' }],
    async run({ agent, options, inject, isNumbered }) {
      inject(isSubscribedAgain({ version: agent.chosen.version, isNumbered }) ? 'SubscribeToTask' : 'GetTask');
      return read(agent.stream('Rome', options), options.onProgress);
    },
  },
};

/** Before 1.0 a client can subscribe again only to a stream with numbered events. */
function isSubscribedAgain({ version, isNumbered }: { version: ProtocolVersion; isNumbered: boolean }): boolean {
  return version === '1.0' || isNumbered;
}

/** The text of all artifacts, assembled from their chunks. */
async function read(stream: TaskStream, onProgress: WaitOptions['onProgress']): Promise<string> {
  const texts = new Map<string, string>();
  for await (const event of stream) {
    onProgress?.(event);
    if (event.type !== 'artifact' && event.type !== 'task') continue;
    const artifacts = event.type === 'task' ? (event.task.artifacts ?? []) : [event.artifact];
    for (const { artifactId, parts } of artifacts) {
      const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
      const before = event.type === 'artifact' && event.append ? (texts.get(artifactId) ?? '') : '';
      texts.set(artifactId, before + text);
    }
  }
  return [...texts.values()].join('\n');
}
