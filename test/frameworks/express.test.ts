import { silentLog } from '../../src/observe/log.ts';
import { createRequire } from 'node:module';
import express, { type Express, type RequestHandler } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { toExpress } from '../../src/node/index.ts';
import { type AgentHandler, createHandler, memoryStore } from '../../src/server/index.ts';
import { createTestAgent } from '../peers/test-agent.ts';
import { type Mount, mountBehaviours, APP_ROUTES, waitRequest } from './mount-behaviours.ts';
import { listen } from './listen.ts';

const require = createRequire(import.meta.url);

/** Express 4 is a dependency of the SDK 0.2. */
const express4 = createRequire(require.resolve('a2a-sdk-0.2/client'))('express') as typeof express;

function mountsIn(framework: typeof express): readonly Mount[] {
  const mount = (
    name: string,
    prefix: string,
    build: (app: Express, agent: RequestHandler) => void,
    basePath = '',
  ): Mount => ({
    name,
    prefix,
    ...(basePath !== '' && { basePath }),
    open(handler: AgentHandler) {
      const app = framework();
      build(app, toExpress(handler));
      app.get(APP_ROUTES.home, (_request, response) => void response.send('home'));
      app.get(APP_ROUTES.below, (_request, response) => void response.send('below'));
      app.post(APP_ROUTES.echo, framework.json(), (request, response) => {
        const body: unknown = request.body;
        response.send(typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body));
      });
      return listen(app);
    },
  });
  const all = { type: () => true };
  return [
    mount('at the root', '', (app, agent) => app.use(agent)),
    mount('at the root after express.json()', '', (app, agent) => app.use(framework.json(), agent)),
    mount('under a prefix', '/agent', (app, agent) => app.use('/agent', agent)),
    mount('under a prefix after express.json()', '/agent', (app, agent) =>
      app.use(framework.json()).use('/agent', agent),
    ),
    mount('under a prefix before express.json()', '/agent', (app, agent) =>
      app.use('/agent', agent).use(framework.json()),
    ),
    mount('under a prefix after express.text()', '/agent', (app, agent) =>
      app.use(framework.text(all)).use('/agent', agent),
    ),
    mount('under a prefix after express.raw()', '/agent', (app, agent) =>
      app.use(framework.raw(all)).use('/agent', agent),
    ),
    mount('under a prefix after parsers of other types', '/agent', (app, agent) =>
      app.use(framework.text(), framework.raw(), framework.urlencoded({ extended: true })).use('/agent', agent),
    ),
    mount('at the root, with a basePath', '/agent', (app, agent) => app.use(agent), '/agent'),
    mount('under a prefix, with a basePath', '/v2/agent', (app, agent) => app.use('/v2', agent), '/agent'),
    mount('in a router of a router', '/v2/acme/agent', (app, agent) => {
      const inner = framework.Router().use('/agent', agent);
      app.use('/v2', framework.Router().use('/:tenant', inner));
    }),
  ];
}

mountBehaviours('Express 5', mountsIn(express));
mountBehaviours('Express 4', mountsIn(express4));

test('a request whose body a middleware has consumed gets 500 with the cause', async () => {
  const handler = createHandler(createTestAgent().agent, { store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const app = express();
  app.use((request, _response, next) => void request.resume().on('end', next));
  const url = await listen(app.use(toExpress(handler)));
  const response = await fetch(`${url}/message:send`, waitRequest());
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining('consumed the request body') },
  });
});
