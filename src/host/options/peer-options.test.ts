import { expect, test } from 'vitest';
import { agent } from '../../agent/agent.ts';
import { readHandlerOptions } from '../../server/options/handler-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });
const URL = 'https://crm.example';

test.each<[string, unknown, string]>([
  ['a text', 'https://crm.example', 'peers: expected'],
  ['an id that looks like a URL', { [URL]: URL }, `peers.${URL}: expected an id`],
  ['an id of 65 characters', { ['a'.repeat(65)]: URL }, 'expected an id'],
  ['a number as peer', { crm: 7 }, 'peers.crm: expected'],
  ['a path as URL', { crm: '/crm' }, 'peers.crm: expected an absolute URL'],
  ['another protocol', { crm: { url: 'ftp://crm.example' } }, 'peers.crm.url: expected an absolute URL'],
  ['a URL with a user name', { crm: 'https://alice@crm.example' }, 'peers.crm: must not contain a user name'],
  ['no URL', { crm: { auth: 'token' } }, 'peers.crm.url: '],
  ['an unknown member', { crm: { url: URL, token: 't' } }, 'peers.crm.token: is not an option'],
  ['credentials that are not set', { crm: { url: URL, auth: undefined } }, 'peers.crm.auth: is undefined or empty'],
  ['empty credentials', { crm: { url: URL, auth: '' } }, 'peers.crm.auth: is undefined or empty'],
  ['a secret that is not set', { crm: { url: URL, auth: { secret: undefined } } }, 'peers.crm.auth.secret: expected'],
])('peers with %s are rejected', (_, peers, fault) => {
  expect(() => readHandlerOptions('createHandler()', ECHO, { peers })).toThrow(fault);
});

test('peers by URL, with credentials, and clients are accepted', () => {
  const peers = {
    crm: URL,
    mail: { url: URL, auth: { secret: 's' }, version: '0.3', binding: 'JSONRPC', headers: {}, allowOrigins: [] },
    search: { card: {}, send: () => {} },
  };
  expect(readHandlerOptions('createHandler()', ECHO, { peers }).peers).toEqual(peers);
});
