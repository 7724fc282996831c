import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours, Subject } from './subject.ts';
import type { Store } from '../../store/store.ts';
import { calling, createCaller, newCall } from './calls/samples.ts';
import { ALICE, end, entry, event, message } from './samples.ts';

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

  'a listener is told which writes make calls due, if the store knows': async (t) => {
    await t.create('parent');
    const added = callsDue(t.store, 'parent');
    await t.append('parent', calling(newCall('a')));
    await added;
    await t.create('child', { callId: 'a' });
    const ended = callsDue(t.store, 'child');
    await t.append('child', end());
    await ended;
    await t.createProvisional('dropped', { callId: 'a', node: 'node-a' });
    const dropped = callsDue(t.store, 'dropped');
    await t.store.dropForReply('dropped', { node: 'node-a', fence: 1 }, message('reply'));
    await dropped;
    await createCaller(t.store, 'canceled', 'b');
    const canceled = callsDue(t.store, 'canceled');
    await t.append('canceled', { canceling: true });
    await canceled;

    const others: (boolean | undefined)[] = [];
    const isDone = new Promise<void>((resolve) => {
      t.store.watch((id, _by, _isClaimable, _progress, areDue) => {
        if (id === 'other') others.push(areDue);
        if (id === 'last') resolve();
      });
    });
    await t.create('other');
    await t.append('other', { journal: [entry('a')], canceling: true });
    await t.append('other', end());
    await t.create('last');
    await isDone;
    equal(others.includes(true), false);
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

/** Resolves at a notification that a write to a task has made calls due. Some stores do not know it. */
function callsDue(store: Store, taskId: string): Promise<void> {
  return new Promise((resolve) => {
    store.watch((id, _by, _isClaimable, _progress, areDue = true) => {
      if (id === taskId && areDue) resolve();
    });
  });
}

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
