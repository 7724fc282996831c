import { expect, test } from 'vitest';
import { readOptions } from './agent-options.ts';

const BASE = { name: 'Translator', description: 'Translates.', run: () => 'bonjour' } as const;

test('agent() reports every problem at once, with its path', () => {
  const options: unknown = {
    name: ' ',
    descripton: 'x',
    id: 'a/b',
    version: 1.0,
    skills: [
      { id: 'a', name: 'A', description: 'A', tag: [] },
      'skill',
      { id: 'a', name: '', examples: [1] },
      { id: 'm', name: 'M', description: 'M', inputModes: ['text'], outputModes: [] },
    ],
    tools: [{ name: 'x' }, { name: 'x' }, null, {}, { name: 'y', tags: 'z', description: 5 }],
    run: 'async',
    inputModes: 'text/plain',
    outputModes: ['*/json', 5],
    provider: { organisation: 'E', url: 'example.com' },
    documentationUrl: 'javascript:alert(1)',
    iconUrl: 'https://user:secret@example.com/icon.png',
    extensions: [
      { uri: 'x' },
      { uri: 'urn:a', required: 1, params: [] },
      { uri: 'urn:a', param: {} },
      3,
      { uri: 'urn:b,c' },
    ],
    timeout: 5,
    timeoutMs: Number.NaN,
    concurrency: 0,
    queue: -1,
    cancelGraceMs: '2s',
    maxAttempts: 1.5,
    recovery: 'retry',
    questionTtlMs: Infinity,
    maxPausedPerCaller: null,
    maxWaitMs: -1,
    maxOutputBytes: 0,
    maxTaskBytes: 2 ** 53,
    onDisconnect: false,
  };
  const message = fault(options);
  expect(message).not.toContain('secret');
  expect(message.split('\n')).toEqual([
    'Invalid options for agent():',
    '  - descripton: is not an option; did you mean description?',
    '  - timeout: is not an option; did you mean timeoutMs?',
    '  - name: expected a string such as "Translator", got a blank string',
    '  - description: is required: pass a string such as "Translates English into French."',
    '  - version: expected a string such as "1.0.0", got 1',
    '  - inputModes: expected an array of media types, got a string',
    '  - outputModes[0]: expected a media type such as "text/plain" or "image/*", got "*/json"',
    '  - outputModes[1]: expected a string such as "text/plain", got 5',
    '  - provider.organisation: is not an option; did you mean organization?',
    '  - provider.organization: is required: pass a string such as "Example"',
    '  - provider.url: expected an absolute URL that starts with https:// or http://',
    '  - documentationUrl: expected an absolute URL that starts with https:// or http://',
    '  - iconUrl: must not contain a user name or password',
    '  - extensions[0].uri: expected an absolute URI',
    '  - extensions[1].required: expected true or false, got 1',
    '  - extensions[1].params: expected an object of JSON values',
    '  - extensions[2].param: is not an option; did you mean params?',
    '  - extensions[2].uri: is a duplicate',
    "  - extensions[3]: expected an object such as { uri: 'https://example.com/extension' }, got 3",
    '  - extensions[4].uri: must not contain a comma, which separates URIs in the A2A-Extensions header',
    '  - timeoutMs: expected a number of milliseconds >= 1, got NaN',
    '  - concurrency: expected a whole number >= 1, got 0',
    '  - queue: expected a whole number >= 0, got -1',
    '  - cancelGraceMs: expected a number of milliseconds >= 0, got a string',
    '  - maxAttempts: expected a whole number >= 1, got 1.5',
    '  - recovery: expected "resume" or "fail", got "retry"',
    '  - questionTtlMs: expected a number of milliseconds >= 1, got Infinity',
    '  - maxPausedPerCaller: expected a whole number >= 0, got null',
    '  - maxWaitMs: expected a number of milliseconds >= 0, got -1',
    '  - maxOutputBytes: expected a whole number >= 1, got 0',
    '  - maxTaskBytes: expected a whole number >= 1, got 9007199254740992',
    '  - onDisconnect: expected "continue" or "cancel", got false',
    '  - id: expected 1 to 64 letters, digits, ".", "_" and "-", starting with a letter or digit',
    '  - run: expected an async function or generator such as async *run({ text }) { … }, got a string',
    '  - skills[0].tag: is not an option; did you mean tags?',
    "  - skills[1]: expected an object such as { id: 'translate', name: 'Translate', description: 'English to French' }, got a string",
    '  - skills[2].name: expected a string such as "Translate", got an empty string',
    '  - skills[2].description: is required: pass a string such as "Translates English into French."',
    '  - skills[2].examples[0]: expected a string, got 1',
    '  - skills[3].inputModes[0]: expected a media type such as "text/plain" or "image/*", got "text"',
    '  - skills[3].outputModes: must not be empty; leave it out to use the default',
    '  - skills[2].id: is already used by skills[0]; give each skill its own id',
    "  - tools[2]: expected an object such as { name: 'get_weather', description: 'Returns the weather of a city' }, got null",
    '  - tools[3].name: is required: pass a string such as "get_weather"',
    '  - tools[4].description: expected a string, got 5',
    '  - tools[4].tags: expected an array of strings, got a string',
    '  - tools[1].name: is already used by tools[0]; give each tool its own name',
  ]);
});

