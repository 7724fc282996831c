import { deepEqual, equal } from 'node:assert/strict';

import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  create,
  everythingOf,
  key,
  listed,
  newTask,
  provisionalTask,
  recordOf,
  START,
} from './samples.ts';

/** Every kind of JSON value, except minus zero, which JSON does not keep. */
const METADATA: JsonObject = JSON.parse(`{
  "nothing": null, "yes": true, "no": false, "empty": {}, "none": [], "": "the empty name",
  "numbers": [0, -1, 0.1, 1e-7, 1.7976931348623157e308, 5e-324, 9007199254740991, -9007199254740991, 12345678901234567],
  "nested": [[[{ "a": [null, { "b": null }] }]]],
  "text": "Grüße, 世界, 👩‍👩‍👧, \\u202eabc, e\\u0301, quote \\" ' \`, slash \\\\ /, \\n\\r\\t\\u0000\\u001f, \\ud800 alone",
  "__proto__": { "polluted": true }, "constructor": 1, "toString": 2, "ключ 🔑": 3, "a.b": 4, "$ref": 5
}`) as JsonObject;

const TEXT = 'Grüße, 世界 👩‍👩‍👧 "quoted" \'quoted\' \\ % _ ; -- \n\t';

/** Characters that names cannot contain: NUL and lone surrogates. */
const ANY_TEXT = `\0${TEXT}\0\0 \ud83d \udd11 \ud83d`;

const MESSAGE: Message = {
  messageId: ANY_TEXT,
  contextId: 'c',
  taskId: 't',
  role: 'ROLE_AGENT',
  parts: [
    { text: ANY_TEXT },
    { text: '\0' },
    { text: '' },
    { data: null },
    { data: METADATA, metadata: METADATA, mediaType: 'application/json' },
    { raw: 'AAEC/w==', filename: 'bytes.bin' },
    { url: 'https://example.com/a?b=c#d' },
  ],
  metadata: METADATA,
  extensions: ['https://example.com/ext'],
  referenceTaskIds: ['a', 'b'],
};

