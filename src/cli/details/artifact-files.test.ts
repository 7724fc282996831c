import { expect, test } from 'vitest';
import { filesOf } from './artifact-files.ts';

const nameOf = (filename: string): string | undefined =>
  filesOf({ artifactId: 'a', parts: [{ raw: '', filename, mediaType: 'image/png' }] })[0]?.name;

test.each([
  ['report.csv', 'report.csv'],
  ['../../etc/passwd', 'passwd.png'],
  [String.raw`..\..\boot.ini`, 'boot.ini'],
  ['/etc/cron.d/job', 'job.png'],
  ['.bashrc', 'bashrc.png'],
  ['...', 'artifact.png'],
  ['a\u0000b\n.txt', 'a_b_.txt'],
  ['pic\u202Egpj.exe', 'pic_gpj.exe'],
  ['\u2066a\u2069\u200F.txt', '_a__.txt'],
  // The end of a long name is kept, and must not start with a dot either.
  [`x.${'..'.repeat(2)}${'y'.repeat(112)}.txt`, `${'y'.repeat(112)}.txt`],
  [`${'x'.repeat(200)}.txt`, `${'x'.repeat(116)}.txt`],
])('a file that the agent calls %j is saved as %j', (given, saved) => {
  expect(nameOf(given)).toBe(saved);
});
