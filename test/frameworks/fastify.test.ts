import { silentLog } from '../../src/observe/log.ts';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { toFastify } from '../../src/node/index.ts';
import { type AgentHandler, createHandler, memoryStore } from '../../src/server/index.ts';
import { createTestAgent } from '../peers/test-agent.ts';
import { type Mount, mountBehaviours, APP_ROUTES } from './mount-behaviours.ts';

function mount(
  name: string,
  prefix: string,
  build: (app: FastifyInstance, handler: AgentHandler) => unknown,
  appRoutes: 'before' | 'after' = 'after',
): Mount {
  return {
    name,
    prefix,
    async open(handler) {
      const app = fastify({ forceCloseConnections: true });
      onTestFinished(() => app.close());
      if (appRoutes === 'before') addAppRoutes(app);
      await build(app, handler);
      if (appRoutes === 'after') addAppRoutes(app);
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
  };
}

function addAppRoutes(app: FastifyInstance): void {
  app.get(APP_ROUTES.home, async () => 'home');
  app.get(APP_ROUTES.below, async () => 'below');
  app.post(APP_ROUTES.echo, async ({ body }) => JSON.stringify(body));
}

mountBehaviours('Fastify 5', [
  mount('at the root', '', (app, handler) => app.register(toFastify(handler))),
  mount('at the root after other routes', '', (app, handler) => app.register(toFastify(handler)), 'before'),
  mount('under a prefix', '/agent', (app, handler) => app.register(toFastify(handler), { prefix: '/agent' })),
  mount('under a prefix with parameters', '/v2/acme/agent', (app, handler) =>
    app.register((scope) => scope.register(toFastify(handler), { prefix: '/agent' }), { prefix: '/v2/:tenant' }),
  ),
  mount('with a parser for every content type', '/agent', (app, handler) => {
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
    return app.register(toFastify(handler), { prefix: '/agent' });
  }),
]);

async function appWithAgent(build: (app: FastifyInstance) => void): Promise<FastifyInstance> {
  const handler = createHandler(createTestAgent().agent, { store: memoryStore(), log: silentLog });
  const app = fastify();
  build(app);
  await app.register(toFastify(handler), { prefix: '/agent' });
  onTestFinished(async () => {
    await app.close();
    await handler.close({ finishMs: 0 });
  });
  return app;
}

test('headers that a Fastify hook sets are sent with a response of the agent', async () => {
  const app = await appWithAgent((app) =>
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-frame-options', 'DENY')),
  );
  const { statusCode, headers } = await app.inject('/agent/.well-known/agent-card.json');
  expect([statusCode, headers['x-frame-options'], headers['content-type']]).toEqual([200, 'DENY', 'application/json']);
});

test('a Fastify hook can reject requests to the agent', async () => {
  const app = await appWithAgent((app) =>
    app.addHook('onRequest', async (_request, reply) => reply.code(401).send('Not authenticated')),
  );
  const { statusCode, body } = await app.inject('/agent/tasks');
  expect([statusCode, body]).toEqual([401, 'Not authenticated']);
});

test('an unknown path below the agent gets the not-found page of the Fastify application', async () => {
  const app = await appWithAgent((app) =>
    app.setNotFoundHandler((_request, reply) => reply.code(404).send('Nothing here')),
  );
  const { statusCode, body } = await app.inject('/agent/nothing/here');
  expect([statusCode, body]).toEqual([404, 'Nothing here']);
});
