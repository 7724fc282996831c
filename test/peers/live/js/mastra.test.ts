import { describe, expect, test } from 'vitest';
import { connected } from '../../our-client-behaviours.ts';
import { serveTestAgent } from '../../test-agent.ts';
import { all, fold, type PeerEvent, stateOf, taskOf, textOf, textsOf } from '../../peer.ts';
import { connectPeer } from '../foreign-client.ts';
import { startProgram } from '../program.ts';

const program = startProgram('js/mastra');

describe.each([
  { version: '1.0', form: '1.0' },
  { version: '0.3', form: 'kind' },
] as const)('the client of Mastra in $version', ({ version, form }) => {
  /** Mastra's clients support only the paths of Mastra's servers. */
  const open = async () => {
    const { url, gate } = await serveTestAgent({ rpcPaths: ['/api/a2a/echo'] });
    const { peer } = await connectPeer({ program, binding: 'JSONRPC', version, form }, url);
    return { peer, gate };
  };

  test('it sends a message and gets the completed task', async () => {
    const { peer } = await open();
    const task = taskOf(await peer.send({ text: 'report' }));
    expect(stateOf(task)).toBe('completed');
    expect(textsOf(task)).toMatchObject({ 'report.txt': 'One, two, three.' });
    expect(textsOf(await peer.get(task.id))).toEqual(textsOf(task));
  });

  test('the events of its stream add up to the stored task', async () => {
    const { peer } = await open();
    const task = fold(await all(peer.stream({ text: 'report' })));
    expect(stateOf(task)).toBe('completed');
    expect(textsOf(await peer.get(task.id))).toEqual(textsOf(task));
  });

  test('it answers a question', async () => {
    const { peer } = await open();
    const asked = taskOf(await peer.send({ text: 'book' }));
    expect(textOf(asked.status.message?.parts)).toBe('Which city?');
    const task = taskOf(await peer.send({ text: 'Rome', taskId: asked.id, contextId: asked.contextId }));
    expect(textsOf(task)).toEqual({ response: 'Booked a train to Rome.' });
  });

  test('it cancels a task, and the stream of the task ends', async () => {
    const { peer } = await open();
    const events: PeerEvent[] = [];
    for await (const event of peer.stream({ text: 'wait' })) {
      events.push(event);
      const isWaiting = 'statusUpdate' in event && textOf(event.statusUpdate.status.message?.parts) === 'Waiting…';
      if (isWaiting) expect(stateOf(await peer.cancel(fold(events).id))).toBe('canceled');
    }
    expect(stateOf(fold(events))).toBe('canceled');
  });
});

test.each(['stream', 'poll', 'block'] as const)('our client asks an agent of Mastra by %s', async (wait) => {
  const agent = await connected((await program.call('serve')) as string);
  const reply = await agent.send('hi', { wait });
  expect(reply).toMatchObject({ state: 'completed', text: 'Hello from Mastra.' });
});
