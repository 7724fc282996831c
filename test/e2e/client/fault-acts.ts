/** The ways in which a user can have to do with an agent, each with the request to which something is to happen. */
import type { AgentClient } from '../../../src/client/client.ts';
import type { CallOptions, WaitOptions } from '../../../src/client/options.ts';
import type { TaskStream } from '../../../src/client/task-stream.ts';
import type { OperationName } from '../../../src/model/operation.ts';
import type { FakePeerOptions, Fault } from '../../../src/testing/index.ts';
import type { ProtocolVersion } from '../../../src/wire/version.ts';

type Script = NonNullable<FakePeerOptions['script']>;

/** What an agent answers with in every cell, as soon as it may go on: six events, of which three are pieces of one text. */
function work(until: Promise<unknown>): Script[number] {
  return [{ status: 'working' }, { until }, 'Hel', 'lo ', 'Rome'];
}

export const ANSWER = 'Hello Rome';

/** The columns of the table: what happens to a fault depends on what it happens to. */
export type Column = 'send' | 'stream' | 'look' | 'follow' | 'subscribe';

/** One cell at work. */
export interface Cell {
  readonly agent: AgentClient;
  /** For every call. */
  readonly options: CallOptions & Pick<WaitOptions, 'onProgress'>;
  readonly isNumbered: boolean;
  /** Connects once more, as another process would. */
  reconnect(handle: string): Promise<AgentClient>;
  /** From now on it goes wrong with this operation, and the agent goes on with its work. */
  strike(operation: OperationName): void;
}

export interface Act {
  readonly column: Column;
  /** Where it is another one in some versions. */
  columnFor?(way: { readonly version: ProtocolVersion; readonly isNumbered: boolean }): Column;
  /** All of them, if not set. */
  readonly versions?: readonly ProtocolVersion[];
  /** The agent asks something, and that is answered. */
  readonly asksFirst?: boolean;
  /** What goes wrong before. */
  readonly faults?: readonly Fault[];
  run(cell: Cell): Promise<string>;
}

export function scriptOf({ asksFirst = false }: Act, until: Promise<unknown>): Script {
  return asksFirst ? [[{ status: 'input-required', text: 'Where to?' }], work(until)] : [work(until)];
}

export const ACTS: Readonly<Record<string, Act>> = {
  'send, the agent waits': {
    column: 'send',
    async run({ agent, options, strike }) {
      strike('SendMessage');
      return (await agent.send('Rome', { ...options, wait: 'block' })).text;
    },
  },
  'send, and look again and again': {
    column: 'send',
    // 0.1 cannot ask an agent not to wait.
    versions: ['1.0', '0.3', '0.2'],
    async run({ agent, options, strike }) {
      strike('SendMessage');
      return (await agent.send('Rome', { ...options, wait: 'poll' })).text;
    },
  },
  'look again and again': {
    column: 'look',
    async run({ agent, options, strike }) {
      strike('GetTask');
      return (await agent.send('Rome', { ...options, wait: 'poll' })).text;
    },
  },
  ask: {
    column: 'stream',
    async run({ agent, options, strike }) {
      strike('SendStreamingMessage');
      return agent.ask('Rome', options);
    },
  },
  stream: {
    column: 'stream',
    async run({ agent, options, strike }) {
      strike('SendStreamingMessage');
      return read(agent.stream('Rome', options), options.onProgress);
    },
  },
  answer: {
    column: 'stream',
    asksFirst: true,
    async run({ agent, options, strike }) {
      const question = await agent.send('Hi');
      strike('SendStreamingMessage');
      return (await agent.task(question.handle ?? '').answer('Rome', options)).text;
    },
  },
  'wait by a handle': {
    column: 'look',
    async run({ agent, options, strike, reconnect }) {
      const { handle = '' } = await agent.send('Rome', { wait: 'none' });
      const later = await reconnect(handle);
      strike('GetTask');
      return (await later.task(handle).wait(options)).text;
    },
  },
  'wait by a stream': {
    column: 'follow',
    async run({ agent, options, strike }) {
      const { handle = '' } = await agent.send('Rome', { wait: 'none' });
      strike('SubscribeToTask');
      return (await agent.task(handle).wait(options)).text;
    },
  },
  subscribe: {
    column: 'subscribe',
    async run({ agent, options, strike }) {
      const { handle = '' } = await agent.send('Rome', { wait: 'none' });
      strike('SubscribeToTask');
      return read(agent.task(handle).subscribe(options), options.onProgress);
    },
  },
  'go on after a cut': {
    column: 'follow',
    columnFor: (way) => (isSubscribedAgain(way) ? 'follow' : 'look'),
    faults: [{ fault: 'cut-stream', afterEvents: 3, on: 'SendStreamingMessage' }],
    async run({ agent, options, strike, isNumbered }) {
      strike(isSubscribedAgain({ version: agent.chosen.version, isNumbered }) ? 'SubscribeToTask' : 'GetTask');
      return read(agent.stream('Rome', options), options.onProgress);
    },
  },
};

/** Before 1.0 only numbers lead back into a stream. */
function isSubscribedAgain({ version, isNumbered }: { version: ProtocolVersion; isNumbered: boolean }): boolean {
  return version === '1.0' || isNumbered;
}

/** What a reader puts together from the pieces, each in its place. */
async function read(stream: TaskStream, onProgress: WaitOptions['onProgress']): Promise<string> {
  const pieces = new Map<string, string>();
  for await (const event of stream) {
    onProgress?.(event);
    if (event.type !== 'artifact' && event.type !== 'task') continue;
    const artifacts = event.type === 'task' ? (event.task.artifacts ?? []) : [event.artifact];
    for (const { artifactId, parts } of artifacts) {
      const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
      const before = event.type === 'artifact' && event.append ? (pieces.get(artifactId) ?? '') : '';
      pieces.set(artifactId, before + text);
    }
  }
  return [...pieces.values()].join('\n');
}
