import { expect, test } from 'vitest';
import type { AgentCard, AgentInterface } from '../../model/card.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../version.ts';
import { usableInterfaces } from './choose-interface.ts';

/** `JSONRPC 1.0`, … with numbered URLs. */
function cardWith(...interfaces: readonly string[]): AgentCard {
  const supportedInterfaces = interfaces.map((text, i): AgentInterface => {
    const [protocolBinding = '', protocolVersion = ''] = text.split(' ');
    return { url: `https://example.com/${i}`, protocolBinding, protocolVersion };
  });
  return {
    name: 'n',
    description: 'd',
    version: '1',
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    supportedInterfaces,
  };
}

function usable(
  card: AgentCard,
  bindings: readonly string[],
  versions: readonly ProtocolVersion[] = PROTOCOL_VERSIONS,
) {
  return usableInterfaces(card, { bindings, versions });
}

test.each<[string, readonly string[], readonly string[], readonly ProtocolVersion[] | undefined, readonly string[]]>([
  [
    "the card's order counts, not the client's",
    ['GRPC 1.0', 'JSONRPC 1.0'],
    ['JSONRPC', 'GRPC'],
    undefined,
    ['/0', '/1'],
  ],
  [
    'a binding without a transport is skipped',
    ['GRPC 1.0', 'HTTP+JSON 1.0'],
    ['JSONRPC', 'HTTP+JSON'],
    undefined,
    ['/1'],
  ],
  ['a version that the client lacks is passed over', ['JSONRPC 2.0', 'JSONRPC 0.3'], ['JSONRPC'], undefined, ['/1']],
  ['binding and version must fit together', ['JSONRPC 0.3', 'GRPC 1.0'], ['JSONRPC'], ['1.0'], []],
  ['a patch number is ignored', ['JSONRPC 1.0.1', 'JSONRPC 0.3.0'], ['JSONRPC'], undefined, ['/0', '/1']],
  [
    'names of bindings are compared exactly',
    ['jsonrpc 1.0', 'JSON-RPC 1.0', 'HTTP 1.0'],
    ['JSONRPC', 'HTTP+JSON'],
    undefined,
    [],
  ],
  ['a custom binding is its URI', ['https://example.com/mqtt 1.0'], ['https://example.com/mqtt'], undefined, ['/0']],
  ['one URL may come twice', ['JSONRPC 1.0', 'JSONRPC 0.3'], ['JSONRPC'], ['0.3'], ['/1']],
  ['an entry that states no version is not guessed at', ['JSONRPC '], ['JSONRPC'], undefined, []],
  ['a card without interfaces has no usable one', [], ['JSONRPC'], undefined, []],
])('%s', (_case, interfaces, bindings, versions, expected) => {
  const chosen = usable(cardWith(...interfaces), bindings, versions);
  expect(chosen.map((choice) => new URL(choice.interface.url).pathname)).toEqual(expected);
});

test('each choice is the unchanged entry of the card with the protocol version to use', () => {
  const card = cardWith('JSONRPC 1.0.1', 'HTTP+JSON 0.3');
  const [first, second] = usable(card, ['JSONRPC', 'HTTP+JSON']);
  expect(first).toMatchObject({ version: '1.0' });
  expect(first?.interface).toBe(card.supportedInterfaces[0]);
  expect(second).toMatchObject({ version: '0.3' });
});

test('a requested version excludes other versions as a fallback', () => {
  const card = cardWith('JSONRPC 1.0', 'JSONRPC 0.3', 'HTTP+JSON 1.0');
  expect(usable(card, ['JSONRPC', 'HTTP+JSON'], ['1.0']).map(({ version }) => version)).toEqual(['1.0', '1.0']);
});

test('the reason names the chosen interface and the skipped ones', () => {
  const card = cardWith('GRPC 1.0', 'JSONRPC 9.9', 'JSONRPC 1.0', 'HTTP+JSON 1.0');
  expect(usable(card, ['JSONRPC', 'HTTP+JSON']).map(({ reason }) => reason)).toEqual([
    "JSONRPC 1.0 is the first of the card's interfaces that this client supports; " +
      'skipped: GRPC 1.0 (binding), JSONRPC 9.9 (version)',
    "HTTP+JSON 1.0 is the next of the card's interfaces that this client supports; " +
      'skipped: GRPC 1.0 (binding), JSONRPC 9.9 (version)',
  ]);
  expect(usable(cardWith('JSONRPC 1.0'), ['JSONRPC'])[0]?.reason).toBe(
    "JSONRPC 1.0 is the first of the card's interfaces that this client supports",
  );
});
