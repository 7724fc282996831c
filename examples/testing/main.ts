/** Tests of code that calls agents, with `node:test`. Any other runner works too. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { connect } from 'tandem-a2a';
import { fakePeer, record, replay, waitForState } from 'tandem-a2a/testing';
import { ask } from './ask.ts';

test('an answer is the text of its artifacts', async () => {
  await using peer = await fakePeer({ version: '0.3', script: ['Booked the 9:05.'] });

  assert.equal(await ask(peer.url, 'Rome'), 'Booked the 9:05.');
  assert.equal(peer.requests.at(-1)?.text, 'Rome');
});

test('a busy agent is asked again, and books once', async () => {
  await using peer = await fakePeer({
    script: ['Booked the 9:05.'],
    faults: [{ fault: 'status', status: 503, retryAfterS: 0, times: 2 }],
  });

  assert.equal(await ask(peer.url, 'Rome'), 'Booked the 9:05.');
  assert.equal(peer.requests.filter(({ text }) => text === 'Rome').length, 3);
  assert.deepEqual(peer.doubleSends, []);
});

test('a lost answer is an error, and nothing is sent twice', async () => {
  await using peer = await fakePeer({ faults: [{ fault: 'drop' }] });

  await assert.rejects(ask(peer.url, 'Rome'), { code: 'TRANSPORT_FAILED' });
  assert.equal(peer.tasks.length, 1);
});

test('a recorded agent repeats its responses', async () => {
  await using clerk = await fakePeer({ script: ['Booked the 9:05.'] }); // or any agent

  const recorder = await record(clerk.url, 'clerk.json');
  await ask(recorder.url, 'Rome', 'my-secret-token');
  await recorder.close(); // writes the file

  await using agent = await replay('clerk.json');
  assert.equal(await ask(agent.url, 'Rome', 'another-token'), 'Booked the 9:05.');
  await assert.rejects(ask(agent.url, 'Oslo'), /expected "Rome" at .*, got "Oslo"/);
  assert.equal(agent.misses.length, 1);
});

test('a task is waited for', async () => {
  await using peer = await fakePeer({ script: [[{ status: 'working' }, 'Booked the 9:05.']] });
  await using client = await connect(peer.url);
  await client.send('Rome', { wait: 'none' });

  const task = await waitForState(client, 'task-1', 'completed', { timeoutMs: 1000 });

  assert.equal(task.id, 'task-1');
});
