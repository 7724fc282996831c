import { expect, test } from 'vitest';
import { verifies } from '../../test/helpers/verifies.ts';
import { parseVersion, PROTOCOL_VERSIONS, requestedVersion } from './version.ts';

const absent = { kind: 'absent' };

test.each(PROTOCOL_VERSIONS)('the version %s is known', (version) => {
  expect(requestedVersion(version)).toEqual({ kind: 'known', version });
});

test.each([
  ['0.3.0', '0.3'],
  ['0.3.14', '0.3'],
  ['1.0.0', '1.0'],
  ['1.0.1', '1.0'],
  ['1.0.999999999', '1.0'],
  ['0.2.9', '0.2'],
])(verifies('V-06', 'the patch number of %s does not count'), (text, version) => {
  expect(requestedVersion(text)).toEqual({ kind: 'known', version });
});

test.each([
  ['no header', undefined, undefined],
  ['an empty header', '', undefined],
  ['a blank header', ' \t', null],
  ['an empty header and an empty parameter', '', ''],
  ['an empty parameter', undefined, ' '],
])(verifies('V-05', '%s asks for no version'), (_case, header, query) => {
  expect(requestedVersion(header, query)).toEqual(absent);
});

test.each([
  ['the header', '1.0', undefined, '1.0'],
  ['the header, with blanks around it', ' 1.0 ', undefined, '1.0'],
  ['the parameter', undefined, '0.3', '0.3'],
  ['the header, if both are there', '0.3', '1.0', '0.3'],
  ['the parameter, if the header is empty', ' ', '1.0', '1.0'],
])('the version is taken from %s', (_case, header, query, version) => {
  expect(requestedVersion(header, query)).toEqual({ kind: 'known', version });
});

test('an invalid version header is rejected even if the parameter is valid', () => {
  expect(requestedVersion('latest', '1.0')).toEqual({ kind: 'unknown', text: 'latest' });
});

test.each([
  '1',
  '1.',
  '.3',
  'v1.0',
  '1.0.x',
  '1.0.0.0',
  '1.0-rc',
  '1,0',
  '1.0, 0.3',
  '01.0',
  '1.00',
  '0.30',
  '2.0',
  '0.4',
  '１.０',
])(verifies('V-11', '%s is not a version of ours'), (text) => {
  expect(requestedVersion(text)).toEqual({ kind: 'unknown', text });
  expect(parseVersion(text)).toBeUndefined();
});

test(verifies('V-11', 'the version that is sent has the form Major.Minor'), () => {
  for (const version of PROTOCOL_VERSIONS) expect(version).toMatch(/^\d+\.\d+$/);
});
