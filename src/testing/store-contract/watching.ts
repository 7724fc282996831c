import { deepEqual, equal } from 'node:assert/strict';

import type { Store } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import { ALICE, append, create, event, message, newTask, provisionalTask } from './samples.ts';

export const watching: Behaviours = {
  'a listener is notified about a new task when it can be read': async ({ store }) => {
    const notified = notification(store, 'one', async () => (await store.read(ALICE, 'one'))?.record.lastEvent);
    await create(store, newTask('one'));

    equal(await notified, 1);
  },

  'a listener is notified about a write when it can be read': async ({ store }) => {
    await create(store, newTask('one'));
    const notified = new Promise<number>((resolve) => {
      // A late notification about the creation may come first.
      store.watch((id) => {
        void store.events(id, 1, 10).then(({ length }) => length > 0 && resolve(length));
      });
    });
    await append(store, 'one', { events: [event('a')] });

    equal(await notified, 1);
  },

  'a listener is notified when a task is dropped for a reply': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a' }));
    const notified = new Promise<void>((resolve) => {
      store.watch((id) => {
        void store.read(ALICE, id).then((task) => task === undefined && resolve());
      });
    });
    await store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));

    await notified;
  },

  'every listener is notified about every task': async ({ store }) => {
    const notified = ['one', 'two'].flatMap((id) => [notification(store, id), notification(store, id)]);
    await Promise.all([create(store, newTask('one')), create(store, newTask('two', { owner: 'bob' }))]);

    deepEqual((await Promise.all(notified)).length, 4);
  },

  'a listener that stops watching is no longer notified, but the others are': async ({ store }) => {
    const ids: string[] = [];
    const stop = store.watch((id) => ids.push(id));
    const notified = notification(store, 'one');
    stop();
    await create(store, newTask('one'));
    await notified;

    deepEqual(ids, []);
    stop();
    const again = notification(store, 'two');
    await create(store, newTask('two'));
    await again;
    deepEqual(ids, []);
  },

  'a listener that throws affects neither the write nor the other listeners': async ({ store }) => {
    const broken = (): never => {
      throw new Error('a listener that throws');
    };
    store.watch(broken);
    const notified = notification(store, 'one');
    store.watch(() => broken());

    await create(store, newTask('one'));
    await notified;
    equal((await append(store, 'one', { events: [event('a')] })).firstEvent, 2);
    equal((await store.events('one', 0, 10)).length, 2);
  },

  'a listener may write, and may stop watching, while it is called': async ({ store }) => {
    await create(store, newTask('one'));
    const written = new Promise<number>((resolve, reject) => {
      const stop = store.watch((id) => {
        if (id !== 'two') return;
        stop();
        append(store, 'one', { events: [event('a')] }).then(({ firstEvent }) => resolve(firstEvent), reject);
      });
    });
    await create(store, newTask('two'));

    equal(await written, 2);
  },
};

/** Resolves with the result of `then` at the first notification about a task. */
function notification<T = void>(store: Store, taskId: string, then?: () => Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    store.watch((id) => {
      if (id !== taskId) return;
      if (then === undefined) resolve(undefined);
      else then().then(resolve, reject);
    });
  });
}
