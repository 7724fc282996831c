/** Words that make a name one of a secret, wherever they stand in it. All words here stand for their plurals, too. */
const ALWAYS = new Set(['secret', 'password', 'passwd', 'passphrase', 'passcode', 'pwd', 'credential']);
/** Words that do so at the end of a name. */
const AT_THE_END = new Set(['token', 'auth', 'authorization', 'cookie', 'jwt', 'bearer']);
/** What a key has to be for to be secret. */
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
/** Parameters of addresses that open doors under short names. */
const IN_ADDRESSES = new Set(['sig', 'signature', 'key', 'auth', 'code', 'hmac']);
/** Tokens in the plural are pieces of text if one of these stands before them. */
const COUNTED = new Set(
  [
    'max min total num used remaining average avg estimated budget cache cached',
    'input output prompt completion prediction generated reasoning thinking text audio image video',
  ].flatMap((line) => line.split(' ')),
);
/** What many write together with the word before it: `accesstoken`. Nobody's name is longer, and strangers choose them. */
const JOINED = /^(.{1,40}?)((?:token|key|secret|password|passphrase|passcode|credential|cookie|value)s?)$/;

/** Whether a member, header or parameter of that name holds a secret: `githubToken`, `X-API-Key`, `client_secrets`. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name).flatMap(apart);
  if (words.some((word) => ALWAYS.has(singular(word)))) return true;
  // The value of a token is a token.
  if (singular(words.at(-1) ?? '') === 'value') words.pop();
  const before = words.at(-2) ?? '';
  const end = words.at(-1) ?? '';
  const last = singular(end);
  // Where a list goes on is no secret.
  if (last === 'token' && before.endsWith('page')) return false;
  if (end === 'tokens' && COUNTED.has(singular(before))) return false;
  return AT_THE_END.has(last) || (last === 'key' && KEYS.has(before));
}

export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || IN_ADDRESSES.has(wordsOf(name).at(-1) ?? '');
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

/** `accesstokenvalue` → access, token, value; and `monkey` → mon, key, which does no harm */
function apart(word: string): readonly string[] {
  const [, before, end] = JOINED.exec(word) ?? [];
  return before === undefined || end === undefined ? [word] : [...apart(before), end];
}

function singular(word: string): string {
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
