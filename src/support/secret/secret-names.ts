/** Words that mark a name as a secret at any position. All words here also match in the plural. */
const ALWAYS = new Set([
  'secret',
  'password',
  'passwd',
  'passwort',
  'kennwort',
  'passphrase',
  'passcode',
  'pwd',
  'credential',
  'mnemonic',
]);
/** Words that mark a name as a secret at its end. */
const AT_THE_END = new Set(['token', 'auth', 'authorization', 'cookie', 'jwt', 'bearer', 'otp', 'totp', 'dsn']);
/** Words that name a secret alone or after one of these words: `dbPass` and `card_pin`, but not `boardingPass` or `gpioPin`. */
const SHORT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'pass',
    new Set(
      'admin app auth basic client database db ftp http imap login mail mysql pg proxy redis root smtp user'.split(' '),
    ),
  ],
  ['pin', new Set('access account atm auth bank card login security sim user'.split(' '))],
]);
/** Words before `code` that make it a secret: `otpCode`, but not `errorCode`. */
const CODES = new Set(['otp', 'totp', 'pin']);
/** Words before `key` that make it a secret. */
const KEYS = new Set([
  'api',
  'private',
  'access',
  'signing',
  'encryption',
  'decryption',
  'subscription',
  'auth',
  'shared',
  'account',
  'master',
  'ssh',
]);
/** Short names of secret URL parameters. */
const IN_ADDRESSES = new Set(['sig', 'signature', 'key', 'auth', 'code', 'hmac']);
/** Words before `tokens` that make it a count of text tokens. */
const COUNTED = new Set(
  [
    'max min total num used remaining average avg estimated budget cache cached',
    'input output prompt completion prediction generated reasoning thinking text audio image video',
  ].flatMap((line) => line.split(' ')),
);
/**
 * Words that are often written together with the word before: `accesstoken`. The length is limited, because callers choose
 * the names.
 */
const JOINED = /^(.{1,40}?)((?:token|key|secret|password|passwort|passphrase|passcode|credential|cookie|value)s?)$/;

/** Every name of a secret contains one of these. Most names contain none, and need no further analysis. */
const HINT = /secret|pass|pwd|kennwort|credential|mnemonic|token|auth|cookie|jwt|bearer|otp|dsn|key|pin/i;

/** Longer names are not analysed: callers choose them, and the analysis takes time in proportion to the length. */
const MAX_NAME = 256;

/**
 * Returns whether a member, header or parameter with this name holds a secret: `githubToken`, `X-API-Key`,
 * `client_secrets`.
 */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME) return false;
  const plain = plainLetters(name);
  if (!HINT.test(plain)) return false;
  const words = wordsOf(plain).flatMap(apart);
  if (words.some((word) => ALWAYS.has(singular(word)))) return true;
  // The value of a token is a token.
  if (singular(words.at(-1) ?? '') === 'value') words.pop();
  const before = words.at(-2) ?? '';
  const end = words.at(-1) ?? '';
  const last = singular(end);
  // A page token is not a secret.
  if (last === 'token' && before.endsWith('page')) return false;
  if (end === 'tokens' && COUNTED.has(singular(before))) return false;
  if (SHORT.has(last)) return before === '' || SHORT.get(last)?.has(before) === true;
  return AT_THE_END.has(last) || (last === 'key' && KEYS.has(before)) || (last === 'code' && CODES.has(before));
}

/** Whether a number of this name counts the tokens of a model: `tokens`, `outputToken`. A number called `token` is a secret. */
export function isTokenCount(name: string): boolean {
  if (name.length > MAX_NAME) return false;
  const words = wordsOf(name).flatMap(apart);
  const end = words.at(-1);
  return end === 'tokens' || (end === 'token' && COUNTED.has(singular(words.at(-2) ?? '')));
}

export function isSecretParameter(name: string): boolean {
  if (name.length > MAX_NAME) return false;
  return isSecretName(name) || IN_ADDRESSES.has(wordsOf(plainLetters(name)).at(-1) ?? '');
}

/** `githubAPIToken`, `github-api-token`, `GITHUB_API_TOKEN` → github, api, token */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** Normalises full-width letters and removes invisible characters. Names in ASCII are returned unchanged. */
function plainLetters(name: string): string {
  return /[^\0-\x7F]/.test(name) ? name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '') : name;
}

/** `accesstokenvalue` → access, token, value. Also `monkey` → mon, key, which is harmless. */
function apart(word: string): readonly string[] {
  const [, before, end] = JOINED.exec(word) ?? [];
  return before === undefined || end === undefined ? [word] : [...apart(before), end];
}

function singular(word: string): string {
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
