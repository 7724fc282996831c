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
  feed.notify('a', HINT);
  feed.notify('none', HINT);
  expect(heard).toEqual(['a1', 'a2']);
  feed.notifyAll(HINT);
  expect(heard).toEqual(['a1', 'a2', 'a1', 'a2', 'b']);
});

test('a listener that stops gets no further changes, and leaves nothing behind', () => {
  const feed = new Feed();
  const heard: string[] = [];
  const stop = feed.listen('a', () => heard.push('first'));
  const stopOther = feed.listen('a', () => heard.push('second'));
  stop();
  stop();
  feed.notify('a', HINT);
  expect(heard).toEqual(['second']);
  expect(feed.size).toBe(1);
  stopOther();
  expect(feed.size).toBe(0);
});

test('a listener that stops twice does not remove later listeners', () => {
  const feed = new Feed();
  const stop = feed.listen('a', () => {});
  stop();
  let isHeard = false;
  feed.listen('a', () => (isHeard = true));
  stop();
  feed.notify('a', HINT);
  expect(isHeard).toBe(true);
});

test('listeners may stop and begin during a notification', () => {
  const feed = new Feed();
  const heard: string[] = [];
  const stop = feed.listen('a', () => {
    heard.push('once');
    stop();
  });
  feed.listen('a', () => heard.push('always'));
  feed.notify('a', HINT);
  feed.notify('a', HINT);
  expect(heard).toEqual(['once', 'always', 'always']);
});

test('a listener that comes after the close is notified about it', () => {
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

test('notifySome notifies some listeners per call, and all in turn', () => {
  const feed = new Feed();
  const heard: string[] = [];
  for (const id of ['a', 'b', 'c']) feed.listen(id, () => heard.push(id));
  const rounds = [1, 2, 3, 4].map(() => {
    feed.notifySome(HINT, 2);
    return heard.splice(0).join('');
  });
  expect(rounds).toEqual(['ab', 'c', 'ab', 'c']);
});
