import { expect, test } from 'vitest';
import { connected } from '../../our-client-behaviours.ts';
import { startProgram } from '../program.ts';

const program = startProgram('js/aimock');

const open = async () => connected((await program.call('serve')) as string);

test('our client gets a message from aimock', async () => {
  const agent = await open();
  expect(await agent.send('greet', { wait: 'block' })).toMatchObject({ kind: 'message', text: 'Good morning.' });
});

test('our client reads a task of aimock, whose artifacts have no ids', async () => {
  const agent = await open();
  const reply = await agent.send('report', { wait: 'block' });
  expect(reply).toMatchObject({ state: 'completed', text: 'One, two, three.' });
  expect(reply.task?.artifacts).toMatchObject([{ name: 'report.txt' }]);
});
