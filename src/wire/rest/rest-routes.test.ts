import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OperationName } from '../../model/operation.ts';
import { isReservedTenant, matchRest, type RestMatch, restPath } from './rest-routes.ts';

/** Method, path after the prefix, operation, and ids in the path. */
const ROUTES: readonly (readonly [string, string, OperationName, { taskId?: string; configId?: string }])[] = [
  ['POST', '/message:send', 'SendMessage', {}],
  ['POST', '/message:stream', 'SendStreamingMessage', {}],
  ['GET', '/tasks', 'ListTasks', {}],
  ['GET', '/tasks/t1', 'GetTask', { taskId: 't1' }],
  ['POST', '/tasks/t1:cancel', 'CancelTask', { taskId: 't1' }],
  ['POST', '/tasks/t1:subscribe', 'SubscribeToTask', { taskId: 't1' }],
  ['GET', '/tasks/t1:subscribe', 'SubscribeToTask', { taskId: 't1' }],
  ['POST', '/tasks/t1/pushNotificationConfigs', 'CreateTaskPushNotificationConfig', { taskId: 't1' }],
  ['GET', '/tasks/t1/pushNotificationConfigs', 'ListTaskPushNotificationConfigs', { taskId: 't1' }],
  ['GET', '/tasks/t1/pushNotificationConfigs/p1', 'GetTaskPushNotificationConfig', { taskId: 't1', configId: 'p1' }],
  [
    'DELETE',
    '/tasks/t1/pushNotificationConfigs/p1',
    'DeleteTaskPushNotificationConfig',
    { taskId: 't1', configId: 'p1' },
  ],
];

test.each([...ROUTES, ['GET', '/extendedAgentCard', 'GetExtendedAgentCard', {}] as const])(
  '%s %s is routed to %s, with and without a tenant prefix',
  (verb, path, operation, ids) => {
    expect(matchRest(verb, path)).toEqual({ operation, prefix: '', ...ids });
    expect(matchRest(verb, `/acme${path}`)).toEqual({ operation, prefix: '', tenant: 'acme', ...ids });
  },
);

test.each([...ROUTES, ['GET', '/card', 'GetExtendedAgentCard', {}] as const])(
  '%s /v1%s is routed to %s of 0.3',
  (verb, path, operation, ids) => {
    expect(matchRest(verb, `/v1${path}`)).toEqual({ operation, prefix: '/v1', ...ids });
  },
);

test.each([
  ['/message:send', 'GET', ['POST']],
  ['/message:stream', 'DELETE', ['POST']],
  ['/tasks', 'POST', ['GET']],
  ['/tasks/t1', 'DELETE', ['GET']],
  ['/tasks/t1', 'POST', ['GET']],
  ['/tasks/t1:cancel', 'GET', ['POST']],
  ['/tasks/t1:subscribe', 'PUT', ['POST', 'GET']],
  ['/tasks/t1/pushNotificationConfigs', 'PUT', ['POST', 'GET']],
  ['/tasks/t1/pushNotificationConfigs/p1', 'POST', ['GET', 'DELETE']],
  ['/extendedAgentCard', 'POST', ['GET']],
  ['/acme/tasks', 'PATCH', ['GET']],
  ['/v1/card', 'POST', ['GET']],
  ['/tasks', 'get', ['GET']],
])('the path %s with the method %s returns the allowed methods', (path, verb, allow) => {
  expect(matchRest(verb, path)).toMatchObject({ allow });
});

test('the version of a path is known even with the wrong method', () => {
  expect(matchRest('PATCH', '/acme/tasks')).toEqual({ allow: ['GET'], tenant: 'acme' });
  expect(matchRest('PATCH', '/tasks')).toEqual({ allow: ['GET'] });
});

test.each([
  ['an empty path', ''],
  ['the root', '/'],
  ['a relative path', 'tasks'],
  ['a relative path that ends like one', 'x/tasks'],
  ['an empty tenant', '//tasks'],
  ['a slash at the end', '/tasks/'],
  ['a slash after an id', '/tasks/t1/'],
  ['a slash after an action', '/message:send/'],
  ['an empty task id before an action', '/tasks/:cancel'],
  ['an empty task before its configs', '/tasks//pushNotificationConfigs'],
  ['an empty config', '/tasks/t1/pushNotificationConfigs/'],
  ['an unknown action of message', '/message:erase'],
  ['an unknown collection', '/tasks/t1/artifacts'],
  ['two tenants', '/acme/sales/tasks'],
  ['other capitals', '/Tasks'],
  ['an encoded name', '/%74asks'],
  ['an encoded colon', '/message%3Asend'],
  ['a broken percent sign', '/tasks/%E0%A4%A'],
  ['a lone percent sign', '/tasks/100%'],
  ['a broken tenant', '/%zz/tasks'],
  ["0.3's name of the card in 1.0", '/card'],
  ['an empty path after the prefix', '/v1'],
  ['a slash after the prefix', '/v1/'],
  ['a tenant after the prefix', '/v1/acme/tasks'],
])('%s matches no route', (_case, path) => {
  for (const verb of ['GET', 'POST', 'DELETE']) expect(matchRest(verb, path)).toBeUndefined();
});

