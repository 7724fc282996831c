import { expect, test } from 'vitest';
import { A2AError } from '../../errors.ts';
import { Feed, type FeedChange } from './feed.ts';

const HINT: FeedChange = { kind: 'hint' };

test('news reach those who listen to the task, and nobody else', () => {
  const feed = new Feed();
  const heard: string[] = [];
  feed.listen('a', () => heard.push('a1'));
  feed.listen('a', () => heard.push('a2'));
  feed.listen('b', () => heard.push('b'));
  feed.tell('a', HINT);
  feed.tell('none', HINT);
  expect(heard).toEqual(['a1', 'a2']);
  feed.tellAll(HINT);
  expect(heard).toEqual(['a1', 'a2', 'a1', 'a2', 'b']);
});

test('who stops hears no more, and leaves nothing behind', () => {
  const feed = new Feed();
  const heard: string[] = [];
  const stop = feed.listen('a', () => heard.push('first'));
  const stopOther = feed.listen('a', () => heard.push('second'));
  stop();
  stop();
  feed.tell('a', HINT);
  expect(heard).toEqual(['second']);
  expect(feed.size).toBe(1);
  stopOther();
  expect(feed.size).toBe(0);
});

test('who stopped once does not take away those who came later', () => {
  const feed = new Feed();
  const stop = feed.listen('a', () => {});
  stop();
  let isHeard = false;
  feed.listen('a', () => (isHeard = true));
  stop();
  feed.tell('a', HINT);
  expect(isHeard).toBe(true);
});

test('a listener may stop, and others begin, while news are told', () => {
  const feed = new Feed();
  const heard: string[] = [];
  const stop = feed.listen('a', () => {
    heard.push('once');
    stop();
  });
  feed.listen('a', () => heard.push('always'));
  feed.tell('a', HINT);
  feed.tell('a', HINT);
  expect(heard).toEqual(['once', 'always', 'always']);
});

test('who comes after the end is told of it', () => {
  const feed = new Feed();
  const error = new A2AError('UNAVAILABLE', 'closing');
  const heard: FeedChange[] = [];
  feed.listen('a', (change) => heard.push(change));
  feed.close({ kind: 'interrupted', error, isFinal: true });
  feed.listen('b', (change) => heard.push(change));
  expect(heard).toEqual([
    { kind: 'interrupted', error, isFinal: true },
    { kind: 'interrupted', error, isFinal: true },
  ]);
});

test('some are told at a time, and all in their turn', () => {
  const feed = new Feed();
  const heard: string[] = [];
  for (const id of ['a', 'b', 'c']) feed.listen(id, () => heard.push(id));
  const rounds = [1, 2, 3, 4].map(() => {
    feed.tellSome(HINT, 2);
    return heard.splice(0).join('');
  });
  expect(rounds).toEqual(['ab', 'c', 'ab', 'c']);
});
