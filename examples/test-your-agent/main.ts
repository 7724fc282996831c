/** Tests of an agent: its question, a crash, and a day that passes at once. Run them with `npx tsx --test main.ts`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { testAgent } from 'tandem-a2a/testing';
import { clerk } from './clerk.ts';

test('the clerk asks before it books', async (t) => {
  const agent = await testAgent(clerk);
  t.after(() => agent.close());

  const asked = await agent.send('Rome');
  assert.equal(asked.text, 'Book the 9:05 to Rome? (yes/no)');
  const reply = await agent.answer(false);
  assert.equal(reply.text, 'Nothing booked.');
});

test('a crash while the question is open loses nothing', async (t) => {
  const agent = await testAgent(clerk);
  t.after(() => agent.close());

  await agent.send('Rome');
  await agent.crash();
  const reply = await agent.answer(true);
  assert.equal(reply.text, 'Booked the 9:05 to Rome. ');
  assert.deepEqual(
    agent.steps.map(({ name, result }) => [name, result]),
    [['reserve', 'the 9:05 to Rome']],
  );
});

test('the reminder is sent after 23 hours', async (t) => {
  const agent = await testAgent(clerk);
  t.after(() => agent.close());

  await agent.send('Rome');
  await agent.answer(true);
  await agent.advance('23h');
  const reply = await agent.reply();
  assert.equal(reply.state, 'completed');
  assert.equal(reply.text, 'Booked the 9:05 to Rome. Your train leaves in an hour.');
});
