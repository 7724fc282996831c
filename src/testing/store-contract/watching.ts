import { deepEqual, equal } from 'node:assert/strict';

import type { Store } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import { calling, createCaller, newCall } from './calls/samples.ts';
import { ALICE, append, create, end, entry, event, message, newTask, provisionalTask } from './samples.ts';

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

  'a listener is told which writes make calls due, if the store knows': async ({ store }) => {
    await create(store, newTask('parent'));
    const added = callsDue(store, 'parent');
    await append(store, 'parent', calling(newCall('a')));
    await added;
    await create(store, newTask('child', { callId: 'a' }));
    const ended = callsDue(store, 'child');
    await append(store, 'child', end());
    await ended;
    await create(store, provisionalTask('dropped', { callId: 'a', node: 'node-a' }));
    const dropped = callsDue(store, 'dropped');
    await store.dropForReply('dropped', { node: 'node-a', fence: 1 }, message('reply'));
    await dropped;
    await createCaller(store, 'canceled', 'b');
    const canceled = callsDue(store, 'canceled');
    await append(store, 'canceled', { canceling: true });
    await canceled;

    const others: (boolean | undefined)[] = [];
    const isDone = new Promise<void>((resolve) => {
      store.watch((id, _by, _isClaimable, _progress, areDue) => {
        if (id === 'other') others.push(areDue);
        if (id === 'last') resolve();
      });
    });
    await create(store, newTask('other'));
    await append(store, 'other', { journal: [entry('a')], canceling: true });
    await append(store, 'other', end());
    await create(store, newTask('last'));
    await isDone;
    equal(others.includes(true), false);
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

/** Resolves at a notification that a write to a task has made calls due. Some stores do not know it. */
function callsDue(store: Store, taskId: string): Promise<void> {
  return new Promise((resolve) => {
    store.watch((id, _by, _isClaimable, _progress, areDue = true) => {
      if (id === taskId && areDue) resolve();
    });
  });
}

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
