/** The trace of a call to an agent on another host. */
import { expect, onTestFinished, test } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { connect } from '../../src/index.ts';
import { serve } from '../../src/node/serve.ts';
import { silentLog } from '../../src/observe/log.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { openTelemetry } from '../helpers/open-telemetry.ts';

test('an agent on another host works in the trace of the call', async () => {
  const { api, named } = openTelemetry();
  const options = { port: 0, log: silentLog, tracing: api };
  const crm = agent({ name: 'crm', description: 'Knows customers.', run: ({ text }) => `crm: ${text}` });
  const remote = await serve(crm, { ...options, store: memoryStore() });
  onTestFinished(() => remote.close({ finishMs: 0 }));
  const desk = agent({
    name: 'desk',
    description: 'Asks the CRM.',
    run: async ({ call, text }) => (await call('crm', text)).text,
  });
  const local = await serve(desk, { ...options, store: memoryStore(), peers: { crm: remote.url } });
  onTestFinished(() => local.close({ finishMs: 0 }));
  const client = await connect(local.url);
  onTestFinished(() => client.close());

  expect((await client.send('hello')).text).toBe('crm: hello');

  await expect.poll(() => named('a2a.call.outcome')).toHaveLength(1);
  const [made] = named('a2a.call');
  const sent = [...named('a2a.client.SendMessage'), ...named('a2a.SendMessage')];
  expect(sent).toHaveLength(2);
  const ofAgent = named('a2a.run').filter(({ attributes }) => attributes['a2a.agent'] === 'crm');
  const path = [made, ...sent, ...ofAgent];
  expect(path.slice(1).map((span) => span?.parentId)).toEqual(path.slice(0, -1).map((span) => span?.spanId));
  expect(new Set(path.map((span) => span?.traceId)).size).toBe(1);
});
