/** A trace goes from the caller through agents that call others, with a span for every request. */
import { expect, onTestFinished, test } from 'vitest';

import { connect } from '../../../src/client/entry.ts';
import { agent } from '../../../src/server/agent.ts';
import { fakeTracing } from '../../helpers/fake-tracing.ts';
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

test('every request is a span, the parent of what the agent does for it', async () => {
  const { api, spans } = fakeTracing();
  const { url } = await serveOnSocket(last, { tracing: api });
  const client = await connect(url, { tracing: api });
  onTestFinished(() => client.close());
  spans.length = 0;

  await client.send('where?', { wait: 'block', traceparent: TRACEPARENT });
  await client.get('unknown').catch(() => {});

  const [send, operation, run, get, refused] = spans;
  expect(send).toMatchObject({
    name: 'a2a.client.SendMessage',
    kind: 2,
    traceId: TRACE,
    parentId: '00f067aa0ba902b7',
    attributes: { 'a2a.version': '1.0', 'server.address': new URL(url).host, 'http.response.status_code': 200 },
    isEnded: true,
  });
  expect([operation, run]).toMatchObject([
    { name: 'a2a.SendMessage', parentId: send?.spanId },
    { name: 'a2a.run', parentId: operation?.spanId },
  ]);
  expect(get).toMatchObject({ name: 'a2a.client.GetTask', parentId: undefined, isEnded: true });
  expect(refused).toMatchObject({ name: 'a2a.GetTask', traceId: get?.traceId, parentId: get?.spanId });
});

test('without a trace of its own a call belongs to the span around it, and so do all its requests', async () => {
  const { api, spans } = fakeTracing();
  const client = await connect((await serveOnSocket(last)).url, { tracing: api, cache: false });
  onTestFinished(() => client.close());
  spans.length = 0;
  const around = api.trace.setSpan({}, {
    spanContext: () => ({ traceId: TRACE, spanId: 'a'.repeat(16), traceFlags: 1 }),
  } as never);

  await api.context.with(around, () => client.send('where?', { wait: 'poll' }));

  expect(spans.length).toBeGreaterThan(1);
  for (const span of spans) expect(span).toMatchObject({ traceId: TRACE, parentId: 'a'.repeat(16) });
});
