/** Traces through agents that call other agents, with a span for every request. */
import { expect, onTestFinished, test } from 'vitest';

import { connect } from '../../../src/client/entry.ts';
import { agent } from '../../../src/agent/agent.ts';
import { openTelemetry } from '../../helpers/open-telemetry.ts';
import { verifies } from '../../helpers/verifies.ts';
import { serveOnSocket } from '../kit/server.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const last = agent({ name: 'Last', description: 'Returns its trace.', run: ({ trace }) => JSON.stringify(trace) });

test(verifies('O-03', 'an agent that calls another one passes its trace on'), async () => {
  const { url } = await serveOnSocket(last);
  const first = agent({
    name: 'First',
    description: 'Calls another agent.',
    async run({ trace }) {
      await using peer = await connect(url);
      return (await peer.send('where?', trace)).text;
    },
  });
  await using client = await connect((await serveOnSocket(first)).url);

  const { text } = await client.send('where?', { traceparent: TRACEPARENT, tracestate: 'vendor=1' });

  expect(JSON.parse(text)).toEqual({
    traceparent: expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`)) as unknown,
    tracestate: 'vendor=1',
  });
});

test(
  verifies(
    'O-03',
    'with tracing enabled, the spans of agents that call each other form one trace, each below its caller',
  ),
  async () => {
    const { api, spans, forget } = openTelemetry();
    const { url } = await serveOnSocket(last, { tracing: api });
    const first = agent({
      name: 'First',
      description: 'Calls another agent.',
      async run({ trace }) {
        // An earlier test may have left the card of another agent at the same port.
        await using peer = await connect(url, { tracing: api, cache: false });
        return (await peer.send('where?', { ...trace, wait: 'block' })).text;
      },
    });
    await using client = await connect((await serveOnSocket(first, { tracing: api })).url, { tracing: api });
    forget();

    await client.send('where?', { wait: 'block' });

    const once = ['a2a.client.SendMessage', 'a2a.SendMessage', 'a2a.run'];
    const whole = [...once, 'a2a.client.AgentCard', ...once];
    await expect.poll(() => spans().map(({ name }) => name)).toEqual(whole);
    expect(new Set(spans().map(({ traceId }) => traceId)).size).toBe(1);
    const chain = spans().filter(({ name }) => once.includes(name));
    expect(chain.map(({ parentId }) => parentId)).toEqual([
      undefined,
      ...chain.slice(0, -1).map(({ spanId }) => spanId),
    ]);
  },
);

test('every request of the client is a span, and the parent of the spans of the agent', async () => {
  const { api, spans, forget } = openTelemetry();
  const { url } = await serveOnSocket(last, { tracing: api });
  const client = await connect(url, { tracing: api });
  onTestFinished(() => client.close());
  forget();

  await client.send('where?', { wait: 'block', traceparent: TRACEPARENT });
  await client.get('unknown').catch(() => {});

  await expect.poll(spans).toHaveLength(5);
  const [send, operation, run, get, failed] = spans();
  expect(send).toMatchObject({
    name: 'a2a.client.SendMessage',
    kind: api.SpanKind.CLIENT,
    traceId: TRACE,
    parentId: '00f067aa0ba902b7',
    attributes: { 'a2a.version': '1.0', 'server.address': new URL(url).host, 'http.response.status_code': 200 },
  });
  expect([operation, run]).toMatchObject([
    { name: 'a2a.SendMessage', parentId: send?.spanId },
    { name: 'a2a.run', parentId: operation?.spanId },
  ]);
  expect(get).toMatchObject({ name: 'a2a.client.GetTask', parentId: undefined });
  expect(failed).toMatchObject({ name: 'a2a.GetTask', traceId: get?.traceId, parentId: get?.spanId });
});

test('all requests of a call without a trace belong to the active span', async () => {
  const { api, spans, forget } = openTelemetry();
  const client = await connect((await serveOnSocket(last)).url, { tracing: api, cache: false });
  onTestFinished(() => client.close());
  forget();
  const around = api.trace.getTracer('mine').startSpan('mine');
  const { traceId, spanId } = around.spanContext();

  await api.context.with(api.trace.setSpan(api.context.active(), around), () =>
    client.send('where?', { wait: 'poll' }),
  );

  expect(spans().length).toBeGreaterThan(1);
  for (const span of spans()) expect(span).toMatchObject({ traceId, parentId: spanId });
});

test('all requests of a call without a trace or active span belong to the trace of its first request', async () => {
  const { api, spans, forget } = openTelemetry();
  const client = await connect((await serveOnSocket(last)).url, { tracing: api, cache: false });
  onTestFinished(() => client.close());
  forget();

  await client.send('where?', { wait: 'poll' });

  const [first, ...others] = spans();
  expect(first).toMatchObject({ name: 'a2a.client.SendMessage', parentId: undefined });
  expect(others.length).toBeGreaterThan(0);
  for (const span of others) expect(span).toMatchObject({ traceId: first?.traceId, parentId: first?.spanId });
});
