import { hushConsole } from '../fixtures/peers/hushed.ts';
import { serveSdk02 } from '../fixtures/peers/sdk-02.ts';
import { serveSdk03 } from '../fixtures/peers/sdk-03.ts';
import { serveSdk1 } from '../fixtures/peers/sdk-1.ts';
import { clientBehaviours, type ServerSubject } from './client-behaviours.ts';

hushConsole();

const OF_1: Omit<ServerSubject, 'name' | 'serve' | 'chosen'> = {
  whenEnded: 'UNSUPPORTED_OPERATION',
  whenUnknown: 'TASK_NOT_FOUND',
  throwsWithoutTask: false,
  push: 'all',
  extendedCard: 'Scripted 1, extended',
  hasList: true,
};
const OF_03: typeof OF_1 = {
  whenEnded: 'INVALID_REQUEST',
  whenUnknown: 'TASK_NOT_FOUND',
  throwsWithoutTask: true,
  push: 'all',
  extendedCard: 'Scripted 0.3, extended',
  hasList: false,
};

for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
  clientBehaviours({
    ...OF_1,
    name: `the SDK 1.x over ${binding}`,
    serve: () => serveSdk1({ preferred: binding }),
    chosen: `${binding} 1.0`,
  });

  clientBehaviours({
    ...OF_1,
    name: `the SDK 1.x over ${binding}, in 0.3`,
    serve: () => serveSdk1({ preferred: binding, with03: true }),
    options: { version: '0.3' },
    chosen: `${binding} 0.3`,
    hasList: false,
    // Servers of the SDK 0.3 want a push configuration inside the request that creates it, and these want it bare.
    push: binding === 'JSONRPC' ? 'all' : 'none',
  });

  clientBehaviours({
    ...OF_03,
    name: `the SDK 0.3 over ${binding}`,
    serve: () => serveSdk03(binding),
    chosen: `${binding} 0.3`,
    // Over REST it cannot say why there is no stream.
    ...(binding === 'HTTP+JSON' && { whenEnded: 'INTERNAL_ERROR', whenUnknown: 'INTERNAL_ERROR' }),
  });
}

clientBehaviours({
  ...OF_03,
  name: 'the SDK 0.2',
  serve: serveSdk02,
  chosen: 'JSONRPC 0.2',
  push: 'set and get',
  extendedCard: 'UNSUPPORTED_OPERATION',
});
