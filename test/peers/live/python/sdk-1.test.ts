import { foreignClientBehaviours } from '../foreign-client.ts';
import { foreignServerBehaviours, foreignSubscriptionBehaviours } from '../foreign-server.ts';
import { startProgram } from '../program.ts';

/** Over REST of 0.3 it encodes and decodes the bytes of files twice. */
const WITHOUT_BYTES = [
  { url: 'https://example.com/plan.pdf', filename: 'plan.pdf', mediaType: 'application/pdf' },
  { data: { nested: [1, 'two', null] } },
];

const program = startProgram('python/sdk-1');

for (const version of ['1.0', '0.3'] as const) {
  for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
    const name = `the Python SDK 1.3 in ${version} over ${binding}`;
    const isRest03 = version === '0.3' && binding === 'HTTP+JSON';
    foreignClientBehaviours({
      name,
      program,
      binding,
      version,
      form: '1.0',
      notFound: 'TaskNotFoundError',
      endedSubscription: version === '1.0' ? 'UnsupportedOperationError' : 'the task',
      ...(isRest03 && { samples: WITHOUT_BYTES, deletesPushConfigs: false }),
    });
    // It rejects the deletion over REST of 0.3 as one of an unsupported version.
    foreignServerBehaviours({ name, program, binding, version, deletesPushConfigs: !isRest03 });
    foreignSubscriptionBehaviours({ name, program, binding, version });
  }
}
