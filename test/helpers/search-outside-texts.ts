/** A program that runs the functions which search outside texts on long hostile texts, and reports each that has terminated. */
import { logLine } from '../../src/observe/console-log.ts';
import { redacted } from '../../src/observe/redact.ts';
import { scrubMessage } from '../../src/server/operations/scrub-metadata.ts';
import { isSecretName, isSecretParameter } from '../../src/support/secret/secret-names.ts';
import { withoutSecrets, withoutTokens } from '../../src/support/secret/secret-texts.ts';
import { Scrubber } from '../../src/testing/recording/scrub.ts';

const PIECES = [
  '-eyJ',
  'eyJ.',
  '-sk-',
  'sk_',
  'Bearer ',
  '-----BEGIN ',
  '//',
  '//a:',
  '?a',
  'a=',
  'key',
  'Key',
  'key-',
  ' ',
];

const scrubber = new Scrubber();
const SEARCHES: Readonly<Record<string, (text: string) => unknown>> = {
  withoutTokens: (text) => withoutTokens(text, 'x'),
  withoutSecrets: (text) => withoutSecrets(text, 'x'),
  isSecretName,
  isSecretParameter,
  // Texts are cut by `redacted`, names are not.
  redacted: (text) => redacted({ [text]: 1, text, error: new Error(text) }),
  scrubMessage: (text) =>
    scrubMessage({ messageId: 'm', role: 'ROLE_USER', parts: [{ text, metadata: { text, [text]: 1 } }] }),
  scrubber: (text) => scrubber.json({ url: text, token: 't', note: `?${text}` }),
  logLine: (text) => logLine('error', text, { text, error: new Error(text) }),
};

for (const piece of PIECES) {
  const text = `${piece.repeat(Math.ceil(Number(process.argv[2]) / piece.length))}\u0000`;
  for (const [name, search] of Object.entries(SEARCHES)) {
    search(text);
    process.send?.(`${name}: ${piece}`);
  }
}
