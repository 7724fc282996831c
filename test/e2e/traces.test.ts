/** Traces: taken over from the caller, kept with the task, shown in its events, and handed on. */
import { describe, expect, test } from 'vitest';

import { agent } from '../../src/server/agent/agent.ts';
import { openTelemetry } from '../helpers/open-telemetry.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { eventsOf, type SseEvent } from './kit/sse-text.ts';
import { NEWEST, REST_1, RPC_01, VOICES } from './kit/voices.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const OWN_SPAN: unknown = expect.stringMatching(/^(?!00f067aa0ba902b7)[0-9a-f]{16}$/);

function traced(ask: Ask, headers: Readonly<Record<string, string>> = { traceparent: TRACEPARENT }): Ask {
  return { ...ask, headers: { ...ask.headers, ...headers } };
}

/** Everywhere in the events of a stream where one says which trace it is in. */
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
  description: 'Says where in a trace it is.',
  run: ({ trace }) => JSON.stringify(trace),
});

describe('the events of a task', () => {
  test.each(VOICES)(verifies('O-03', '$name: say which trace they are in'), async (voice) => {
    const server = await startServer();

    const { text } = await server.ask(traced(voice.stream({ text: 'story' })));

    const [task, ...updates] = eventsOf(text).map((event) => marksOf([event]));
    expect(task).toEqual([]);
    // Three words about it, three pieces of artifacts.
    expect(updates).toHaveLength(6);
    for (const marks of updates) expect(marks).toEqual([{ traceId: TRACE, spanId: OWN_SPAN }]);
    expect(new Set(updates.map((marks) => JSON.stringify(marks))).size).toBe(1);
  });

  test.each(NEWEST)('$name: are the same for who comes back for them', async (voice) => {
    const server = await startServer();
    const first = eventsOf((await server.ask(traced(voice.stream({ text: 'story' })))).text);
    const { taskId = '' } = /"taskId":"(?<taskId>[\w-]+)/.exec(JSON.stringify(first))?.groups ?? {};

    const again = await server.ask(traced(voice.subscribe(taskId), { 'last-event-id': '1' }));

    expect(eventsOf(again.text).map(({ id }) => id)).toEqual(first.slice(1).map(({ id }) => id));
    expect(marksIn(again.text)).toEqual(marksOf(first.slice(1)));
  });

  test.each([
    ['there is none', {}],
    ['it has another length', { traceparent: TRACEPARENT.slice(0, -1) }],
    ['it is in capitals', { traceparent: TRACEPARENT.toUpperCase() }],
    ['it is empty of digits', { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` }],
    ['it has no span', { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` }],
    ['it is of a version that cannot be', { traceparent: `ff-${TRACE}-${PARENT}-01` }],
    ['it goes on where it may not', { traceparent: `${TRACEPARENT}-more` }],
  ])('say nothing of a trace if %s', async (_, headers) => {
    const server = await startServer();

    const { text, status } = await server.ask(traced(REST_1.stream({ text: 'story' }), headers));

    expect(status).toBe(200);
    expect(marksIn(text)).toEqual([]);
  });

  test('say nothing of a trace if tracing is off', async () => {
    const server = await startServer({ tracing: false });

    const { text } = await server.ask(traced(REST_1.stream({ text: 'story' })));

    expect(marksIn(text)).toEqual([]);
  });
});

test(verifies('O-03', 'a handler gets the trace to hand it on, with what vendors have added'), async () => {
  const { ask } = await serveOnSocket(HEADERS);

  const headers = { traceparent: `01-${TRACE}-${PARENT}-00-later`, tracestate: 'vendor=1' };
  const { text } = await ask(traced(REST_1.send({ text: 'where?' }), headers));

  expect(text.replaceAll('\\', '')).toMatch(
    new RegExp(`{"traceparent":"00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00","tracestate":"vendor=1"}`),
  );
});

test('without a trace a handler has nothing to hand on', async () => {
  const { ask } = await serveOnSocket(HEADERS);

  expect((await ask(REST_1.send({ text: 'where?' }))).text).toContain('"{}"');
});

describe('spans', () => {
  test.each(VOICES)(
    verifies('O-03', '$name: an operation is one, and the run and its steps are below'),
    async (voice) => {
      const { api, spans, named } = openTelemetry();
      const stepping = agent({
        name: 'S',
        id: 'stepper',
        description: 'Steps.',
        run: ({ step }) => step('one', () => 'done'),
      });
      const { ask } = await serveOnSocket(stepping, { tracing: api });

      const { text } = await ask(traced(voice.send({ text: 'go' })));

      await expect.poll(() => spans().map(({ name }) => name)).toEqual(['a2a.SendMessage', 'a2a.run', 'a2a.step']);
      const [operation, run, step] = spans();
      expect(operation).toMatchObject({ kind: api.SpanKind.SERVER, traceId: TRACE, parentId: PARENT });
      expect(operation?.attributes).toMatchObject({ 'a2a.agent': 'stepper', 'a2a.operation': 'SendMessage' });
      expect(run).toMatchObject({ kind: api.SpanKind.INTERNAL, traceId: TRACE, parentId: operation?.spanId });
      // A caller of 0.1 has named the task himself.
      if (voice !== RPC_01) expect(text).toContain(String(run?.attributes['a2a.task.id']));
      expect(step).toMatchObject({ parentId: run?.spanId, attributes: { 'a2a.step.name': 'one#1' } });
      expect(named('a2a.run')[0]?.status.code).toBe(api.SpanStatusCode.UNSET);
    },
  );

  test('without a trace of the caller one begins here, and its events say which', async () => {
    const { api, named } = openTelemetry();
    const server = await startServer({ tracing: api });

    const { text } = await server.ask(REST_1.stream({ text: 'story' }));

    const [operation] = named('a2a.SendStreamingMessage');
    expect(operation).toMatchObject({ kind: api.SpanKind.SERVER, parentId: undefined });
    for (const mark of marksIn(text)) expect(mark).toEqual({ traceId: operation?.traceId, spanId: operation?.spanId });
    expect(marksIn(text).length).toBeGreaterThan(4);
  });

  test('a failure is told without secrets', async () => {
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

  test('what the code of a handler does is below the run, or below the step it is in', async () => {
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
