import { expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../engine/handler.ts';
import { agent, type Agent } from '../agent/agent.ts';
import { type FakePeer, fakePeer } from './fake-peer.ts';
import type { FakePeerOptions } from './fake-peer/peer.ts';
import { fakeClock } from './fake-clock.ts';
import { type TestAgent, testAgent, type TestAgentOptions } from './test-agent.ts';

const agentOf = (run: Handler, name = 'Subject'): Agent => agent({ name, description: 'Is tested.', run });

async function tested(run: Handler, options: TestAgentOptions): Promise<TestAgent> {
  const made = await testAgent(agentOf(run), options);
  onTestFinished(() => made.close());
  return made;
}

async function peerOf(options: FakePeerOptions): Promise<FakePeer> {
  const peer = await fakePeer(options);
  onTestFinished(() => peer.close());
  return peer;
}

const asking: Handler = async ({ call, text }) => `CRM: ${(await call('crm', text)).text}`;

test('a handler calls a fake peer by its id', async () => {
  const crm = await peerOf({ script: ['Ann Lee'] });
  const subject = await tested(asking, { peers: { crm } });

  expect(await subject.send('who?')).toMatchObject({ state: 'completed', text: 'CRM: Ann Lee' });
  expect(crm.doubleSends).toEqual([]);
});

test('a question of a fake peer is a question of the agent, and its answer reaches the peer', async () => {
  const crm = await peerOf({
    script: [[{ status: 'input-required', text: 'Which Ann?' }], ({ text }) => `Ann ${text}`],
  });
  const subject = await tested(asking, { peers: { crm } });

  const asked = await subject.send('who?');
  expect(asked).toMatchObject({ state: 'input-required', question: { path: ['crm'] } });
  expect(asked.text).toContain('Which Ann?');
  await subject.answer('Lee');
  await subject.advance('1s');
  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'CRM: Ann Lee' });
});

test('a call survives a crash of the agent, and the fake peer gets its message once', async () => {
  const crm = await peerOf({ script: [[{ status: 'input-required', text: 'Which Ann?' }], 'Ann Lee'] });
  const subject = await tested(asking, { peers: { crm } });

  await subject.send('who?');
  await subject.crash();
  await subject.answer('Lee');
  await subject.advance('1m');

  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'CRM: Ann Lee' });
  expect(crm.tasks).toHaveLength(1);
  expect(crm.doubleSends).toEqual([]);
});

test('a response that is lost does not send the message of a call twice', async () => {
  const crm = await peerOf({ script: ['Ann Lee'], recognisesRepeats: true });
  const subject = await tested(asking, { peers: { crm } });
  crm.fault({ fault: 'drop' });

  await subject.send('who?');
  await subject.advance('5m');

  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'CRM: Ann Lee' });
  expect(crm.tasks).toHaveLength(1);
});

test('a peer that never ends is canceled at the deadline of the call, by the clock of the test', async () => {
  const clock = fakeClock();
  const crm = await peerOf({ script: [[{ status: 'working' }]], clock });
  const subject = await tested(
    async ({ call }) => (await call('crm', 'hi', { deadlineMs: 60_000, throwOnFailure: false })).outcome,
    { clock, peers: { crm } },
  );

  expect((await subject.send('who?')).state).toBe('working');
  await subject.advance('2m');

  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'timed-out' });
  expect(crm.tasks.map(({ status }) => status.state)).toEqual(['TASK_STATE_CANCELED']);
});

test('an agent as a peer runs on the same host, by the same clock, under the id of the option', async () => {
  const slow = agentOf(async ({ sleep, text }) => {
    await sleep(60 * 60_000);
    return `slept for ${text}`;
  }, 'Sleeper');
  const subject = await tested(async ({ call }) => (await call('nap', 'Ann')).text, { peers: { nap: slow } });

  expect((await subject.send('go')).state).toBe('working');
  await subject.crash();
  await subject.advance('59m');
  expect((await subject.reply()).state).toBe('working');
  await subject.advance('1m');

  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'slept for Ann' });
});
