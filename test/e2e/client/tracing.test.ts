/** A trace goes from the caller through agents that call others, with a span for every request. */
import { expect, onTestFinished, test } from 'vitest';

import { connect } from '../../../src/client/entry.ts';
import { agent } from '../../../src/server/agent/agent.ts';
import { openTelemetry } from '../../helpers/open-telemetry.ts';
import { verifies } from '../../helpers/verifies.ts';
import { serveOnSocket } from '../kit/server.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const last = agent({ name: 'Last', description: 'Says where it is.', run: ({ trace }) => JSON.stringify(trace) });

test(verifies('O-03', 'an agent that calls another hands its trace on'), async () => {
  const { url } = await serveOnSocket(last);
  const first = agent({
    name: 'First',
    description: 'Asks another.',
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

test(verifies('O-03', 'with spans, all that agents do for each other is one trace, each below who asked'), async () => {
  const { api, spans, forget } = openTelemetry();
  const { url } = await serveOnSocket(last, { tracing: api });
  const first = agent({
    name: 'First',
    description: 'Asks another.',
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
  expect(chain.map(({ parentId }) => parentId)).toEqual([undefined, ...chain.slice(0, -1).map(({ spanId }) => spanId)]);
});

test('every request is a span, the parent of what the agent does for it', async () => {
  const { api, spans, forget } = openTelemetry();
  const { url } = await serveOnSocket(last, { tracing: api });
  const client = await connect(url, { tracing: api });
  onTestFinished(() => client.close());
  forget();

  await client.send('where?', { wait: 'block', traceparent: TRACEPARENT });
  await client.get('unknown').catch(() => {});

  await expect.poll(spans).toHaveLength(5);
  const [send, operation, run, get, refused] = spans();
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
  expect(refused).toMatchObject({ name: 'a2a.GetTask', traceId: get?.traceId, parentId: get?.spanId });
});

test('without a trace of its own a call belongs to the span around it, and so do all its requests', async () => {
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

test('all requests of a call without a trace belong to the trace of its first request', async () => {
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
