import { describe, expect, test } from 'vitest';
import type { ServeOptions } from '../../src/node/index.ts';
import { serveTestAgent } from './test-agent.ts';
import { all, fold, type Peer, type PeerEvent, stateOf, taskOf, textOf, textsOf } from './peer.ts';

export interface PeerSubject {
  readonly name: string;
  connect(url: string): Promise<Peer>;
  readonly options?: ServeOptions;
}

const REPORT = { 'report.txt': 'One, two, three.', 'summary.txt': 'Three numbers.' };

/** The behaviour of our server that every official client relies on, over a real socket. */
export function officialClientBehaviours({ name, connect, options }: PeerSubject): void {
  const open = async () => {
    const { url, gate } = await serveTestAgent(options);
    return { gate, peer: await connect(url) };
  };

  describe(name, () => {
    test('it discovers the agent by its card', async () => {
      const { peer } = await open();
      expect(peer.agentName).toBe('Test agent');
    });

    test('it sends a message and gets the completed task', async () => {
      const { peer } = await open();
      const task = taskOf(await peer.send({ text: 'report' }));
      expect(stateOf(task)).toBe('completed');
      expect(textsOf(task)).toEqual(REPORT);
      expect(await peer.get(task.id)).toEqual(task);
    });

    test('it sends a message and gets a message without a task', async () => {
      const { peer } = await open();
      const result = await peer.send({ text: 'greet' });
      expect('message' in result && textOf(result.message.parts)).toBe('Good morning.');
    });

    test('it streams a message without a task', async () => {
      const { peer } = await open();
      const events = await all(peer.stream({ text: 'greet' }));
      expect(events.map((event) => 'message' in event && textOf(event.message.parts))).toEqual(['Good morning.']);
    });

    test('it gets back the files and the JSON value that it sent', async () => {
      const { peer } = await open();
      const task = taskOf(await peer.send({ parts: peer.samples }));
      expect(task.artifacts?.map(({ parts }) => parts)).toEqual([peer.samples]);
    });

    test('the events of its stream add up to the stored task', async () => {
      const { peer } = await open();
      const events = await all(peer.stream({ text: 'report' }));
      const task = fold(events);
      expect(textsOf(task)).toEqual(REPORT);
      expect(stateOf(task)).toBe('completed');
      expect(await peer.get(task.id)).toEqual(task);
    });

    test('it gets a task that has not ended when it sends with returnImmediately', async () => {
      const { peer, gate } = await open();
      const { id } = taskOf(await peer.send({ text: 'wait', returnImmediately: true }));
      expect(['submitted', 'working']).toContain(stateOf(await peer.get(id)));
      gate.resolve();
    });

    test('it cancels a task, and the stream of the task ends', async () => {
      const { peer } = await open();
      const events: PeerEvent[] = [];
      for await (const event of peer.stream({ text: 'wait' })) {
        events.push(event);
        if (isWaiting(event)) expect(stateOf(await peer.cancel(idOf(events)))).toBe('canceled');
      }
      expect(stateOf(fold(events))).toBe('canceled');
      expect(await peer.get(idOf(events))).toEqual(fold(events));
    });

    test('it disconnects from a stream and subscribes to the task again', async () => {
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

    test('it answers a question that it got as the result of a send', async () => {
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
