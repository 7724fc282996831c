import { expect, test } from 'vitest';
import { harness, runnable } from '../../../test/engine/harness.ts';
import type { ConversationTurn } from '../handler.ts';

const brief = (turns: readonly ConversationTurn[]): readonly string[] =>
  turns.map(({ role, text }) => `${role}: ${text}`);

test('a conversation has the messages and outputs of earlier tasks, and ends with the current message', async () => {
  const seen: (readonly string[])[] = [];
  const { task, send } = await harness(async function* ({ text, conversation }) {
    seen.push(brief(await conversation()));
    yield { status: 'working', text: 'Thinking…' };
    yield `You said `;
    yield text;
  });
  const { contextId = '' } = await task('one');
  await send('two', { message: { messageId: 'm-2', role: 'ROLE_USER', parts: [{ text: 'two' }], contextId } });
  expect(seen).toEqual([['user: one'], ['user: one', 'agent: You said one', 'user: two']]);
});

test('a question with options is a turn with its text only, without the data for programs', async () => {
  const turns: unknown[] = [];
  const { task, reply } = await harness(async ({ ask, conversation, text }) => {
    if (text === 'order') return ask({ choose: 'Which size?', options: ['S', 'M'] });
    turns.push(...(await conversation()).map(({ role, text, parts }) => [role, text, parts.length]));
    return 'done';
  });
  const asked = await task('order');
  await reply(asked, 'M');
  await task('and now', {
    message: { messageId: 'n', role: 'ROLE_USER', parts: [{ text: 'and now' }], contextId: asked.contextId ?? '' },
  });
  expect(turns).toEqual([
    ['user', 'order', 1],
    ['agent', 'Which size?\n1. S\n2. M', 1],
    ['user', 'M', 1],
    ['agent', 'M', 1],
    ['user', 'and now', 1],
  ]);
});

test('a conversation has questions and their answers in their order, and no progress', async () => {
  let turns: readonly string[] = [];
  const { task, reply, clock } = await harness(async function* ({ text, ask, status, conversation }) {
    if (text === 'and now') {
      turns = brief(await conversation());
      return;
    }
    yield 'First. ';
    await status('Looking…');
    const size = await ask('Which size?');
    await status('Packing…');
    yield `Size ${size}.`;
    yield { status: 'completed', text: 'Done.' };
  });
  const asked = await task('order');
  await reply(asked, 'M');
  clock.advance(1);
  await task('and now', {
    message: { messageId: 'n', role: 'ROLE_USER', parts: [{ text: 'and now' }], contextId: asked.contextId ?? '' },
  });
  expect(turns).toEqual([
    'user: order',
    'agent: First. \nWhich size?',
    'user: M',
    'agent: Size M.\nDone.',
    'user: and now',
  ]);
});

test('a turn of the same task sees the turns before it, and a replay sees the same', async () => {
  const seen: (readonly string[])[] = [];
  const first = await harness(async function* ({ text, ask, conversation }) {
    seen.push(brief(await conversation()));
    yield `Got ${text}. `;
    if (text === 'two') await ask('Sure?');
    yield { status: 'input-required', text: 'More?' };
  });
  const paused = await first.task('one');
  await first.reply(paused, 'two');
  const second = await first.restart();
  await second.reply(paused, 'yes');
  const expected = ['user: one', 'agent: Got one. \nMore?', 'user: two'];
  expect(seen[0]).toEqual(['user: one']);
  expect(seen.slice(1)).toEqual([expected, expected]);
});

test('a conversation has at most as many turns as the limit, the latest ones', async () => {
  let turns: readonly string[] = [];
  const { task } = await harness(async function* ({ text, conversation }) {
    turns = brief(await conversation({ limit: 2 }));
    yield text;
  });
  const { contextId = '' } = await task('one');
  await task('two', { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'two' }], contextId } });
  expect(turns).toEqual(['agent: one', 'user: two']);
});

test('a conversation has no tasks of other callers and other agents', async () => {
  let turns: readonly string[] = [];
  const agents = [
    runnable(async () => 'secret', {}, 'other'),
    runnable(async ({ conversation }) => void (turns = brief(await conversation()))),
  ];
  const { task } = await harness(async () => 'unused', { agents });
  const message = (text: string) => ({
    messageId: text,
    role: 'ROLE_USER' as const,
    parts: [{ text }],
    contextId: 'c',
  });
  await task('theirs', { agent: 'other', message: message('theirs') });
  await task('mine', { message: message('mine') });
  expect(turns).toEqual(['user: mine']);
});
