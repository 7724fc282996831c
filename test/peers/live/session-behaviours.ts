import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../src/node/index.ts';
import { silentLog } from '../../../src/observe/log.ts';
import { agent, type HandlerOptions, memoryStore } from '../../../src/server/index.ts';
import { type Deferred, deferred } from '../../../src/support/deferred.ts';
import type { Program } from './program.ts';

const CHUNKS = ['One, ', 'two, ', 'three.'];
const WHOLE = 'One, two, three.';

export interface SessionSubject {
  readonly name: string;
  readonly program: Program;
  /** Whether the next turn continues a task that has asked a question, or starts a new one. */
  readonly answersQuestions: boolean;
}

/** Google ADK builds the next prompt of a model from its session, and stores only complete answers there. */
export function sessionBehaviours({ name, program, answersQuestions }: SessionSubject): void {
  const open = async (options: Pick<HandlerOptions, 'streaming'> = {}) => {
    const gates = CHUNKS.map(() => deferred<void>());
    const server = await serve(storyteller(gates), { port: 0, store: memoryStore(), log: silentLog, ...options });
    onTestFinished(() => server.close({ finishMs: 0 }));
    const session = (await program.call('open', { url: server.url })) as string;
    return { gates, session };
  };
  const stored = (session: string) => program.call('stored', { session });
  /** Runs one turn; each event that brings text lets the handler continue. Returns the texts of each event. */
  const run = async (session: string, text: string, gates: readonly Deferred<void>[] = []) => {
    const seen: (readonly string[])[] = [];
    let next = 0;
    for await (const event of program.stream('run', { session, text })) {
      const { texts } = event as { readonly texts: readonly string[] };
      seen.push(texts);
      if (texts.length > 0) gates[next++]?.resolve();
    }
    return seen;
  };

  describe(name, () => {
    test('the session stores the text that an agent returns', async () => {
      const { session } = await open();
      await run(session, 'whole');
      expect(await stored(session)).toEqual([
        ['user', 'whole'],
        ['remote', WHOLE],
      ]);
    });

    test('with closeWithWhole the session stores the whole text of an agent that yields it with pauses', async () => {
      const { session, gates } = await open({ streaming: { closeWithWhole: true } });
      await run(session, 'chunks', gates);
      expect(await stored(session)).toEqual([
        ['user', 'chunks'],
        ['remote', WHOLE],
      ]);
    });

    test('the session stores a message that an agent replies with', async () => {
      const { session } = await open();
      await run(session, 'greet');
      expect(await stored(session)).toEqual([
        ['user', 'greet'],
        ['remote', 'Good morning.'],
      ]);
    });

    test(`a turn ends with a question${answersQuestions ? ', which the next turn answers' : ''}`, async () => {
      const { session } = await open();
      const seen = await run(session, 'book');
      if (!answersQuestions) return expect(seen.at(-1)).toEqual(['Which city?']);
      await run(session, 'Rome');
      expect(await stored(session)).toContainEqual(['remote', 'Booked a train to Rome.']);
    });
  });
}

/** Yields each chunk when the caller has seen the one before, so that every chunk is sent while the handler still runs. */
function storyteller(gates: readonly Deferred<void>[]) {
  return agent({
    name: 'Storyteller',
    description: 'Tells a story, whole or in chunks.',
    async *run({ text, reply, ask }) {
      if (text === 'greet') return reply('Good morning.');
      if (text === 'book') return `Booked a train to ${await ask('Which city?')}.`;
      if (text === 'whole') return WHOLE;
      for (const [i, chunk] of CHUNKS.entries()) {
        yield chunk;
        await gates[i]?.promise;
      }
      return undefined;
    },
  });
}
