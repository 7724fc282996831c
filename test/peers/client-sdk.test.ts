import { silenceConsole } from '../fixtures/peers/silence-console.ts';
import { serveSdk02 } from '../fixtures/peers/sdk-02.ts';
import { serveSdk03 } from '../fixtures/peers/sdk-03.ts';
import { serveSdk1 } from '../fixtures/peers/sdk-1.ts';
import { ourClientBehaviours, type ServerSubject } from './our-client-behaviours.ts';

silenceConsole();

const SDK_1: Omit<ServerSubject, 'name' | 'serve' | 'chosen'> = {
  whenEnded: 'UNSUPPORTED_OPERATION',
  whenUnknown: 'TASK_NOT_FOUND',
  throwsWithoutTask: false,
  push: 'all',
  extendedCard: 'Scripted 1, extended',
  hasList: true,
};
const SDK_03: typeof SDK_1 = {
  whenEnded: 'INVALID_REQUEST',
  whenUnknown: 'TASK_NOT_FOUND',
  throwsWithoutTask: true,
  push: 'all',
  extendedCard: 'Scripted 0.3, extended',
  hasList: false,
};

for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
  ourClientBehaviours({
    ...SDK_1,
    name: `a server of the SDK 1.x over ${binding}`,
    serve: () => serveSdk1({ preferred: binding }),
    chosen: `${binding} 1.0`,
  });

  ourClientBehaviours({
    ...SDK_1,
    name: `a server of the SDK 1.x, 0.3 over ${binding}`,
    serve: () => serveSdk1({ preferred: binding, with03: true }),
    options: { version: '0.3' },
    chosen: `${binding} 0.3`,
    hasList: false,
    // A server of the SDK 0.3 expects a push configuration inside the request that creates it; this one expects it without.
    push: binding === 'JSONRPC' ? 'all' : 'none',
  });

  ourClientBehaviours({
    ...SDK_03,
    name: `a server of the SDK 0.3 over ${binding}`,
    serve: () => serveSdk03(binding),
    chosen: `${binding} 0.3`,
    // Over REST it sends no reason for a rejected stream.
    ...(binding === 'HTTP+JSON' && { whenEnded: 'INTERNAL_ERROR', whenUnknown: 'INTERNAL_ERROR' }),
  });
}

ourClientBehaviours({
  ...SDK_03,
  name: 'a server of the SDK 0.2',
  serve: serveSdk02,
  chosen: 'JSONRPC 0.2',
  push: 'set and get',
  extendedCard: 'UNSUPPORTED_OPERATION',
});
