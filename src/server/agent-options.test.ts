import { expect, test } from 'vitest';
import { readOptions } from './agent-options.ts';

const BASE = { name: 'Translator', description: 'Translates.', run: () => 'bonjour' } as const;

test('whatever is wrong is told at once, each with its place', () => {
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
    'agent() cannot use these options:',
    '  - descripton: is not an option; did you mean description?',
    '  - timeout: is not an option; did you mean timeoutMs?',
    '  - name: must be a text such as "Translator", not a blank text',
    '  - description: is missing; give a text such as "Translates English into French."',
    '  - id: must be up to 64 letters, digits, ".", "_" and "-", and start with a letter or digit',
    '  - run: must not be a text; give an async function or generator like async *run({ text }) { … }',
    '  - skills[0].tag: is not an option; did you mean tags?',
    "  - skills[1]: must be an object like { id: 'translate', name: 'Translate', description: 'English to French' }, not a text",
    '  - skills[2].name: must be a text such as "Translate", not an empty text',
    '  - skills[2].description: is missing; give a text such as "Translates English into French."',
    '  - skills[2].examples[0]: must be a text, not 1',
    '  - skills[3].inputModes[0]: must be a media type such as "text/plain" or "image/*", not "text"',
    '  - skills[3].outputModes: must name a media type, or be left out',
    '  - skills[2].id: is that of skills[0] again; give each skill its own',
    "  - tools[2]: must be an object like { name: 'get_weather', description: 'Tells the weather of a city' }, not null",
    '  - tools[3].name: is missing; give a text such as "get_weather"',
    '  - tools[4].description: must be a text, not 5',
    '  - tools[4].tags: must be a list of words, not a text',
    '  - tools[1].name: is that of tools[0] again; give each tool its own',
    '  - version: must be a text such as "1.0.0", not 1',
    '  - provider.organisation: is not an option; did you mean organization?',
    '  - provider.organization: is missing; give a text such as "Example"',
    '  - provider.url: must be a whole address that starts with https:// or http://',
    '  - documentationUrl: must be a whole address that starts with https:// or http://',
    '  - iconUrl: must hold no user name or password: the card is public',
    '  - inputModes: must be a list of media types, not a text',
    '  - outputModes[0]: must be a media type such as "text/plain" or "image/*", not "*/json"',
    '  - outputModes[1]: must be a text such as "text/plain", not 5',
    '  - extensions[0].uri: must be a whole URI',
    '  - extensions[1].required: must be true or false, not 1',
    '  - extensions[1].params: must be an object of JSON values',
    '  - extensions[2].param: is not an option; did you mean params?',
    '  - extensions[2].uri: stands here a second time',
    "  - extensions[3]: must be an object like { uri: 'https://example.com/extension' }, not 3",
    '  - extensions[4].uri: must have no comma, which ends a URI in the header A2A-Extensions',
    '  - timeoutMs: must be a number of milliseconds, 1 or more, not NaN',
    '  - concurrency: must be a whole number, 1 or more, not 0',
    '  - queue: must be a whole number, 0 or more, not -1',
    '  - cancelGraceMs: must be a number of milliseconds, 0 or more, not a text',
    '  - maxAttempts: must be a whole number, 1 or more, not 1.5',
    '  - recovery: must be "resume" or "fail"',
    '  - questionTtlMs: must be a number of milliseconds, 1 or more, not Infinity',
    '  - maxPausedPerCaller: must be a whole number, 0 or more, not null',
    '  - maxWaitMs: must be a number of milliseconds, 0 or more, not -1',
    '  - maxOutputBytes: must be a whole number, 1 or more, not 0',
    '  - maxTaskBytes: must be a whole number, 1 or more, not 9007199254740992',
    '  - onDisconnect: must be "continue" or "cancel"',
  ]);
});

