import { expect, test } from 'vitest';
import { IpNetwork } from './ip-network.ts';

test.each([
  ['127.0.0.0/8', '127.0.0.1', true],
  ['127.0.0.0/8', '127.255.255.255', true],
  ['127.0.0.0/8', '128.0.0.0', false],
  ['10.1.2.0/23', '10.1.3.255', true],
  ['10.1.2.0/23', '10.1.4.0', false],
  ['10.1.2.3/32', '10.1.2.3', true],
  ['10.1.2.3/32', '10.1.2.4', false],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['0.0.0.0/0', '::1', false],
  ['10.0.0.0/8', '[::ffff:a00:1]', true],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['::1/128', '[::1]', true],
  ['::1/128', '::2', false],
  ['fd00::/8', 'fdff:1::1', true],
  ['fd00::/8', 'fe00::1', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['::/0', '10.0.0.1', false],
  ['127.0.0.0/8', 'localhost', false],
  ['127.0.0.0/8', '127.0.0.1.example.com', false],
])('the network %s contains %s: %j', (network, address, isIn) => {
  expect(IpNetwork.parse(network)?.has(address)).toBe(isIn);
});

test.each([
  '10.0.0.1/8',
  '10.0.0.0/33',
  '10.0.0.0',
  '10.0.0/8',
  '300.0.0.0/8',
  'fd00::1/8',
  'fd00::/129',
  'a/8',
  '/8',
  '',
])('%j is not a network', (text) => {
  expect(IpNetwork.parse(text)).toBeUndefined();
});
