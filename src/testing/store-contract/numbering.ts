import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './subject.ts';
import { ALICE, entry, event, newTask, pluck, times } from './samples.ts';

export const numbering: Behaviours = {
  'events of a task are numbered from 1 without gaps, across writes and within one': async (t) => {
    await t.create('one');

    equal((await t.append('one', { events: [event('a'), event('b'), event('c')] })).firstEvent, 2);
    const without = await t.append('one', { journal: [entry('x')] });
    deepEqual([without.firstEvent, without.record.lastEvent], [5, 4]);
    const last = await t.append('one', { events: [event('d', 'artifact')] });

    deepEqual([last.firstEvent, last.record.lastEvent], [5, 5]);
    deepEqual(await t.store.events('one', 0, 100), [
      { number: 1, ...event('created', 'task') },
      { number: 2, ...event('a') },
      { number: 3, ...event('b') },
      { number: 4, ...event('c') },
      { number: 5, ...event('d', 'artifact') },
    ]);
  },

  'writes to one task are stored in the order of the calls, awaited or not': async (t) => {
    await t.create('one');
    await Promise.all(times(300).map((i) => t.append('one', { events: [event(`${i}`)] })));

    const bodies = (await t.store.events('one', 1, 1000)).map(({ body }) => body);
    deepEqual(
      bodies,
      times(300).map((i) => event(`${i}`).body),
    );
  },

  'the journal can be read from a given number': async (t) => {
    await t.create('one');
    await t.append('one', { journal: [entry('a'), entry('b'), entry('c')] });

    deepEqual(
      (await t.store.journal('one', 1)).map(({ number, key }) => [number, key]),
      (await t.store.journal('one')).slice(1).map(({ number, key }) => [number, key]),
    );
    equal((await t.store.journal('one', 1)).length, 2);
    deepEqual(await t.store.journal('one', 3), []);
    deepEqual(await t.store.journal('one', 7), []);
  },

  'journal entries are numbered separately, from 1 without gaps': async (t) => {
    await t.create('one');
    await t.append('one', { journal: [entry('a'), entry('b')], events: [event('a')] });
    await t.append('one', { events: [event('b')] });
    const { record } = await t.append('one', { journal: [entry('a')] });

    equal(record.lastJournal, 3);
    deepEqual(await t.store.journal('one'), [
      { number: 1, ...entry('a') },
      { number: 2, ...entry('b') },
      { number: 3, ...entry('a') },
    ]);
  },

  'the first event of a provisional task is number 1': async (t) => {
    await t.createProvisional('one');

    equal((await t.append('one', { visible: true, events: [event('created', 'task')] })).firstEvent, 1);
  },

  'each task has its own event numbers': async (t) => {
    await t.create('one');
    await t.create('two');
    await t.append('one', { events: [event('a'), event('b')], journal: [entry('a')] });

    const { firstEvent, record } = await t.append('two', { events: [event('a')], journal: [entry('a')] });

    deepEqual([firstEvent, record.lastJournal], [2, 1]);
    deepEqual(pluck(await t.store.journal('two'), 'number'), [1]);
  },

  'a read returns the events after a number, up to its limit': async (t) => {
    await t.create('one');
    await t.append('one', { events: times(9).map((i) => event(`event ${i}`)) });
    const numbers = async (after: number, limit: number): Promise<readonly number[]> =>
      (await t.store.events('one', after, limit)).map(({ number }) => number);

    deepEqual(await numbers(0, 3), [1, 2, 3]);
    deepEqual(await numbers(3, 3), [4, 5, 6]);
    deepEqual(await numbers(8, 100), [9, 10]);
    deepEqual(await numbers(10, 100), []);
    deepEqual(await numbers(11, 100), []);
    deepEqual(await numbers(0, 0), []);
  },

  'a read can return any part of the events of one write': async (t) => {
    await t.create('one');
    const kinds = ['status', 'artifact'] as const;
    const events = times(300).map((i) => event('é'.repeat(i % 5) + i, kinds[i % 2]));
    await t.append('one', { events });
    const all = [
      { number: 1, ...(newTask('one').event ?? event('')) },
      ...events.map((one, i) => ({ number: i + 2, ...one })),
    ];

    for (const [after, limit] of [
      [0, 1000],
      [0, 1],
      [1, 64],
      [63, 2],
      [64, 3],
      [65, 64],
      [100, 200],
      [299, 5],
    ] as const)
      deepEqual(await t.store.events('one', after, limit), all.slice(after, after + limit));
    deepEqual((await t.store.read(ALICE, 'one', { artifacts: true }))?.artifacts, {
      tail: all.filter(({ kind }) => kind === 'artifact'),
    });
  },

  'numbers in the given events and entries are ignored': async (t) => {
    await t.create('one');
    const stray = { number: 77 };
    await t.append('one', { events: [{ ...event('a'), ...stray }], journal: [{ ...entry('x'), ...stray }] });

    deepEqual(await t.store.events('one', 1, 10), [{ number: 2, ...event('a') }]);
    deepEqual(await t.store.journal('one'), [{ number: 1, ...entry('x') }]);
  },

  'none of 200 concurrent writes to one task is lost, and numbers follow the commits': async (t) => {
    await t.create('one');
    // One, two or three events each, so that gaps and overlaps show.
    const sizes = times(200).map((i) => 1 + (i % 3));
    const done = await Promise.all(
      sizes.map((size, i) =>
        t.append('one', { events: times(size).map((k) => event(`${i}.${k}`)), journal: [entry(`${i}`)] }),
      ),
    );

    const total = 1 + sizes.reduce((sum, size) => sum + size, 0);
    const events = await t.store.events('one', 0, 1000);
    deepEqual(
      pluck(events, 'number'),
      times(total).map((i) => i + 1),
    );
    const journal = await t.store.journal('one');
    deepEqual(
      pluck(journal, 'number'),
      times(200).map((i) => i + 1),
    );
    for (const [i, { firstEvent, record }] of done.entries()) {
      const size = sizes[i] ?? 0;
      const own = events.slice(firstEvent - 1, firstEvent - 1 + size).map(({ body }) => body);
      deepEqual(
        own,
        times(size).map((k) => event(`${i}.${k}`).body),
      );
      equal(record.lastEvent, firstEvent + size - 1);
      // One commit numbers both, so both orders are the same.
      equal(journal[record.lastJournal - 1]?.key, `${i}`);
    }
    const byCommit = [...done].sort((a, b) => a.firstEvent - b.firstEvent);
    deepEqual(
      byCommit.map(({ record }) => record.lastJournal),
      times(200).map((i) => i + 1),
    );
  },

  'concurrent writes to many tasks number the events of each task': async (t) => {
    const ids = times(20).map((i) => `task-${i}`);
    await Promise.all(ids.map((id) => t.create(id)));
    await Promise.all(
      times(200).map((i) => t.append(`task-${i % 20}`, { events: [event(`${i}`)], journal: [entry(`${i}`)] })),
    );

    for (const [i, id] of ids.entries()) {
      const events = await t.store.events(id, 0, 100);
      deepEqual(
        pluck(events, 'number'),
        times(11).map((n) => n + 1),
      );
      const own = times(10).map((n) => event(`${i + 20 * n}`).body);
      deepEqual(
        events
          .slice(1)
          .map(({ body }) => body)
          .sort(),
        own.sort(),
      );
      deepEqual(
        pluck(await t.store.journal(id), 'number'),
        times(10).map((n) => n + 1),
      );
    }
  },
};
