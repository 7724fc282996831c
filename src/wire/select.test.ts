import { describe, expect, test } from 'vitest';
import { decodeParams } from './dialect.ts';
import { type Offer, profileOffer } from './offer.ts';
import { dialectOf, profileDialect, selectFlatTask, selectRest, selectRpc } from './select.ts';
import { type ProtocolVersion, requestedVersion } from './version.ts';

const ALL: Offer = { versions: ['1.0', '0.3', '0.2', '0.1'] };
const only = (...versions: ProtocolVersion[]): Offer => ({ versions });
const ABSENT = requestedVersion(undefined);

/** Dialect and operation, or dialect and error code, as one string. */
function rpc(method: string, params: unknown = {}, version = '', offer = ALL): string {
  const selection = selectRpc(method, params, requestedVersion(version), offer);
  return `${selection.dialect.name} ${selection.error?.code ?? selection.operation}`;
}

describe('a call that specifies its version', () => {
  test.each([
    ['1.0', 'SendMessage', 'v1 SendMessage'],
    ['1.0.7', 'SendMessage', 'v1 SendMessage'],
    ['0.3', 'message/send', 'v03 SendMessage'],
    ['0.2', 'message/send', 'v02 SendMessage'],
    ['0.1', 'tasks/send', 'v01 SendMessage'],
    ['0.3', 'SendMessage', 'v03 METHOD_NOT_FOUND'],
    ['1.0', 'message/send', 'v1 METHOD_NOT_FOUND'],
    ['0.2', 'agent/getAuthenticatedExtendedCard', 'v02 METHOD_NOT_FOUND'],
    ['0.3', 'tasks/send', 'v03 METHOD_NOT_FOUND'],
    ['1.0', 'toString', 'v1 METHOD_NOT_FOUND'],
  ])('version %s with the method %s selects %s', (version, method, expected) => {
    expect(rpc(method, {}, version)).toBe(expected);
  });

  test.each([
    ['1.1', 'v1'],
    ['2.0', 'v1'],
    ['one', 'v1'],
    ['0.2', 'v02'],
    ['0.1', 'v01'],
  ])('version %s is rejected in the format of %s if only 1.0 and 0.3 are offered', (version, dialect) => {
    const selection = selectRpc('SendMessage', {}, requestedVersion(version), only('1.0', '0.3'));
    expect(selection.dialect.name).toBe(dialect);
    expect(selection.error).toMatchObject({
      code: 'VERSION_NOT_SUPPORTED',
      details: { requestedVersion: version, supportedVersions: '0.3,1.0' },
    });
  });

  test('a very long version is truncated in the response', () => {
    const { error } = selectRpc('SendMessage', {}, requestedVersion('9'.repeat(10_000)), ALL);
    expect(error?.details['requestedVersion']).toHaveLength(32);
  });
});