test.each<[unknown, string]>([
  [undefined, 'not undefined'],
  [null, 'not null'],
  ['Translator', 'not a text'],
  [[BASE], 'not a list'],
  [() => 'bonjour', 'not a function'],
])('%s instead of options is refused', (options, message) => {
  expect(fault(options)).toBe(`agent() takes an object like { name, description, run }, ${message}`);
});

test.each<[Record<string, unknown>, string]>([
  [{ run: undefined }, 'run: is missing; give an async function'],
  [{ handler: () => 1 }, 'handler: is not an option; did you mean run?'],
  [{ systemPrompt: 'secret' }, 'systemPrompt: is not an option; what is not for the card belongs into run'],
  [{ limits: {} }, 'limits: is not an option; give its members'],
  [{ defaultInputModes: [] }, 'defaultInputModes: is not an option; did you mean inputModes?'],
  [{ NAME: 'x' }, 'NAME: is not an option; did you mean name?'],
  [{ zzz: 1 }, 'zzz: is not an option; known are name, description,'],
  [{ toString: 1 }, 'toString: is not an option; known are'],
  [{ name: '🤖' }, 'id: is missing, and name has no letters to make it from'],
  [{ id: '' }, 'id: must be a text such as "translator", not an empty text'],
  [{ version: '1 0' }, 'version: must be up to 64 characters without spaces'],
  [{ inputModes: [] }, 'inputModes: must name a media type, or be left out'],
  [{ skills: {} }, 'skills: must be a list of skills, not an object'],
  [{ skills: Array(1) }, 'skills[0]: must be an object'],
  [{ tools: 'x' }, 'tools: must be a list of tools, or an object of tools by name, not a text'],
  [{ tools: { a: () => 1 } }, 'tools.a: must be an object'],
  [{ skills: [{}, {}] }, 'skills[1].id: is missing'],
  [{ provider: null }, 'provider: must be an object'],
  [{ provider: { organization: 'E' } }, 'provider.url: is missing'],
])('%j is refused: %s', (wrong, message) => {
  const told = fault({ ...BASE, ...wrong });
  expect(told).toContain(`\n  - ${message}`);
  expect(told).not.toContain('secret');
  expect(told).not.toContain('again');
});

test('an extension that is not required does not say so', () => {
  const extensions = [{ uri: 'urn:a', required: false }];
  expect(readOptions({ ...BASE, extensions }).card.extensions).toEqual([{ uri: 'urn:a' }]);
});

test('an option that is undefined is not set', () => {
  const unset = { id: undefined, version: undefined, skills: undefined, timeoutMs: undefined, provider: undefined };
  expect(readOptions({ ...BASE, ...unset })).toEqual(readOptions(BASE));
});

test('a time may have a rest from its calculation', () => {
  expect(readOptions({ ...BASE, timeoutMs: 0.1 * 3 * 1000 }).limits.timeoutMs).toBe(300);
});

test('runsPerCaller is a whole number from 1 on, and is not set by default', () => {
  expect(readOptions(BASE).limits.runsPerCaller).toBeUndefined();
  expect(readOptions({ ...BASE, runsPerCaller: 3 }).limits.runsPerCaller).toBe(3);
  for (const runsPerCaller of [0, 1.5, '3']) {
    expect(() => readOptions({ ...BASE, runsPerCaller })).toThrow(/runsPerCaller: must be a whole number, 1 or more/);
  }
});

test('what is planted in a skill, a provider or an extension is refused, and its value not told', () => {
  const secret = 'TOP-SECRET';
  const skill = { id: 'a', name: 'A', description: 'A', systemPrompt: secret };
  const provider = { organization: 'E', url: 'https://example.com', apiKey: secret };
  const extensions = [{ uri: 'urn:a', apiKey: secret }];
  const told = fault({ ...BASE, skills: [skill], provider, extensions });
  expect(told).toContain('skills[0].systemPrompt: is not an option');
  expect(told).toContain('provider.apiKey: is not an option');
  expect(told).toContain('extensions[0].apiKey: is not an option');
  expect(told).not.toContain(secret);
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
