import { expect, test } from 'vitest';
import { isPrivateAddress, isPrivateHost, isPrivateName } from './private-address.ts';

test.each([
  ['0.0.0.0'],
  ['10.0.0.1'],
  ['100.64.0.1'],
  ['100.127.255.255'],
  ['127.0.0.1'],
  ['127.255.255.254'],
  ['168.63.129.16'],
  ['169.254.169.254'],
  ['172.16.0.1'],
  ['172.31.255.255'],
  ['192.0.0.8'],
  ['192.168.1.1'],
  ['198.18.0.1'],
  ['198.19.255.255'],
  ['224.0.0.1'],
  ['240.0.0.1'],
  ['255.255.255.255'],
  ['::'],
  ['::1'],
  ['[::1]'],
  ['0:0:0:0:0:0:0:1'],
  ['::127.0.0.1'],
  ['::ffff:127.0.0.1'],
  ['::ffff:7f00:1'],
  ['[::ffff:a00:1]'],
  ['::ffff:0:10.0.0.1'],
  ['64:ff9b::10.0.0.1'],
  ['64:ff9b:1::8.8.8.8'],
  ['2002:7f00:1::'],
  ['2001::1'],
  ['2001:db8::1'],
  ['3fff:abc::1'],
  ['fc00::1'],
  ['fd12:3456::1'],
  ['fe80::1'],
  ['fe80::1%eth0'],
  ['fec0::1'],
  ['ff02::1'],
  ['100::1'],
])('the address %s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each([
  ['1.1.1.1'],
  ['8.8.8.8'],
  ['100.63.255.255'],
  ['100.128.0.0'],
  ['172.15.255.255'],
  ['172.32.0.0'],
  ['192.167.255.255'],
  ['198.17.255.255'],
  ['198.20.0.0'],
  ['223.255.255.255'],
  ['168.63.129.17'],
  ['2606:4700:4700::1111'],
  ['3fff:1000::1'],
  ['[2001:4860:4860::8888]'],
  ['::ffff:8.8.8.8'],
  ['64:ff9b::8.8.8.8'],
  ['2002:808:808::1'],
  ['example.com'],
  ['127.0.0.1.example.com'],
  ['999.0.0.1'],
  ['1:2:3'],
  ['::1::'],
  ['::1.2.3.999'],
])('the address %s is not private', (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test.each([
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://[0::1]/',
  'http://１２７.0.0.1/',
])('the address in %s is private once it is parsed as a URL', (url) => {
  expect(isPrivateAddress(new URL(url).hostname)).toBe(true);
});

test.each([
  ['localhost', true],
  ['LOCALHOST.', true],
  ['app.localhost', true],
  ['metadata.google.internal', true],
  ['printer.local', true],
  ['router.lan', true],
  ['metadata.goog', true],
  ['METADATA', true],
  ['api.default.svc', true],
  ['hr.corp', true],
  ['corp.example.com', false],
  ['example.com', false],
  ['localhost.example.com', false],
  ['internal.example.com', false],
  ['mylocalhost', false],
])('isPrivateName() of %s is %s', (name, isPrivate) => {
  expect(isPrivateName(name)).toBe(isPrivate);
});

test.each([
  ['redis', true],
  ['redis.', true],
  ['mylocalhost', true],
  ['db.internal', true],
  ['redis.service.consul', true],
  ['consul.example.com', false],
  ['10.0.0.1', true],
  ['[::1]', true],
  ['[2606:4700:4700::1111]', false],
  ['93.184.216.34', false],
  ['example.com', false],
  ['example.com.', false],
])('isPrivateHost() of %s is %s', (host, isPrivate) => {
  expect(isPrivateHost(host)).toBe(isPrivate);
});
