import { onTestFinished } from 'vitest';
import { type AgentServer, serve, type ServeOptions } from '../../src/node/index.ts';
import { consoleLog } from '../../src/observe/console-log.ts';
import { type Agent, agent, type AgentOptions, memoryStore } from '../../src/server/index.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';

/** An agent for tests with other clients. The text of a message selects its behaviour. */
export interface TestAgent {
  readonly agent: Agent;
  /** Resolve it to let `wait` complete. */
  readonly gate: Deferred<void>;
  /** Resolves when `wait` has started. */
  readonly begun: Deferred<void>;
  /** Resolves when `wait` is aborted. */
  readonly stopped: Deferred<void>;
}

export function createTestAgent(limits: Pick<AgentOptions, 'onDisconnect'> = {}): TestAgent {
  const gate = deferred<void>();
  const begun = deferred<void>();
  const stopped = deferred<void>();
  const testAgent = agent({
    name: 'Test agent',
    description: 'Its behaviour depends on the text of a message.',
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
  return { agent: testAgent, gate, begun, stopped };
}

/** Serves a test agent on a free port until the test is over. */
export async function serveTestAgent(options: ServeOptions = {}): Promise<AgentServer & Pick<TestAgent, 'gate'>> {
  const { agent, gate } = createTestAgent();
  // Without the warning about missing authentication.
  const log = { ...consoleLog, warn() {} };
  const server = await serve(agent, { port: 0, store: memoryStore(), log, ...options });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return { ...server, gate };
}