describe('a call without a version', () => {
  const ofLater = { message: { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'hi' }] } };

  test.each<[string, unknown, string]>([
    ['SendMessage', {}, 'v1 SendMessage'],
    ['ListTasks', {}, 'v1 ListTasks'],
    ['message/send', {}, 'v03 SendMessage'],
    ['message/stream', {}, 'v03 SendStreamingMessage'],
    ['tasks/pushNotificationConfig/set', {}, 'v03 CreateTaskPushNotificationConfig'],
    ['agent/getAuthenticatedExtendedCard', {}, 'v03 GetExtendedAgentCard'],
    ['agent/authenticatedExtendedCard', {}, 'v03 GetExtendedAgentCard'],
    ['tasks/get', { id: 't' }, 'v03 GetTask'],
    ['tasks/send', { id: 't', message: { parts: [{ type: 'text' }] } }, 'v01 SendMessage'],
    ['tasks/sendSubscribe', { id: 't', message: {} }, 'v01 SendStreamingMessage'],
    ['tasks/pushNotification/get', { id: 't' }, 'v01 GetTaskPushNotificationConfig'],
    ['tasks/send', ofLater, 'v03 SendMessage'],
    ['tasks/sendSubscribe', ofLater, 'v03 SendStreamingMessage'],
    ['tasks/send', { ...ofLater, id: 't' }, 'v01 SendMessage'],
    ['tasks/list', {}, 'v03 METHOD_NOT_FOUND'],
    ['', {}, 'v03 METHOD_NOT_FOUND'],
  ])('the method %s with the params %j selects %s', (method, params, expected) => {
    expect(rpc(method, params)).toBe(expected);
  });

  test('a method of 0.1 with params of 0.2 leaves a warning', () => {
    expect(selectRpc('tasks/send', ofLater, ABSENT, ALL)).toMatchObject({ warnings: [{ code: 'tasks-send-alias' }] });
  });

  test('an empty version is the same as none', () => {
    expect(rpc('message/send', {}, '   ')).toBe('v03 SendMessage');
  });

  test('a specified version decides, even for methods with the same name in other versions', () => {
    expect(selectRpc('tasks/get', {}, requestedVersion('0.3'), ALL)).toMatchObject({ shared: false });
    expect(selectRpc('tasks/resubscribe', {}, ABSENT, ALL)).toMatchObject({ shared: true });
  });

  test('the selected dialect decodes leniently', () => {
    const { dialect } = selectRpc('message/send', {}, ABSENT, ALL);
    const params = { message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] } };
    expect(decodeParams(dialect, 'SendMessage', params).warnings).toMatchObject([
      { code: 'kind-missing' },
      { code: 'message-id-missing' },
      { code: 'part-type-tag' },
    ]);
    expect(() => decodeParams(dialect, 'SendMessage', params, { strict: true })).toThrow('message.kind');
  });

  test('methods with the same name in three versions are marked, so that the task can decide', () => {
    expect(selectRpc('tasks/cancel', {}, ABSENT, ALL)).toMatchObject({ shared: true });
    expect(selectRpc('message/send', {}, ABSENT, ALL)).toMatchObject({ shared: false });
  });

  test.each<[string, ProtocolVersion[], string]>([
    ['message/send', ['0.2'], 'v02 SendMessage'],
    ['message/send', ['1.0'], 'v1 VERSION_NOT_SUPPORTED'],
    ['no/such', ['1.0'], 'v1 VERSION_NOT_SUPPORTED'],
    ['tasks/get', ['0.1'], 'v01 GetTask'],
    ['tasks/get', ['1.0', '0.1'], 'v01 GetTask'],
    ['tasks/send', ['0.3'], 'v03 METHOD_NOT_FOUND'],
    ['SendMessage', ['0.3'], 'v03 METHOD_NOT_FOUND'],
  ])('the method %s at an endpoint of %j selects %s', (method, versions, expected) => {
    expect(rpc(method, { id: 't' }, '', only(...versions))).toBe(expected);
  });

  test('in strict mode, a missing version means 0.3 for every method', () => {
    expect(rpc('SendMessage', {}, '', { ...ALL, strict: true })).toBe('v03 METHOD_NOT_FOUND');
    expect(rpc('SendMessage', {}, '', { versions: ['1.0'], strict: true })).toBe('v1 VERSION_NOT_SUPPORTED');
    expect(rpc('tasks/send', ofLater, '', { ...ALL, strict: true })).toBe('v01 SendMessage');
  });
});

describe('the path of a profile', () => {
  const offer = profileOffer('agent-native');

  test('responds in the dialect of the profile, the same object each time', () => {
    const { dialect } = selectRpc('message/stream', {}, ABSENT, offer);
    expect(dialect).toMatchObject({ profile: 'agent-native', streamItemId: 0 });
    expect(selectRpc('message/send', {}, requestedVersion('0.3'), offer).dialect).toBe(dialect);
    expect(profileDialect('agent-native')).toBe(dialect);
  });

  test('offers no other version', () => {
    expect(selectRpc('SendMessage', {}, requestedVersion('1.0'), offer).error?.code).toBe('VERSION_NOT_SUPPORTED');
    expect(selectRpc('SendMessage', {}, ABSENT, offer).error?.code).toBe('METHOD_NOT_FOUND');
  });

  test('does not change the dialect that its own is derived from', () => {
    expect(profileDialect('rxjs').getTaskMayStream).toBe(true);
    expect(dialectOf('0.3').getTaskMayStream).toBeUndefined();
  });
});