test.each<[unknown, string]>([
  [undefined, 'got undefined'],
  [null, 'got null'],
  ['Translator', 'got a string'],
  [[BASE], 'got an array'],
  [() => 'bonjour', 'got a function'],
])('agent() rejects %s instead of options', (options, message) => {
  expect(fault(options)).toBe(`agent() expects an object such as { name, description, run }, ${message}`);
});

test.each<[Record<string, unknown>, string]>([
  [{ run: undefined }, 'run: is required: pass an async function'],
  [{ handler: () => 1 }, 'handler: is not an option; did you mean run?'],
  [{ systemPrompt: 'secret' }, 'systemPrompt: is not an option; agent() does not call models; use it inside run'],
  [{ limits: {} }, 'limits: is not an option; pass its members'],
  [{ defaultInputModes: [] }, 'defaultInputModes: is not an option; did you mean inputModes?'],
  [{ NAME: 'x' }, 'NAME: is not an option; did you mean name?'],
  [{ zzz: 1 }, 'zzz: is not an option; known options: name, description,'],
  [{ toString: 1 }, 'toString: is not an option; known options:'],
  [{ name: '🤖' }, 'id: is required, because name has no letters or digits to derive it from'],
  [{ id: '' }, 'id: expected a string such as "translator", got an empty string'],
  [{ version: '1 0' }, 'version: expected 1 to 64 characters without spaces'],
  [{ inputModes: [] }, 'inputModes: must not be empty; leave it out to use the default'],
  [{ skills: {} }, 'skills: expected an array of skills, got an object'],
  [{ skills: Array(1) }, 'skills[0]: expected an object'],
  [{ tools: 'x' }, 'tools: expected an array of tools, or an object of tools by name, got a string'],
  [{ tools: { a: () => 1 } }, 'tools.a: expected an object'],
  [{ skills: [{}, {}] }, 'skills[1].id: is required'],
  [{ provider: null }, 'provider: expected an object'],
  [{ provider: { organization: 'E' } }, 'provider.url: is required'],
])('agent() rejects %j: %s', (wrong, message) => {
  const reported = fault({ ...BASE, ...wrong });
  expect(reported).toContain(`\n  - ${message}`);
  expect(reported).not.toContain('secret');
  expect(reported).not.toContain('again');
});

test('an optional extension has no member required on the card', () => {
  const extensions = [{ uri: 'urn:a', required: false }];
  expect(readOptions({ ...BASE, extensions }).card.extensions).toEqual([{ uri: 'urn:a' }]);
});

test('an option of agent() that is undefined has its default', () => {
  const unset = { id: undefined, version: undefined, skills: undefined, timeoutMs: undefined, provider: undefined };
  expect(readOptions({ ...BASE, ...unset })).toEqual(readOptions(BASE));
});

test('timeoutMs is rounded if a calculation leaves a fraction', () => {
  expect(readOptions({ ...BASE, timeoutMs: 0.1 * 3 * 1000 }).limits.timeoutMs).toBe(300);
});

test('runsPerCaller must be a whole number of at least 1, and has no default', () => {
  expect(readOptions(BASE).limits.runsPerCaller).toBeUndefined();
  expect(readOptions({ ...BASE, runsPerCaller: 3 }).limits.runsPerCaller).toBe(3);
  for (const runsPerCaller of [0, 1.5, '3']) {
    expect(() => readOptions({ ...BASE, runsPerCaller })).toThrow(/runsPerCaller: expected a whole number >= 1/);
  }
});

test('unknown members of a skill, provider or extension are rejected, without their values in the error', () => {
  const secret = 'TOP-SECRET';
  const skill = { id: 'a', name: 'A', description: 'A', systemPrompt: secret };
  const provider = { organization: 'E', url: 'https://example.com', apiKey: secret };
  const extensions = [{ uri: 'urn:a', apiKey: secret }];
  const reported = fault({ ...BASE, skills: [skill], provider, extensions });
  expect(reported).toContain('skills[0].systemPrompt: is not an option');
  expect(reported).toContain('provider.apiKey: is not an option');
  expect(reported).toContain('extensions[0].apiKey: is not an option');
  expect(reported).not.toContain(secret);
});

function fault(options: unknown): string {
  try {
    readOptions(options);
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
  throw new Error('The options were taken');
}
