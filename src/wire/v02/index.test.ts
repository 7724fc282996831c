import { expect, test } from 'vitest';
import { A2AError, type ErrorCode, ERRORS } from '../../errors.ts';
import { v03 } from '../v03/index.ts';
import { v02 } from './index.ts';

/** The numbers of 0.2 that differ from those of 0.3, which introduced -32007. */
const OWN: Readonly<Partial<Record<ErrorCode, number>>> = {
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32004,
  EXTENSION_SUPPORT_REQUIRED: -32602,
};

test.each(Object.keys(ERRORS) as ErrorCode[])('%s has its 0.2 number', (code) => {
  const error = new A2AError(code, 'no');
  const wire = v02.errors.encodeRpc(error);
  expect(wire.code).toBe(OWN[code] ?? v03.errors.encodeRpc(error).code);
  expect(v02.errors.decodeRpc(wire).code).toBe(code);
});

test('a configuration has default output modes, and those of the caller take precedence', () => {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;
  const encode = (configuration?: { acceptedOutputModes?: readonly string[] }): unknown =>
    v02.operations.SendMessage?.params.encode({ message, ...(configuration && { configuration }) });
  expect(encode()).not.toHaveProperty('configuration');
  const usual = { configuration: { acceptedOutputModes: ['text/plain', 'application/json'] } };
  expect(encode({})).toMatchObject(usual);
  expect(encode({ acceptedOutputModes: ['image/png'] })).toMatchObject({
    configuration: { acceptedOutputModes: ['image/png'] },
  });
});