describe('the flat form', () => {
  test.each([
    ['POST', '/a2a/tasks/send', 'SendMessage', undefined],
    ['GET', '/a2a/tasks/t%201', 'GetTask', 't 1'],
  ])('%s %s is accepted only under the flat-task profile', (verb, path, operation, taskId) => {
    expect(selectFlatTask(verb, path, ALL)).toBeUndefined();
    const selection = selectFlatTask(verb, path, { ...ALL, profiles: ['corvid'] });
    expect(selection).toMatchObject({ operation, dialect: { name: 'flat-task' } });
    expect(selection?.taskId).toBe(taskId);
  });

  test.each([
    ['GET', '/a2a/tasks/send/x'],
    ['POST', '/a2a/tasks/t1'],
    ['GET', '/a2a/tasks/%E0%A4%A'],
    ['GET', '/tasks/t1'],
  ])('%s %s is not a flat request', (verb, path) => {
    expect(selectFlatTask(verb, path, { ...ALL, profiles: ['corvid'] })).toBeUndefined();
  });
});

describe('a REST request', () => {
  const proto = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] } };
  const kind = { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } };
  const ofOne = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };

  test.each<['' | '/v1', unknown, string, Offer, string]>([
    ['', ofOne, '', ALL, 'v1'],
    ['', undefined, '', ALL, 'v1'],
    ['/v1', proto, '', ALL, 'v03-proto'],
    ['/v1', kind, '', ALL, 'v03-kind'],
    ['/v1', kind, '', { ...ALL, restStyle: 'kind-bare' }, 'v03'],
    ['/v1', undefined, '', ALL, 'v03-proto'],
    ['/v1', undefined, '', { ...ALL, restStyle: 'kind' }, 'v03-kind'],
    ['/v1', undefined, '', { ...ALL, restStyle: 'kind-bare' }, 'v03'],
    ['/v1', ofOne, '', ALL, 'v1'],
    ['/v1', ofOne, '1.0', ALL, 'v1'],
    ['', proto, '0.3', ALL, 'v03-proto'],
  ])(
    'a request under %j with %j and version %j selects the expected dialect',
    (prefix, body, version, offer, expected) => {
      const selection = selectRest(prefix, body, requestedVersion(version), offer);
      expect([selection.dialect.name, selection.error]).toEqual([expected, undefined]);
    },
  );

  test.each([
    ['0.2', ALL],
    ['3.0', ALL],
    ['1.0', only('0.3')],
    ['', only('0.3')],
  ])('version %j is rejected', (version, offer) => {
    expect(selectRest('', undefined, requestedVersion(version), offer).error?.code).toBe('VERSION_NOT_SUPPORTED');
  });

  test('the error names only versions that have a REST binding', () => {
    const { error } = selectRest('', undefined, requestedVersion('0.2'), ALL);
    expect(error).toMatchObject({
      message: 'This agent supports A2A 0.3, 1.0 over REST; request one of these versions',
      details: { requestedVersion: '0.2', supportedVersions: '0.3,1.0' },
    });
  });

  test('an agent without a version over REST responds with an error', () => {
    const { error } = selectRest('', undefined, ABSENT, only('0.2', '0.1'));
    expect(error).toMatchObject({
      code: 'VERSION_NOT_SUPPORTED',
      message: 'This agent does not support A2A over REST; use another interface from its card',
      details: { requestedVersion: '1.0', supportedVersions: '' },
    });
  });

  test('a request in the kind style selects the dialect of the profile rxjs where that is mounted', () => {
    const mounted: Offer = { ...ALL, profiles: ['rxjs'] };
    expect(selectRest('/v1', kind, ABSENT, mounted).dialect).toBe(profileDialect('rxjs'));
    expect(selectRest('/v1', proto, ABSENT, mounted).dialect.name).toBe('v03-proto');
    expect(selectRest('/v1', kind, ABSENT, { ...ALL, profiles: ['agent-native'] }).dialect.name).toBe('v03-kind');
  });

  test.each([
    ['each part has a kind', [{ kind: 'text', text: 'hi' }]],
    ['one of the parts has a kind', [{ text: 'hi' }, { kind: 'text', text: 'ho' }]],
  ])('a message under /v1 is not in the 1.0 format if %s, whatever its role', (_case, parts) => {
    const body = { message: { messageId: 'm', role: 'ROLE_USER', parts } };
    expect(selectRest('/v1', body, ABSENT, ALL).dialect.version).toBe('0.3');
  });

  test('a message under /v1 with 1.0 parts and a 0.3 role is in the 0.3 format', () => {
    const body = { message: { messageId: 'm', role: 'user', parts: [{ text: 'hi' }] } };
    expect(selectRest('/v1', body, ABSENT, ALL).dialect.version).toBe('0.3');
  });
});
