import { expect, test } from 'vitest';
import type { ProtocolVersion } from '../../wire/version.ts';
import { agent, type Agent } from '../../agent/agent.ts';
import { CardEndpoint } from './card-endpoint.ts';
import type { HttpRequest } from '../../host/http.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

function endpoint(of: Agent, versions: readonly ProtocolVersion[], byDefault: 'superset' | '0.3'): CardEndpoint {
  return new CardEndpoint({
    agent: of,
    offer: { versions },
    rpcPath: '/a2a',
    streaming: true,
    pushNotifications: false,
    stateTransitionHistory: false,
    extendedAgentCard: false,
    recognisesRepeats: false,
    byDefault,
    publicUrl: undefined,
    since: new Date(),
  });
}

function requestAt(base: string): HttpRequest {
  return {
    method: 'GET',
    path: '/.well-known/agent-card.json',
    query: '',
    base,
    signal: new AbortController().signal,
    header: () => undefined,
    body: async () => ({ text: '' }),
  };
}

test('a card is rendered once per URL, and at most 64 are cached', () => {
  let rendered = 0;
  const counting: Agent = {
    ...ECHO,
    get card() {
      rendered += 1;
      return ECHO.card;
    },
  };
  const cards = endpoint(counting, ['1.0'], 'superset');
  const ask = (number: number): unknown => cards.handle('agent-card.json', requestAt(`http://host-${number}`));

  for (let number = 0; number < 64; number += 1) ask(number);
  for (let number = 0; number < 64; number += 1) ask(number);
  expect(rendered).toBe(64);

  ask(64);
  expect(rendered).toBe(65);
  ask(0);
  expect(rendered).toBe(66);
  expect(ask(0)).toMatchObject({ status: 200 });
  expect(rendered).toBe(66);
});

test.each([
  { file: 'agent.json', versions: ['1.0', '0.3'], byDefault: 'superset', missing: 'versions before 0.3' },
  { file: 'agent-card.json', versions: ['1.0', '0.1'], byDefault: '0.3', missing: 'version 0.3' },
] as const)('the 404 of $file names the missing card: $missing', async ({ file, versions, byDefault, missing }) => {
  const { status, body } = await endpoint(ECHO, versions, byDefault).handle(file, requestAt('http://localhost'));

  expect([status, body]).toEqual([404, JSON.stringify({ error: `This agent has no card for ${missing}` })]);
});
