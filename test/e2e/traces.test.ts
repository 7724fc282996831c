/** Traces: received from the caller, stored with the task, included in its events, and passed to the handler. */
import { describe, expect, test } from 'vitest';

import { agent } from '../../src/agent/agent.ts';
import { openTelemetry } from '../helpers/open-telemetry.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { eventsOf, type SseEvent } from './kit/sse-text.ts';
import { FORMATS_1, REST_1, RPC_01, WIRE_FORMATS } from './kit/wire-formats.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const OWN_SPAN: unknown = expect.stringMatching(/^(?!00f067aa0ba902b7)[0-9a-f]{16}$/);

function traced(ask: Ask, headers: Readonly<Record<string, string>> = { traceparent: TRACEPARENT }): Ask {
  return { ...ask, headers: { ...ask.headers, ...headers } };
}

/** Every metadata object with a trace id in the events of a stream. */
function marksIn(text: string): readonly unknown[] {
  return marksOf(eventsOf(text));
}

function marksOf(events: readonly SseEvent[]): readonly unknown[] {
  return events.flatMap(({ json }) => {
    const found: unknown[] = [];
    JSON.parse(JSON.stringify(json), (name, value: unknown) => {
      if (name === 'metadata' && typeof value === 'object' && value !== null && 'traceId' in value) found.push(value);
      return value;
    });
    return found;
  });
}

const HEADERS = agent({
  name: 'Tracer',
  description: 'Returns its trace.',
  run: ({ trace }) => JSON.stringify(trace),
});

describe('the events of a task', () => {
  test.each(WIRE_FORMATS)(
    verifies('O-03', '$name: have the trace id and span id of the request in their metadata'),
    async (format) => {
      const server = await startServer();

      const { text } = await server.ask(traced(format.stream({ text: 'story' })));

      const [task, ...updates] = eventsOf(text).map((event) => marksOf([event]));
      expect(task).toEqual([]);
      // Three status updates and three artifact updates.
      expect(updates).toHaveLength(6);
      for (const marks of updates) expect(marks).toEqual([{ traceId: TRACE, spanId: OWN_SPAN }]);
      expect(new Set(updates.map((marks) => JSON.stringify(marks))).size).toBe(1);
    },
  );

  test.each(FORMATS_1)('$name: keep their trace in a resumed stream', async (format) => {
    const server = await startServer();
    const first = eventsOf((await server.ask(traced(format.stream({ text: 'story' })))).text);
    const { taskId = '' } = /"taskId":"(?<taskId>[\w-]+)/.exec(JSON.stringify(first))?.groups ?? {};

    const again = await server.ask(traced(format.subscribe(taskId), { 'last-event-id': '1' }));

    expect(eventsOf(again.text).map(({ id }) => id)).toEqual(first.slice(1).map(({ id }) => id));
    expect(marksIn(again.text)).toEqual(marksOf(first.slice(1)));
  });

  test.each([
    ['the request has no traceparent', {}],
    ['traceparent has a wrong length', { traceparent: TRACEPARENT.slice(0, -1) }],
    ['traceparent is in upper case', { traceparent: TRACEPARENT.toUpperCase() }],
    ['the trace id is all zeros', { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` }],
    ['the span id is all zeros', { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` }],
    ['traceparent has version ff', { traceparent: `ff-${TRACE}-${PARENT}-01` }],
    ['traceparent of version 00 has more fields', { traceparent: `${TRACEPARENT}-more` }],
  ])('have no trace if %s', async (_, headers) => {
    const server = await startServer();

    const { text, status } = await server.ask(traced(REST_1.stream({ text: 'story' }), headers));

    expect(status).toBe(200);
    expect(marksIn(text)).toEqual([]);
  });

  test('have no trace with tracing: false', async () => {
    const server = await startServer({ tracing: false });

    const { text } = await server.ask(traced(REST_1.stream({ text: 'story' })));

    expect(marksIn(text)).toEqual([]);
  });
});

test(verifies('O-03', 'a handler gets the traceparent of its run and the tracestate of the request'), async () => {
  const { ask } = await serveOnSocket(HEADERS);

  const headers = { traceparent: `01-${TRACE}-${PARENT}-00-later`, tracestate: 'vendor=1' };
  const { text } = await ask(traced(REST_1.send({ text: 'where?' }), headers));

  expect(text.replaceAll('\\', '')).toMatch(
    new RegExp(`{"traceparent":"00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00","tracestate":"vendor=1"}`),
  );
});

