import { expect, test } from 'vitest';
import { isSecretName, isSecretParameter } from './secret-names.ts';

const words = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '));

const SECRET = words([
  'password passwords dbPassword userpassword passwordHash passwd pwd passcode passcodes passphrase passphrases',
  'secret clientSecret client_secrets clientsecret secretKey secretkey credentials awscredentials credential_file',
  'token tokens githubToken accessToken access_tokens accesstoken accesstokens REFRESHTOKEN tokenValue tokenvalue',
  'token_values access-token-value idToken inputToken sessionToken jwt apiKey apikey apiKeys api_keys apikeys',
  'X-API-Key APIKeys openaiApiKeys privateKey privatekey privateKeys PRIVATE_KEY signingKey signingkey',
  'signingKeys accesskey encryptionkeys sshKey masterKey auth authorization authorizations Proxy-Authorization',
  'cookie Set-Cookie sessioncookies',
]);

const INNOCENT = words([
  'maxTokens max_tokens maxtokens totalTokens inputTokens output_tokens promptTokens completion_tokens',
  'cachedTokens reasoningTokens cache_creation_input_tokens tokenCount tokensUsed tokenUsage tokenLimit tokenType',
  'tokenUrl tokenizer pageToken page_token nextPageToken nextpagetoken nextPageTokens author authors authority',
  'authorizationUrl authorizationCode authenticated oauth key keys keyboard keyword monkey monkeys turnkey',
  'idempotencyKey publicKey cacheKeys keyValue value values accessKeyId apiKeySecurityScheme apiVersion access',
  'private passage compass bypass pass passenger passwordless secretary cookieConsent',
  // The conversation of 0.1, and of many frameworks: it opens nothing.
  'sessionId session_id adk_session_id sessionName session contextId taskId',
]);

test.each(SECRET)('%s names a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([...INNOCENT, ''])('%s names none', (name) => {
  expect(isSecretName(name)).toBe(false);
});

test.each([
  ['key', true],
  ['X-Goog-Signature', true],
  ['accesstoken', true],
  ['monkey', false],
  ['page', false],
])('the parameter %s of an address: %s', (name, isSecret) => {
  expect(isSecretParameter(name)).toBe(isSecret);
});

test.each(['key', 'Key', 'key_'])('%s a hundred thousand times is read, too', (piece) => {
  expect(isSecretName(piece.repeat(100_000))).toBe(false);
});