export const values: Behaviours = {
  'metadata, origin and status are read with equal values': async ({ store }) => {
    const task = newTask('one', {
      metadata: METADATA,
      origin: METADATA,
      status: { state: 'TASK_STATE_SUBMITTED', message: MESSAGE, timestamp: '2026-03-12T10:00:00.000Z' },
    });
    await create(store, task);

    const { metadata, origin, status } = await recordOf(store, 'one');

    deepEqual({ metadata, origin, status }, { metadata: METADATA, origin: METADATA, status: task.status });
  },

  'messages are read with equal values, from the history and as a reply': async ({ store }) => {
    await create(store, provisionalTask('one', { message: MESSAGE, node: 'node-a', idempotency: key('k') }));
    await append(store, 'one', { history: [MESSAGE] });
    deepEqual((await store.read(ALICE, 'one'))?.history, [MESSAGE, MESSAGE]);

    await store.dropForReply('one', { node: 'node-a', fence: 1 }, MESSAGE);

    const again = await store.create(newTask('two', { idempotency: key('k') }));
    deepEqual(again, { kind: 'repeated', taskId: 'one', reply: MESSAGE });
  },

  'journal entries are read with equal values': async ({ store }) => {
    const bodies: readonly JsonValue[] = [
      null,
      true,
      false,
      0,
      -1.5,
      '',
      ANY_TEXT,
      [],
      [null],
      {},
      METADATA,
      '"quoted"',
      '1',
    ];
    const journal = bodies.map((body) => ({ kind: ANY_TEXT, key: ANY_TEXT, body }));
    await create(store, newTask('one'));
    await append(store, 'one', { journal });

    deepEqual(
      await store.journal('one'),
      journal.map((entry, i) => ({ number: i + 1, ...entry })),
    );
  },

  'events and snapshots are read character for character': async ({ store }) => {
    // Valid JSON in an unusual form, which shows if a store parses and encodes it again.
    const body = ` { "b" : 1.0, "a":1e2, "a" :"\\u00fc${TEXT.replaceAll(/["\\\n\t]/g, '')}" } `;
    await create(store, newTask('one', { event: { kind: 'task', body } }));
    await append(store, 'one', { artifacts: body });
    await append(store, 'one', { events: [{ kind: 'artifact', body }] });

    deepEqual(
      (await store.events('one', 0, 10)).map((event) => event.body),
      [body, body],
    );
    deepEqual((await store.read(ALICE, 'one', { artifacts: true }))?.artifacts, {
      snapshot: body,
      tail: [{ number: 2, kind: 'artifact', body }],
    });
  },

  'names of all kinds can contain any text': async ({ store }) => {
    const scope = { tenant: `tenant ${TEXT}`, owner: `owner ${TEXT}` };
    const task = newTask(`id ${TEXT}`, {
      ...scope,
      contextId: `context ${TEXT}`,
      agent: `agent ${TEXT}`,
      alias: `alias ${TEXT}`,
      idempotency: key(`key ${TEXT}`, `digest ${TEXT}`),
    });
    await create(store, task);
    await append(store, task.id, { question: `question ${ANY_TEXT}` });
    await append(store, task.id, { events: [{ kind: 'status', body: '{}' }] }, { question: `question ${ANY_TEXT}` });

    equal(await store.resolveAlias(scope, `alias ${TEXT}`), task.id);
    deepEqual(await store.create({ ...task, id: 'two' }), { kind: 'repeated', taskId: task.id });
    deepEqual(await listed(store, { contextId: `context ${TEXT}` }, scope), { ids: [task.id], total: 1 });
    await store.heartbeat(`node ${TEXT}`, 1000);
    const [claimed] = await store.claim({ node: `node ${TEXT}`, agents: [`agent ${TEXT}`], limit: 1 });
    deepEqual(claimed, await recordOf(store, task.id, scope));
    deepEqual([claimed?.node, claimed?.question], [`node ${TEXT}`, `question ${ANY_TEXT}`]);
  },

  'names are not treated as patterns': async ({ store }) => {
    await create(store, newTask('one', { contextId: 'abc', agent: 'abc', alias: 'abc' }));

    for (const pattern of ['%', '_bc', 'a%', 'ABC', 'abc ', '*', '']) {
      equal(await store.resolveAlias(ALICE, pattern), undefined);
      equal(await store.read(ALICE, pattern), undefined);
      deepEqual(await listed(store, { contextId: pattern }), { ids: [], total: 0 });
      deepEqual(await store.claim({ node: 'node-a', agents: [pattern], limit: 1 }), []);
    }
  },

  'a value of one megabyte is read unchanged from every field': async ({ store }) => {
    const big = 'ü🔑 x'.repeat(200_000);
    const body = JSON.stringify({ big });
    const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: big }] };
    await create(store, newTask('one', { message, metadata: { big } }));

    const { record } = await append(store, 'one', {
      events: [{ kind: 'artifact', body }],
      journal: [{ kind: 'step', key: 'k', body: { big } }],
      history: [message],
      artifacts: body,
    });

    const found = await everythingOf(store, 'one');
    // Compared by hand, because a test runner takes minutes to print a difference of this size.
    equal(found.task?.record.metadata?.['big'] === big, true);
    equal(record.metadata?.['big'] === big, true);
    equal(JSON.stringify(found.task?.history) === JSON.stringify([message, message]), true);
    equal(found.task?.artifacts?.snapshot === body, true);
    equal(found.events[1]?.body === body, true);
    equal(JSON.stringify(found.journal[0]?.body) === body, true);
  },

  'times of any distance are read to the millisecond': async ({ store }) => {
    const far = Date.parse('9999-12-31T23:59:59.999Z');
    const early = Date.parse('1970-01-01T00:00:00.001Z');
    await create(store, newTask('one', { createdAt: early, wakeAt: far }));
    await create(
      store,
      newTask('two', { status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date(far).toISOString() } }),
    );
    await append(store, 'two', { wakeAt: null });

    const { createdAt, wakeAt } = await recordOf(store, 'one');
    deepEqual([createdAt, wakeAt, await store.nextWake(['translator'])], [early, far, far]);
    deepEqual((await listed(store, { after: { statusTime: far, id: 'two' } })).ids, ['one']);
    deepEqual((await listed(store, { statusSince: START + 1 })).ids, ['two']);
    await append(store, 'one', { status: { state: 'TASK_STATE_FAILED' }, endedAt: far });
    equal((await recordOf(store, 'one')).endedAt, far);
  },
};
