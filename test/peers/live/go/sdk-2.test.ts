import { expect, test } from 'vitest';
import { deferred } from '../../../../src/support/deferred.ts';
import { createWebhookHandler, toExpressWebhook } from '../../../../src/webhooks/index.ts';
import { listen } from '../../../fixtures/peers/peer-server.ts';
import { connected } from '../../our-client-behaviours.ts';
import { type Binding, foreignClientBehaviours } from '../foreign-client.ts';
import { foreignServerBehaviours, foreignSubscriptionBehaviours } from '../foreign-server.ts';
import { startProgram } from '../program.ts';

/** Over REST of 0.3 it encodes and decodes the bytes of files twice. */
const WITHOUT_BYTES = [
  { url: 'https://example.com/plan.pdf', filename: 'plan.pdf', mediaType: 'application/pdf' },
  { data: { nested: [1, 'two', null] } },
];

const program = startProgram('go/sdk-2');

for (const version of ['1.0', '0.3'] as const) {
  for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
    const name = `the Go SDK 2.4 in ${version} over ${binding}`;
    const isRest03 = version === '0.3' && binding === 'HTTP+JSON';
    foreignClientBehaviours({
      name,
      program,
      binding,
      version,
      form: '1.0',
      // Over REST of 0.3 it reads only the text of an error.
      notFound: isRest03 ? 'Error' : 'ErrTaskNotFound',
      endedSubscription: endedSubscription(version, binding),
      ...(isRest03 && { samples: WITHOUT_BYTES }),
    });
    foreignServerBehaviours({ name, program, binding, version });
    foreignSubscriptionBehaviours({ name, program, binding, version });

    test(`our client gets a list as data from ${name}`, async () => {
      const agent = await connected((await program.call('serve', { binding, version })) as string);
      const { task } = await agent.send('list');
      expect(task?.artifacts?.flatMap(({ parts }) => parts)).toMatchObject([{ data: [1, 2, 3] }]);
    });
  }
}

test('our webhook handler accepts the token that an agent of the Go SDK 2.4 sends', async () => {
  const received = deferred<string>();
  const handler = createWebhookHandler({
    token: 'secret',
    onEvent: (event) => {
      if (event.type === 'status' && event.state === 'completed') received.resolve(event.taskId);
    },
  });
  const mounted = toExpressWebhook(handler);
  const receiver = await listen(() => (request, response) => void mounted(request, response, received.reject));
  const agent = await connected((await program.call('serve', { binding: 'JSONRPC', version: '1.0' })) as string);
  const { task } = await agent.send('report', { pushNotification: { url: receiver.url, token: 'secret' } });
  expect(await received.promise).toBe(task?.id);
});

function endedSubscription(version: '1.0' | '0.3', binding: Binding): string {
  if (version === '0.3') return 'the task';
  // Over JSON-RPC of 1.0 it overlooks an error that is not an event of the stream.
  return binding === 'JSONRPC' ? 'nothing' : 'ErrUnsupportedOperation';
}
