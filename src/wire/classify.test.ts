import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyCard, classifyPayload, type PayloadKind } from './classify.ts';
import { decode } from './dialect.ts';
import { dialects } from './select.ts';

const T1 = { id: 't1', contextId: 'c1' };
const E1 = { taskId: 't1', contextId: 'c1' };
const NOTICE = { eventType: 'taskUpdate', taskId: 't1', summary: 'Done.' };

test.each<[PayloadKind | undefined, string, unknown]>([
  ['v1', 'a task', { task: { ...T1, status: { state: 'TASK_STATE_COMPLETED' } } }],
  ['v1', 'a message', { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } }],
  ['v1', 'a status', { statusUpdate: { ...E1, status: { state: 'TASK_STATE_CANCELED' } } }],
  ['v1', 'an artifact', { artifactUpdate: { ...E1, artifact: { artifactId: 'a', parts: [{ raw: 'aGk=' }] } } }],
  ['v1', 'data that looks like 0.3', { message: { parts: [{ data: { kind: 'x', content: [], final: true } }] } }],
  ['v1', 'metadata that looks like 0.3', { task: { ...T1, status: {}, metadata: { kind: 'task', role: 'user' } } }],

  ['v03-proto', 'content', { message: { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'hi' }] } }],
  ['v03-proto', 'content in a history', { task: { ...T1, status: {}, history: [{ content: [{ text: 'hi' }] }] } }],
  ['v03-proto', 'the other spelling', { task: { ...T1, status: { state: 'TASK_STATE_CANCELLED' } } }],
  ['v03-proto', 'final', { statusUpdate: { ...E1, status: { state: 'TASK_STATE_WORKING' }, final: false } }],
  [
    'v03-proto',
    'a file',
    { task: { ...T1, status: {}, artifacts: [{ artifactId: 'a', parts: [{ file: { fileWithUri: 'https://x' } }] }] } },
  ],

  ['v03-kind', 'a wrapped task', { task: { kind: 'task', ...T1, status: { state: 'completed' } } }],
  ['v03-kind', 'a wrapped message without its tag', { message: { role: 'user', parts: [{ kind: 'text', text: '' }] } }],
  ['v03-kind', 'only lowercase states', { statusUpdate: { ...E1, status: { state: 'input-required' } } }],
  ['v03-kind', 'only a lowercase role', { message: { messageId: 'm', role: 'agent', parts: [] } }],

  ['v03', 'a task', { kind: 'task', ...T1, status: { state: 'completed' } }],
  ['v03', 'a message', { kind: 'message', messageId: 'm', role: 'agent', parts: [] }],
  ['v03', 'a status', { kind: 'status-update', ...E1, status: { state: 'working' }, final: false }],
  [
    'v03',
    'a chunk',
    { kind: 'artifact-update', ...E1, artifact: { artifactId: 'a', parts: [{ type: 'text', text: '' }] } },
  ],
  ['v03', 'an untagged task', { ...T1, status: { state: 'completed' } }],
  ['v03', 'an untagged status', { taskId: 't1', status: { state: 'completed' } }],
  ['v03', 'an untagged task with tagged parts', { id: 't1', status: {}, artifacts: [{ parts: [{ kind: 'text' }] }] }],
  [
    'v03',
    "agent-native's snapshot",
    { ...T1, status: { state: 'working', message: { role: 'agent', parts: [{ type: 'text', text: 'so far' }] } } },
  ],

  [
    'v01',
    'a task',
    {
      id: 't1',
      sessionId: 's1',
      status: { state: 'completed' },
      artifacts: [{ index: 0, parts: [{ type: 'text', text: 'yo' }] }],
    },
  ],
  ['v01', 'a status', { id: 't1', status: { state: 'working' }, final: false }],
  ['v01', 'an artifact', { id: 't1', artifact: { index: 0, parts: [{ type: 'text', text: 'yo' }] } }],
  ['v01', 'a notification', { ...NOTICE, status: { state: 'completed' } }],
  ['v01', 'a notification with the bare state', { ...NOTICE, status: 'completed' }],

  ['flat-task', 'a task', { id: 't1', state: 'completed', messages: [], sessionId: 's1' }],

  [undefined, 'a state without messages', { id: 't1', state: 'completed' }],
  [undefined, 'messages without a state', { id: 't1', messages: [] }],
  [undefined, 'null', null],
  [undefined, 'a list', [{ kind: 'task' }]],
  [undefined, 'an empty object', {}],
  [undefined, 'a wrapped text', { message: 'hello' }],
  [undefined, 'two wrappers', { task: {}, message: {} }],
  [undefined, 'a status that is a word', { id: 't1', status: 'working' }],
  [undefined, 'a status that is a word, of a task', { taskId: 't1', status: 'completed' }],
  [undefined, 'a notice of something else', { eventType: 'taskUpdate', status: 'completed' }],
  [undefined, 'a notice without a status', NOTICE],
  [undefined, 'a notice whose status is a number', { ...NOTICE, status: 1 }],
  [
    'v03',
    'an untagged status with an event type that is not a string',
    { ...E1, eventType: 1, status: { state: 'working' } },
  ],
  ['v03', 'a tagged task that also names an event', { kind: 'task', ...T1, eventType: 'x', taskId: 't1', status: {} }],
])('the payload kind is %s: %s', (kind, _case, json) => {
  expect(classifyPayload(json)).toBe(kind);
});

