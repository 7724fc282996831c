import { onTestFinished } from 'vitest';
import { type AgentServer, serve, type ServeOptions } from '../../src/node/index.ts';
import { consoleLog } from '../../src/observe/console-log.ts';
import { type Agent, agent, type AgentOptions, memoryStore } from '../../src/server/index.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';

/** An agent that does what peers need to see, by the first word it is told. */
export interface Clerk {
  readonly agent: Agent;
  /** Lets `wait` finish. */
  readonly gate: Deferred<void>;
  /** Settled when `wait` has begun. */
  readonly begun: Deferred<void>;
  /** Settled when `wait` is told to stop. */
  readonly stopped: Deferred<void>;
}

export function clerk(limits: Pick<AgentOptions, 'onDisconnect'> = {}): Clerk {
  const gate = deferred<void>();
  const begun = deferred<void>();
  const stopped = deferred<void>();
  const made = agent({
    name: 'Clerk',
    description: 'Does what it is told.',
    inputModes: ['*/*'],
    outputModes: ['*/*'],
    ...limits,
    async *run({ text, parts, artifact, ask, reply, signal }) {
      switch (text) {
        case 'greet':
          return reply('Good morning.');
        case 'report': {
          yield { status: 'working', text: 'Writing…' };
          const report = artifact('report.txt');
          await report.append('One, ');
          await report.append('two, ');
          await report.append('three.', { lastChunk: true });
          return { artifact: 'summary.txt', text: 'Three numbers.' };
        }
        case 'wait': {
          yield { artifact: 'diary.txt', text: 'Waited. ' };
          yield { status: 'working', text: 'Waiting…' };
          signal.addEventListener('abort', () => stopped.resolve());
          begun.resolve();
          await Promise.race([gate.promise, stopped.promise]);
          signal.throwIfAborted();
          return { artifact: 'diary.txt', text: 'Went on.', append: true };
        }
        case 'book':
          return `Booked a train to ${await ask('Which city?')}.`;
        default:
          return { artifact: 'echo', parts };
      }
    },
  });
  return { agent: made, gate, begun, stopped };
}

/** Serves a clerk on a free port until the test is over. */
export async function serveClerk(options: ServeOptions = {}): Promise<AgentServer & Pick<Clerk, 'gate'>> {
  const { agent, gate } = clerk();
  // At home everybody may call: that need not be told here.
  const log = { ...consoleLog, warn() {} };
  const server = await serve(agent, { port: 0, store: memoryStore(), log, ...options });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return { ...server, gate };
}
