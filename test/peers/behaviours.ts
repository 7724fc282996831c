import { describe, expect, test } from 'vitest';
import type { ServeOptions } from '../../src/node/index.ts';
import { serveClerk } from './clerk.ts';
import { all, fold, type Peer, type PeerEvent, stateOf, taskOf, textOf, textsOf } from './peer.ts';

export interface PeerSubject {
  readonly name: string;
  connect(url: string): Promise<Peer>;
  readonly options?: ServeOptions;
}

const REPORT = { 'report.txt': 'One, two, three.', 'summary.txt': 'Three numbers.' };

/** What every official client must be able to do with us, over a real socket. */
export function peerBehaviours({ name, connect, options }: PeerSubject): void {
  const open = async () => {
    const { url, gate } = await serveClerk(options);
    return { gate, peer: await connect(url) };
  };

  describe(name, () => {
    test('it finds the agent by its card', async () => {
      const { peer } = await open();
      expect(peer.agentName).toBe('Clerk');
    });

    test('it sends, and gets the finished task', async () => {
      const { peer } = await open();
      const task = taskOf(await peer.send({ text: 'report' }));
      expect(stateOf(task)).toBe('completed');
      expect(textsOf(task)).toEqual(REPORT);
      expect(await peer.get(task.id)).toEqual(task);
    });

    test('it sends, and gets a bare message', async () => {
      const { peer } = await open();
      const result = await peer.send({ text: 'greet' });
      expect('message' in result && textOf(result.message.parts)).toBe('Good morning.');
    });

    test('it streams a bare message', async () => {
      const { peer } = await open();
      const events = await all(peer.stream({ text: 'greet' }));
      expect(events.map((event) => 'message' in event && textOf(event.message.parts))).toEqual(['Good morning.']);
    });

    test('it gets back the file and the value that it sent', async () => {
      const { peer } = await open();
      const task = taskOf(await peer.send({ parts: peer.samples }));
      expect(task.artifacts?.map(({ parts }) => parts)).toEqual([peer.samples]);
    });

    test('its stream folds to the stored task', async () => {
      const { peer } = await open();
      const events = await all(peer.stream({ text: 'report' }));
      const task = fold(events);
      expect(textsOf(task)).toEqual(REPORT);
      expect(stateOf(task)).toBe('completed');
      expect(await peer.get(task.id)).toEqual(task);
    });

    test('it does not wait if it does not want to, and gets the task as it is', async () => {
      const { peer, gate } = await open();
      const { id } = taskOf(await peer.send({ text: 'wait', atOnce: true }));
      expect(['submitted', 'working']).toContain(stateOf(await peer.get(id)));
      gate.resolve();
    });

    test('it cancels a task, whose stream then ends', async () => {
      const { peer } = await open();
      const events: PeerEvent[] = [];
      for await (const event of peer.stream({ text: 'wait' })) {
        events.push(event);
        if (isWaiting(event)) expect(stateOf(await peer.cancel(idOf(events)))).toBe('canceled');
      }
      expect(stateOf(fold(events))).toBe('canceled');
      expect(await peer.get(idOf(events))).toEqual(fold(events));
    });

    test('it leaves a stream, and finds the task again', async () => {
      const { peer, gate } = await open();
      const before: PeerEvent[] = [];
      for await (const event of peer.stream({ text: 'wait' })) {
        before.push(event);
        if (isWaiting(event)) break;
      }
      const after: PeerEvent[] = [];
      for await (const event of peer.resubscribe(idOf(before))) {
        after.push(event);
        if (after.length === 1) gate.resolve();
      }
      const task = fold(after);
      expect(after[0]).toEqual({ task: fold(before) });
      expect(textsOf(task)).toEqual({ 'diary.txt': 'Waited. Went on.' });
      expect(await peer.get(task.id)).toEqual(task);
    });

    test('it answers a question that a send brought up', async () => {
      const { peer } = await open();
      const asked = taskOf(await peer.send({ text: 'book' }));
      expect(stateOf(asked)).toBe('input-required');
      expect(textOf(asked.status.message?.parts)).toBe('Which city?');
      const { id, contextId } = asked;
      const task = taskOf(await peer.send({ text: 'Rome', taskId: id, contextId }));
      expect(task).toMatchObject({ id, contextId });
      expect(stateOf(task)).toBe('completed');
      expect(textsOf(task)).toEqual({ response: 'Booked a train to Rome.' });
      expect(await peer.get(id)).toEqual(task);
    });

    test('it answers a question that a stream ended with', async () => {
      const { peer } = await open();
      const asked = fold(await all(peer.stream({ text: 'book' })));
      expect(stateOf(asked)).toBe('input-required');
      expect(await peer.get(asked.id)).toEqual(asked);
      const task = fold(await all(peer.stream({ text: 'Oslo', taskId: asked.id })));
      expect(task.id).toBe(asked.id);
      expect(stateOf(task)).toBe('completed');
      expect(textsOf(task)).toEqual({ response: 'Booked a train to Oslo.' });
      expect(await peer.get(asked.id)).toEqual(task);
    });
  });
}

function isWaiting(event: PeerEvent): boolean {
  return 'statusUpdate' in event && textOf(event.statusUpdate.status.message?.parts) === 'Waiting…';
}

function idOf([first]: readonly PeerEvent[]): string {
  if (first === undefined || !('task' in first)) throw new Error('Expected a stream to begin with a task');
  return first.task.id;
}