test.each([
  ['a colon', 'a:b', 'a:b'],
  ['several colons', 'urn:uuid:1', 'urn:uuid:1'],
  ['a colon at the end', 'a:', 'a:'],
  ['a suffix that is not an action', 'a:cancelled', 'a:cancelled'],
  ['an action with other capitals', 'a:Cancel', 'a:Cancel'],
  ['an encoded action', 'a%3Acancel', 'a:cancel'],
  ['an encoded slash', 'a%2Fb', 'a/b'],
  ['an encoded percent sign, decoded once', 'a%252Fb', 'a%2Fb'],
  ['a plus sign, which does not mean a space in a path', 'a+b', 'a+b'],
  ['unicode', '%E2%82%AC', '€'],
  ['the name of another path', 'extendedAgentCard', 'extendedAgentCard'],
  ['the name of a collection', 'pushNotificationConfigs', 'pushNotificationConfigs'],
  ['a name of Object.prototype', '__proto__', '__proto__'],
])('an id can contain %s', (_case, segment, id) => {
  const tenant = { tenant: id };
  expect(matchRest('GET', `/tasks/${segment}`)).toMatchObject({ operation: 'GetTask', taskId: id });
  expect(matchRest('POST', `/tasks/${segment}:cancel`)).toMatchObject({ operation: 'CancelTask', taskId: id });
  expect(matchRest('DELETE', `/tasks/t/pushNotificationConfigs/${segment}`)).toMatchObject({ configId: id });
  if (!isReservedTenant(id)) expect(matchRest('POST', `/${segment}/message:send`)).toMatchObject(tenant);
});

test('an action is recognised only at the end of the path', () => {
  const configs = '/tasks/a:cancel/pushNotificationConfigs';
  expect(matchRest('GET', configs)).toMatchObject({ operation: 'ListTaskPushNotificationConfigs', taskId: 'a:cancel' });
  expect(matchRest('GET', `${configs}/b:subscribe`)).toMatchObject({ taskId: 'a:cancel', configId: 'b:subscribe' });
  expect(matchRest('POST', '/tasks/a:cancel:cancel')).toMatchObject({ operation: 'CancelTask', taskId: 'a:cancel' });
});

test.each(['v1', 'tasks', 'extendedAgentCard', '.well-known', 'message:send', 'message:'])(
  '%s is not accepted as a tenant',
  (name) => {
    expect(isReservedTenant(name)).toBe(true);
    for (const segment of [
      name,
      encodeURIComponent(name),
      name.replace(/^./, (c) => `%${c.charCodeAt(0).toString(16)}`),
    ]) {
      expect(matchRest('POST', `/${segment}/message:stream`) ?? {}).not.toHaveProperty('tenant');
    }
  },
);

test('a path that is ambiguous is routed without a tenant', () => {
  expect(matchRest('GET', '/tasks/tasks')).toEqual({ operation: 'GetTask', prefix: '', taskId: 'tasks' });
  expect(matchRest('POST', '/tasks/message:send')).toEqual({ allow: ['GET'] });
});

// The client's side

test('a client gets method and path, and subscribes with POST', () => {
  expect(restPath({ operation: 'SubscribeToTask', prefix: '', taskId: 'a/b:c' })).toEqual({
    verb: 'POST',
    path: '/tasks/a%2Fb%3Ac:subscribe',
  });
  expect(restPath({ operation: 'GetExtendedAgentCard', prefix: '/v1' })).toEqual({ verb: 'GET', path: '/v1/card' });
  expect(restPath({ operation: 'ListTasks', prefix: '', tenant: 'a b' })).toEqual({
    verb: 'GET',
    path: '/a%20b/tasks',
  });
});

test('a server decodes any ids and tenant from the path that the client encoded', () => {
  const points = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
  const unit = points.map((point) => String.fromCodePoint(point));
  const id = fc.string({ unit, minLength: 1 }).filter((text) => text !== '.' && text !== '..');
  const anyId = fc.oneof(
    id,
    fc.constantFrom(':cancel', 'a::subscribe', '{task}', '{config}', '$&', 'tasks', '%2F', '__proto__'),
  );
  const tenants = fc.option(
    anyId.filter((name) => !isReservedTenant(name)),
    { nil: undefined },
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...ROUTES),
      fc.constantFrom('', '/v1'),
      anyId,
      anyId,
      tenants,
      (route, prefix, taskId, configId, tenant) => {
        const match: RestMatch = {
          operation: route[2],
          prefix,
          ...(route[3].taskId !== undefined && { taskId }),
          ...(route[3].configId !== undefined && { configId }),
          ...(tenant !== undefined && prefix === '' && { tenant }),
        };
        const { verb, path } = restPath(match);
        expect(matchRest(verb, path)).toEqual(match);
        // Normalising the URL must not change the path.
        expect(new URL(path, 'http://localhost').pathname).toBe(path);
      },
    ),
  );
});

test.each(['\ud800', '.', '..'])('the id %j is not allowed in a path and is rejected with INVALID_PARAMS', (taskId) => {
  expect(() => restPath({ operation: 'GetTask', prefix: '', taskId })).toThrow(
    expect.objectContaining({ code: 'INVALID_PARAMS' }),
  );
});
