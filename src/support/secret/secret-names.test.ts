import { expect, test } from 'vitest';
import { isSecretName, isSecretParameter, isTokenCount } from './secret-names.ts';

const words = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '));

const SECRET = words([
  'password passwords dbPassword userpassword passwordHash passwd pwd passcode passcodes passphrase passphrases',
  'secret clientSecret client_secrets clientsecret secretKey secretkey credentials awscredentials credential_file',
  'token tokens githubToken accessToken access_tokens accesstoken accesstokens REFRESHTOKEN tokenValue tokenvalue',
  'token_values access-token-value idToken inputToken sessionToken jwt apiKey apikey apiKeys api_keys apikeys',
  'X-API-Key APIKeys openaiApiKeys privateKey privatekey privateKeys PRIVATE_KEY signingKey signingkey',
  'signingKeys accesskey encryptionkeys sshKey masterKey auth authorization authorizations Proxy-Authorization',
  'cookie Set-Cookie sessioncookies pass dbPass smtp_pass pin cardPin pinCode otp otpCode totp_code passwort Passwort',
  'kennwort adminPasswort walletMnemonic mnemonics sentryDsn DSN',
  // Full-width letters, a zero-width space, a soft hyphen.
  'ｐａｓｓｗｏｒｄ to\u200Bken api\u00ADKey',
]);

const INNOCENT = words([
  'maxTokens max_tokens maxtokens totalTokens inputTokens output_tokens promptTokens completion_tokens',
  'cachedTokens reasoningTokens cache_creation_input_tokens tokenCount tokensUsed tokenUsage tokenLimit tokenType',
  'tokenUrl tokenizer pageToken page_token nextPageToken nextpagetoken nextPageTokens author authors authority',
  'authorizationUrl authorizationCode authenticated oauth key keys keyboard keyword monkey monkeys turnkey',
  'idempotencyKey publicKey cacheKeys keyValue value values accessKeyId apiKeySecurityScheme apiVersion access',
  'private passage compass bypass boardingPass passes pinned gpioPin mapPin passenger passwordless secretary cookieConsent',
  // Names a conversation in 0.1 and in many frameworks, and is not a secret.
  // Sampling seeds, signatures and codes that are not secrets.
  'seed signature hmac sid errorCode countryCode',
  'sessionId session_id adk_session_id sessionName session contextId taskId',
]);

test.each(SECRET)('%s names a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([...INNOCENT, ''])('%s does not name a secret', (name) => {
  expect(isSecretName(name)).toBe(false);
});

test.each([
  ['key', true],
  ['X-Goog-Signature', true],
  ['accesstoken', true],
  ['monkey', false],
  ['page', false],
])('the URL parameter %s is secret: %s', (name, isSecret) => {
  expect(isSecretParameter(name)).toBe(isSecret);
});

test.each(['token', 'password'])('a name of more than 256 characters that ends in %s is not analysed', (word) => {
  expect(isSecretName(`${'x'.repeat(248)}_${word}`.slice(-256))).toBe(true);
  expect(isSecretName(`${'x'.repeat(256)}_${word}`)).toBe(false);
});

test.each([
  ['tokens', true],
  ['maxTokens', true],
  ['outputToken', true],
  ['token', false],
  ['accessToken', false],
  ['pin', false],
])('a number called %s counts tokens: %s', (name, isCount) => {
  expect(isTokenCount(name)).toBe(isCount);
});