test.each(['completed', { state: 'completed' }])(
  'a 0.1 notification is decoded by the dialect that it is classified as: %j',
  (status) => {
    const json = { ...NOTICE, status };
    const { webhook } = dialects[classifyPayload(json) ?? 'v1'];
    expect(decode(webhook, json, 'request').value).toMatchObject({
      statusUpdate: { taskId: 't1', status: { state: 'TASK_STATE_COMPLETED' } },
    });
  },
);

test('classifying arbitrary JSON never throws', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 9 }), (json) => {
      classifyPayload(json);
      classifyCard(json);
    }),
  );
});

// Cards

const OLD = { name: 'n', description: 'd', version: '1', capabilities: {}, skills: [], url: 'https://example.com/a2a' };
const MODES = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
const ONE = {
  supportedInterfaces: [{ url: 'https://example.com', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
};

test.each([
  ['1.0', 'interfaces', { name: 'n', ...ONE }],
  ['1.0', 'a superset card', { ...OLD, protocolVersion: '0.3.0', ...ONE }],
  ['0.3', 'no interface in the list', { ...OLD, protocolVersion: '0.3.0', supportedInterfaces: [] }],
  ['0.3', '0.3.0', { ...OLD, protocolVersion: '0.3.0' }],
  ['0.3', 'a version after 0.3 in a card of the old form', { ...OLD, protocolVersion: '1.0' }],
  ['0.2', '0.2.6', { ...OLD, protocolVersion: '0.2.6' }],
  ['0.2', 'the 0.2.9 of sample cards', { ...OLD, protocolVersion: '0.2.9' }],
  ['0.2', 'no version, OpenAPI security', { ...OLD, securitySchemes: {}, authentication: { schemes: [] } }],
  ['0.2', 'no version, an extended card', { ...OLD, supportsAuthenticatedExtendedCard: true }],
  ['0.2', 'no version, more interfaces', { ...OLD, additionalInterfaces: [] }],
  ['0.2', 'no version, modes', { ...OLD, ...MODES }],
  ['0.1', 'no version, schemes by name', { ...OLD, ...MODES, authentication: { schemes: ['Bearer'] } }],
  [undefined, 'no address', { name: 'n' }],
  [undefined, 'an address that is no text', { ...OLD, url: 1 }],
  [undefined, 'a list', [OLD]],
  [undefined, 'nothing', undefined],
])('a card is classified as %s: %s', (version, _case, json) => {
  expect(classifyCard(json)).toBe(version);
});

test.each([
  [
    '0.2',
    'selectools',
    { protocolVersion: '0.2.6', name: 'researcher', url: '', version: '0.21.0', ...MODES, skills: [] },
  ],
  [
    '0.2',
    'the specification of 0.2',
    {
      name: 'GeoSpatial Route Planner Agent',
      url: 'https://georoute-agent.example.com/a2a/v1',
      capabilities: { streaming: true, pushNotifications: true, stateTransitionHistory: false },
      securitySchemes: { google: { type: 'openIdConnect' } },
      security: [{ google: ['openid', 'profile', 'email'] }],
      supportsAuthenticatedExtendedCard: true,
    },
  ],
  [
    '0.3',
    'agent-native',
    {
      name: 'Analytics Agent',
      url: 'https://analytics.example.com',
      protocolVersion: '0.3',
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  ],
  [
    '0.1',
    'corvid',
    {
      name: 'Corvid',
      url: 'http://127.0.0.1:3000',
      authentication: { schemes: [] },
      supportedProtocols: [],
      skills: [],
    },
  ],
])('%s is the version of the card of %s', (version, _system, json) => {
  expect(classifyCard(json)).toBe(version);
});