test('a handler gets an empty trace if the request has none', async () => {
  const { ask } = await serveOnSocket(HEADERS);

  expect((await ask(REST_1.send({ text: 'where?' }))).text).toContain('"{}"');
});

describe('spans', () => {
  test.each(WIRE_FORMATS)(
    verifies('O-03', '$name: the span of an operation is the parent of the run, and the run of its steps'),
    async (format) => {
      const { api, spans, named } = openTelemetry();
      const stepping = agent({
        name: 'S',
        id: 'stepper',
        description: 'Steps.',
        run: ({ step }) => step('one', () => 'done'),
      });
      const { ask } = await serveOnSocket(stepping, { tracing: api });

      const { text } = await ask(traced(format.send({ text: 'go' })));

      await expect.poll(() => spans().map(({ name }) => name)).toEqual(['a2a.SendMessage', 'a2a.run', 'a2a.step']);
      const [operation, run, step] = spans();
      expect(operation).toMatchObject({ kind: api.SpanKind.SERVER, traceId: TRACE, parentId: PARENT });
      expect(operation?.attributes).toMatchObject({ 'a2a.agent': 'stepper', 'a2a.operation': 'SendMessage' });
      expect(run).toMatchObject({ kind: api.SpanKind.INTERNAL, traceId: TRACE, parentId: operation?.spanId });
      // In 0.1 the caller chose the id of the task.
      if (format !== RPC_01) expect(text).toContain(String(run?.attributes['a2a.task.id']));
      expect(step).toMatchObject({ parentId: run?.spanId, attributes: { 'a2a.step.name': 'one#1' } });
      expect(named('a2a.run')[0]?.status.code).toBe(api.SpanStatusCode.UNSET);
    },
  );

  test('a request without a trace starts a new one, which is in the events', async () => {
    const { api, named } = openTelemetry();
    const server = await startServer({ tracing: api });

    const { text } = await server.ask(REST_1.stream({ text: 'story' }));

    const [operation] = named('a2a.SendStreamingMessage');
    expect(operation).toMatchObject({ kind: api.SpanKind.SERVER, parentId: undefined });
    for (const mark of marksIn(text)) expect(mark).toEqual({ traceId: operation?.traceId, spanId: operation?.spanId });
    expect(marksIn(text).length).toBeGreaterThan(4);
  });

  test('a failure is recorded without secrets', async () => {
    const { api, spans, named } = openTelemetry();
    const run = async (): Promise<never> => {
      throw new Error('401 for Bearer abc123def456ghi');
    };
    const { ask } = await serveOnSocket(agent({ name: 'F', description: 'Fails.', run }), { tracing: api });

    await ask(REST_1.send({ text: 'go' }));
    await ask(REST_1.get('unknown'));

    const code = api.SpanStatusCode.ERROR;
    await expect
      .poll(() => named('a2a.run').map(({ status }) => status))
      .toEqual([{ code, message: '401 for Bearer [redacted]' }]);
    expect(named('a2a.GetTask')).toMatchObject([
      { status: { code }, attributes: { 'error.type': 'TASK_NOT_FOUND', 'a2a.task.id': 'unknown' } },
    ]);
    expect(JSON.stringify(spans())).not.toContain('abc123');
  });

  test('spans of the code of a handler are children of the run or of their step', async () => {
    const { api, named } = openTelemetry();
    const tracer = api.trace.getTracer('mine');
    const own = (name: string): void => tracer.startSpan(name).end();
    const busy = agent({
      name: 'B',
      description: 'Has spans of its own.',
      async run({ step }) {
        own('mine.run');
        await step('one', () => own('mine.step'));
      },
    });
    const { ask } = await serveOnSocket(busy, { tracing: api });

    await ask(REST_1.send({ text: 'go' }));

    await expect.poll(() => named('a2a.run')).toHaveLength(1);
    expect(named('mine.run')[0]?.parentId).toBe(named('a2a.run')[0]?.spanId);
    expect(named('mine.step')[0]?.parentId).toBe(named('a2a.step')[0]?.spanId);
  });
});
