import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours, Subject } from './subject.ts';
import { ALICE, event, message } from './samples.ts';

export const watching: Behaviours = {
  'a listener is notified about a new task when it can be read': async (t) => {
    const notified = notification(t, 'one', async () => (await t.store.read(ALICE, 'one'))?.record.lastEvent);
    await t.create('one');

    equal(await notified, 1);
  },

  'a listener is notified about a write when it can be read': async (t) => {
    await t.create('one');
    const notified = new Promise<number>((resolve) => {
      // A late notification about the creation may come first.
      t.store.watch((id) => {
        void t.store.events(id, 1, 10).then(({ length }) => length > 0 && resolve(length));
      });
    });
    await t.append('one', { events: [event('a')] });

    equal(await notified, 1);
  },

  'a listener is notified when a task is dropped for a reply': async (t) => {
    await t.createProvisional('one', { node: 'node-a' });
    const notified = new Promise<void>((resolve) => {
      t.store.watch((id) => {
        void t.store.read(ALICE, id).then((task) => task === undefined && resolve());
      });
    });
    await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));

    await notified;
  },

  'every listener is notified about every task': async (t) => {
    const notified = ['one', 'two'].flatMap((id) => [notification(t, id), notification(t, id)]);
    await Promise.all([t.create('one'), t.create('two', { owner: 'bob' })]);

    deepEqual((await Promise.all(notified)).length, 4);
  },

  'a listener that stops watching is no longer notified, but the others are': async (t) => {
    const ids: string[] = [];
    const stop = t.store.watch((id) => ids.push(id));
    const notified = notification(t, 'one');
    stop();
    await t.create('one');
    await notified;

    deepEqual(ids, []);
    stop();
    const again = notification(t, 'two');
    await t.create('two');
    await again;
    deepEqual(ids, []);
  },

  'a listener that throws affects neither the write nor the other listeners': async (t) => {
    const broken = (): never => {
      throw new Error('a listener that throws');
    };
    t.store.watch(broken);
    const notified = notification(t, 'one');
    t.store.watch(() => broken());

    await t.create('one');
    await notified;
    equal((await t.append('one', { events: [event('a')] })).firstEvent, 2);
    equal((await t.store.events('one', 0, 10)).length, 2);
  },

  'a listener may write, and may stop watching, while it is called': async (t) => {
    await t.create('one');
    const written = new Promise<number>((resolve, reject) => {
      const stop = t.store.watch((id) => {
        if (id !== 'two') return;
        stop();
        t.append('one', { events: [event('a')] }).then(({ firstEvent }) => resolve(firstEvent), reject);
      });
    });
    await t.create('two');

    equal(await written, 2);
  },
};

/** Resolves with the result of `then` at the first notification about a task. */
function notification<T = void>(t: Subject, taskId: string, then?: () => Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    t.store.watch((id) => {
      if (id !== taskId) return;
      if (then === undefined) resolve(undefined);
      else then().then(resolve, reject);
    });
  });
}
