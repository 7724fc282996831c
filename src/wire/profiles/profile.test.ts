import { expect, test } from 'vitest';
import type { AgentCard } from '../../model/card.ts';
import type { Task } from '../../model/task.ts';
import { decodeParams, type Dialect, operationCodec } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { asyncFlag, strayIds } from './request-params.ts';
import { rewriteResponses, rewriteParts } from './profile.ts';
import { typeTag } from './parts.ts';

const shout = (json: unknown): unknown =>
  rewriteParts(json, ({ text, ...part }) => ({ ...part, text: String(text).toUpperCase() }));

test('parts are rewritten at every depth', () => {
  const message = { parts: [{ text: 'a' }, { text: 'b' }] };
  const loud = { parts: [{ text: 'A' }, { text: 'B' }] };
  expect(shout([{ status: { message }, history: [message], artifacts: [message], id: 't' }, null, 1])).toEqual([
    { status: { message: loud }, history: [loud], artifacts: [loud], id: 't' },
    null,
    1,
  ]);
});

test('user data is not rewritten, even if it looks like parts', () => {
  const own = { parts: [{ text: 'quiet' }] };
  const json = { metadata: own, status: { message: { parts: [{ text: 'a', metadata: own, data: own }] } } };
  expect(shout(json)).toEqual({
    metadata: own,
    status: { message: { parts: [{ text: 'A', metadata: own, data: own }] } },
  });
});

test('a member parts that is not a list is not rewritten', () => {
  expect(shout({ parts: { parts: [{ text: 'a' }] } })).toEqual({ parts: { parts: [{ text: 'A' }] } });
});

test('encoded results and stream items are rewritten, params and decoded values are not', () => {
  const dialect = rewriteResponses(v03, shout);
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } as const;
  const task: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING', message } };
  const loud = { status: { message: { parts: [{ kind: 'text', text: 'HI' }] } } };
  expect(operationCodec(dialect, 'GetTask').result.encode(task)).toMatchObject(loud);
  expect(operationCodec(dialect, 'SendMessage').result.encode({ task })).toMatchObject(loud);
  const [item] = dialect
    .createStreamEncoder()
    .encode({ statusUpdate: { taskId: 't1', contextId: 'c1', status: task.status } }, true);
  expect(item).toMatchObject({ ...loud, final: true });
  expect(operationCodec(dialect, 'SendMessage').params.encode({ message })).toMatchObject({
    message: { parts: [{ text: 'hi' }] },
  });
  expect(operationCodec(dialect, 'GetTask').result.decode).toBe(operationCodec(v03, 'GetTask').result.decode);
  expect(Object.keys(dialect.operations)).toEqual(Object.keys(v03.operations));
});

test('a card is not rewritten, even if its members look like a message', () => {
  const card: AgentCard = {
    name: 'Agent',
    description: 'Has an extension with parts, and a scheme called so',
    supportedInterfaces: [{ url: 'https://agent.test', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
    version: '1',
    capabilities: { extensions: [{ uri: 'https://ext.test', params: { parts: [{ text: 'quiet' }] } }] },
    securitySchemes: { parts: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    securityRequirements: [{ schemes: { parts: { list: ['read'] } } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
  const encode = (dialect: Dialect): unknown => operationCodec(dialect, 'GetExtendedAgentCard').result.encode(card);
  expect(encode(rewriteResponses(v03, shout))).toEqual(encode(v03));
});

test('several deviations in one request are repaired together, as in a request of agent-native', () => {
  const params = {
    message: { role: 'user', parts: [{ type: 'text', text: 'Show signups by source this month' }] },
    contextId: 'c1',
    async: true,
  };
  const repairs = [strayIds, asyncFlag, typeTag].flatMap((profile) => profile.repairs ?? []);
  const { value, warnings } = decodeParams(v03, 'SendMessage', params, { repairs, newId: () => 'm1' });
  expect(value).toEqual({
    message: {
      messageId: 'm1',
      contextId: 'c1',
      role: 'ROLE_USER',
      parts: [{ text: 'Show signups by source this month' }],
    },
    configuration: { returnImmediately: true },
  });
  for (const expected of [
    { code: 'ids-beside-message', field: '' },
    { code: 'async-flag', field: '' },
    { code: 'message-id-missing', field: 'message' },
    { code: 'part-type-tag', field: 'message.parts[0]' },
  ]) {
    expect(warnings.filter(({ code }) => code === expected.code)).toMatchObject([expected]);
  }
});
