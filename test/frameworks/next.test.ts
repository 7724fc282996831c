import { silentLog } from '../../src/observe/log.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createHandler, memoryStore, toNext } from '../../src/server/index.ts';
import { createTestAgent } from '../peers/test-agent.ts';
import { type Mount, mountBehaviours, APP_ROUTES } from './mount-behaviours.ts';
import { listenWith } from './listen.ts';

/** The functions that a route of Next exports. */
type Route = (
  request: Request,
  context: { readonly params: Promise<{ readonly path?: string[] }> },
) => Promise<Response>;

/** The request class of Next has more members than the standard one. */
class NextRequest extends Request {
  readonly nextUrl = new URL(this.url);
}

/** `app{prefix}/[[...path]]/route.ts`, and other routes, which are matched first. */
function mount(name: string, prefix: string): Mount {
  return {
    name,
    prefix,
    ...(prefix !== '' && { basePath: prefix }),
    open(handler) {
      const routes: Readonly<Record<string, Route>> = toNext(handler);
      return listenWith(async (request) => {
        const { pathname } = new URL(request.url);
        if (request.method === 'GET' && pathname === APP_ROUTES.home) return new Response('home');
        if (request.method === 'GET' && pathname === APP_ROUTES.below) return new Response('below');
        if (pathname === APP_ROUTES.echo) return new Response(JSON.stringify(await request.json()));
        const path = pathname.slice(prefix.length).split('/').filter(Boolean);
        const route = routes[request.method];
        if (route === undefined || !pathname.startsWith(prefix)) return new Response(null, { status: 404 });
        return route(new NextRequest(request), { params: Promise.resolve(path.length === 0 ? {} : { path }) });
      });
    },
  };
}

mountBehaviours('Next', [mount('at the root', ''), mount('under a prefix', '/api/agent')]);

test('toNext() exports every HTTP method that the agent supports', async () => {
  const handler = createHandler(createTestAgent().agent, {
    store: memoryStore(),
    log: silentLog,
    basePath: '/api/agent',
  });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const { GET, HEAD, OPTIONS, POST, DELETE } = toNext(handler);
  const card = 'https://example.com/api/agent/.well-known/agent-card.json';
  const config = 'https://example.com/api/agent/tasks/t/pushNotificationConfigs/c';
  const got = await GET(new Request(card));
  const head = await HEAD(new Request(card, { method: 'HEAD' }));
  expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', got.headers.get('etag')]);
  expect((await OPTIONS(new Request(card, { method: 'OPTIONS' }))).status).toBe(204);
  expect((await POST(new Request(card, { method: 'POST' }))).status).toBe(405);
  const deleted = await DELETE(new Request(config, { method: 'DELETE' }));
  expect(await deleted.json()).toMatchObject({ error: { status: 'FAILED_PRECONDITION' } });
});
