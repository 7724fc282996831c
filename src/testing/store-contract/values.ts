import { deepEqual, equal } from 'node:assert/strict';

import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Behaviours } from './subject.ts';
import { ALICE, key, newTask, START } from './samples.ts';

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
  'metadata, origin and status are read with equal values': async (t) => {
    const task = newTask('one', {
      metadata: METADATA,
      origin: METADATA,
      status: { state: 'TASK_STATE_SUBMITTED', message: MESSAGE, timestamp: '2026-03-12T10:00:00.000Z' },
    });
    await t.create(task);

    const { metadata, origin, status } = await t.recordOf('one');

    deepEqual({ metadata, origin, status }, { metadata: METADATA, origin: METADATA, status: task.status });
  },

  'messages are read with equal values, from the history and as a reply': async (t) => {
    await t.createProvisional('one', { message: MESSAGE, node: 'node-a', idempotency: key('k') });
    await t.append('one', { history: [MESSAGE] });
    deepEqual((await t.store.read(ALICE, 'one'))?.history, [MESSAGE, MESSAGE]);

    await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, MESSAGE);

    const again = await t.store.create(newTask('two', { idempotency: key('k') }));
    deepEqual(again, { kind: 'repeated', taskId: 'one', reply: MESSAGE });
  },

  'journal entries are read with equal values': async (t) => {
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
    await t.create('one');
    await t.append('one', { journal });

    deepEqual(
      await t.store.journal('one'),
      journal.map((entry, i) => ({ number: i + 1, ...entry })),
    );
  },

  'events and snapshots are read character for character': async (t) => {
    // Valid JSON in an unusual form, which shows if a store parses and encodes it again.
    const body = ` { "b" : 1.0, "a":1e2, "a" :"\\u00fc${TEXT.replaceAll(/["\\\n\t]/g, '')}" } `;
    await t.create('one', { event: { kind: 'task', body } });
    await t.append('one', { artifacts: body });
    await t.append('one', { events: [{ kind: 'artifact', body }] });

    deepEqual(
      (await t.store.events('one', 0, 10)).map((event) => event.body),
      [body, body],
    );
    deepEqual((await t.store.read(ALICE, 'one', { artifacts: true }))?.artifacts, {
      snapshot: body,
      tail: [{ number: 2, kind: 'artifact', body }],
    });
  },

  'names of all kinds can contain any text': async (t) => {
    const scope = { tenant: `tenant ${TEXT}`, owner: `owner ${TEXT}` };
    const task = newTask(`id ${TEXT}`, {
      ...scope,
      contextId: `context ${TEXT}`,
      agent: `agent ${TEXT}`,
      alias: `alias ${TEXT}`,
      idempotency: key(`key ${TEXT}`, `digest ${TEXT}`),
    });
    await t.create(task);
    await t.append(task.id, { question: `question ${ANY_TEXT}` });
    await t.append(task.id, { events: [{ kind: 'status', body: '{}' }] }, { question: `question ${ANY_TEXT}` });

    equal(await t.store.resolveAlias(scope, `alias ${TEXT}`), task.id);
    deepEqual(await t.store.create({ ...task, id: 'two' }), { kind: 'repeated', taskId: task.id });
    deepEqual(await t.listed({ contextId: `context ${TEXT}` }, scope), { ids: [task.id], total: 1 });
    await t.store.heartbeat(`node ${TEXT}`, 1000);
    const [claimed] = await t.store.claim({ node: `node ${TEXT}`, agents: [`agent ${TEXT}`], limit: 1 });
    deepEqual(claimed, await t.recordOf(task.id, scope));
    deepEqual([claimed?.node, claimed?.question], [`node ${TEXT}`, `question ${ANY_TEXT}`]);
  },

  'names are not treated as patterns': async (t) => {
    await t.create('one', { contextId: 'abc', agent: 'abc', alias: 'abc' });

    for (const pattern of ['%', '_bc', 'a%', 'ABC', 'abc ', '*', '']) {
      equal(await t.store.resolveAlias(ALICE, pattern), undefined);
      equal(await t.store.read(ALICE, pattern), undefined);
      deepEqual(await t.listed({ contextId: pattern }), { ids: [], total: 0 });
      deepEqual(await t.store.claim({ node: 'node-a', agents: [pattern], limit: 1 }), []);
    }
  },

  'a value of one megabyte is read unchanged from every field': async (t) => {
    const big = 'ü🔑 x'.repeat(200_000);
    const body = JSON.stringify({ big });
    const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: big }] };
    await t.create('one', { message, metadata: { big } });

    const { record } = await t.append('one', {
      events: [{ kind: 'artifact', body }],
      journal: [{ kind: 'step', key: 'k', body: { big } }],
      history: [message],
      artifacts: body,
    });

    const found = await t.everythingOf('one');
    // Compared by hand, because a test runner takes minutes to print a difference of this size.
    equal(found.task?.record.metadata?.['big'] === big, true);
    equal(record.metadata?.['big'] === big, true);
    equal(JSON.stringify(found.task?.history) === JSON.stringify([message, message]), true);
    equal(found.task?.artifacts?.snapshot === body, true);
    equal(found.events[1]?.body === body, true);
    equal(JSON.stringify(found.journal[0]?.body) === body, true);
  },

  'times of any distance are read to the millisecond': async (t) => {
    const far = Date.parse('9999-12-31T23:59:59.999Z');
    const early = Date.parse('1970-01-01T00:00:00.001Z');
    await t.create('one', { createdAt: early, wakeAt: far });
    await t.create('two', { status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date(far).toISOString() } });
    await t.append('two', { wakeAt: null });

    const { createdAt, wakeAt } = await t.recordOf('one');
    deepEqual([createdAt, wakeAt, await t.store.nextWake(['translator'])], [early, far, far]);
    deepEqual((await t.listed({ after: { statusTime: far, id: 'two' } })).ids, ['one']);
    deepEqual((await t.listed({ statusSince: START + 1 })).ids, ['two']);
    await t.append('one', { status: { state: 'TASK_STATE_FAILED' }, endedAt: far });
    equal((await t.recordOf('one')).endedAt, far);
  },
};
