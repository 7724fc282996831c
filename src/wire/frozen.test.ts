import { expect, test } from 'vitest';
import { CARD_VARIANTS } from './card/signing/canonical-card.ts';
import { CARD_ALGORITHMS } from './card/card-signature-key.ts';
import { decode } from './dialect.ts';
import { DEFAULT_LIMITS, Decoder } from './decoder.ts';
import { dialects } from './select.ts';
import { PROTOCOL_VERSIONS } from './version.ts';

/** A caller that changes a shared constant or default must not change what the next caller gets. */

test.each([
  ['the algorithms of signatures', CARD_ALGORITHMS],
  ['the forms of a signed card', CARD_VARIANTS],
  ['the versions', PROTOCOL_VERSIONS],
  ['the limits', DEFAULT_LIMITS],
  ['the limits of a decoder', new Decoder('request').limits],
])('%s cannot be changed', (_case, constant) => {
  expect(Object.isFrozen(constant)).toBe(true);
});

const BARE = { name: 'n', description: 'd', version: '1', capabilities: {}, skills: [] };
const INTERFACE = { url: 'https://agent.test', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };

test.each([
  ['v1', { ...BARE, supportedInterfaces: [INTERFACE] }],
  ['v03', { ...BARE, protocolVersion: '0.3.0', url: 'https://agent.test' }],
  ['v02', { ...BARE, url: 'https://agent.test' }],
  ['v01', { ...BARE, url: 'https://agent.test' }],
] as const)('changing the default modes of one decoded %s card does not change another card', (name, json) => {
  const read = () => decode(dialects[name].card, json, 'response').value;
  for (const modes of [read().defaultInputModes, read().defaultOutputModes]) {
    expect(() => (modes as string[]).push('image/png')).toThrow(TypeError);
  }
  expect(read()).toMatchObject({ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] });
});

test('changing the output modes of one encoded 0.2 request does not change another request', () => {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;
  const write = () =>
    dialects.v02.operations.SendMessage?.params.encode({ message, configuration: {} }) as {
      configuration: { acceptedOutputModes: string[] };
    };
  expect(() => write().configuration.acceptedOutputModes.push('image/png')).toThrow(TypeError);
  expect(write().configuration.acceptedOutputModes).toEqual(['text/plain', 'application/json']);
});
