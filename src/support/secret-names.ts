/** Words that make a name one of a secret, wherever they stand in it. */
const ALWAYS = new Set(['secret', 'secrets', 'password', 'passwd', 'passphrase', 'pwd', 'credential', 'credentials']);
/** Words that do so at the end of a name. */
const AT_THE_END = new Set([
  'token',
  'tokens',
  'auth',
  'authorization',
  'cookie',
  'cookies',
  'jwt',
  'apikey',
  'bearer',
]);
/** What a key has to be for to be secret. */
const KEYS = new Set([
  'api',
  'private',
  'access',
  'signing',
  'encryption',
  'subscription',
  'auth',
  'shared',
  'account',
]);
/** Parameters of addresses that open doors under short names. */
const IN_ADDRESSES = new Set(['sig', 'signature', 'key', 'auth', 'code', 'hmac']);

/** Whether a member, header or parameter of that name holds a secret: `githubToken`, `X-API-Key`, `client_secret`. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  // Where a list goes on is no secret.
  if (last === 'token' && before === 'page') return false;
  return words.some((word) => ALWAYS.has(word)) || AT_THE_END.has(last) || (last === 'key' && KEYS.has(before));
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
