import { foreignClientBehaviours } from '../foreign-client.ts';
import { foreignServerBehaviours } from '../foreign-server.ts';
import { startProgram } from '../program.ts';

/** Over REST it encodes and decodes the bytes of files twice. */
const WITHOUT_BYTES = [
  { kind: 'file', file: { uri: 'https://example.com/plan.pdf', name: 'plan.pdf', mimeType: 'application/pdf' } },
  { kind: 'data', data: { nested: [1, 'two', null] } },
];

const program = startProgram('python/sdk-0.3');

for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
  const isRest = binding === 'HTTP+JSON';
  const name = `the Python SDK 0.3 over ${binding}`;
  foreignClientBehaviours({
    name,
    program,
    binding,
    version: '0.3',
    form: 'kind',
    notFound: isRest ? 'A2AClientHTTPError' : 'A2AClientJSONRPCError',
    endedSubscription: 'the task',
    // The client has no such method.
    deletesPushConfigs: false,
    ...(isRest && { samples: WITHOUT_BYTES }),
  });
  foreignServerBehaviours({
    name,
    program,
    binding,
    version: '0.3',
    deletesPushConfigs: !isRest,
  });
}
