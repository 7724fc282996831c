import { expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Runnable } from '../engine/runnable.ts';
import { type Agent, agent } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';

const BASE = { name: 'Translator', description: 'Translates.', run: () => 'bonjour' } as const;

test('agent() requires only a name, a description and a handler', () => {
  const translator = agent(BASE);
  const runnable: Runnable = translator;
  expect(runnable.id).toBe('translator');
  expect(translator.name).toBe('Translator');
  expect(translator.run).toBe(BASE.run);
  expect(translator.limits).toEqual(DEFAULT_LIMITS);
  expect(translator.card).toEqual({
    name: 'Translator',
    description: 'Translates.',
    version: '1.0.0',
    defaultInputModes: ['text/plain', 'application/json', '*/*'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'translator', name: 'Translator', description: 'Translates.', tags: ['translator'] }],
  });
});

test('every option of agent() takes effect', () => {
  const limits = {
    timeoutMs: 1,
    concurrency: 2,
    queue: 0,
    cancelGraceMs: 0,
    maxAttempts: 3,
    maxCrashes: 9,
    recovery: 'fail',
    questionTtlMs: 4,
    maxPausedPerCaller: 0,
    maxWaitMs: 0,
    maxOutputBytes: 5,
    maxTaskBytes: 6,
    onDisconnect: 'cancel',
    onUnfitAnswer: 'cancel-question',
    onMismatch: 'hold',
    keepJournal: 'whole',
  } as const;
  const card = {
    name: 'Translator',
    description: 'Translates.',
    version: '2.0.0-beta+7',
    provider: { organization: 'Example', url: 'https://example.com' },
    documentationUrl: 'https://example.com/docs',
    iconUrl: 'http://example.com/icon.png',
    extensions: [
      { uri: 'urn:example:a', description: 'A', required: true, params: { deep: [1, { x: null }] } },
      { uri: 'https://example.com/b' },
    ],
  };
  const skill = {
    id: 'fr',
    name: 'French',
    description: 'To French',
    tags: ['text', 'french'],
    examples: ['Good night'],
    inputModes: ['text/*'],
    outputModes: ['audio/ogg'],
  };
  const { defaultInputModes, defaultOutputModes } = { defaultInputModes: ['image/*'], defaultOutputModes: ['*/*'] };
  const made = agent({
    ...card,
    ...limits,
    id: 'T.1',
    skills: [skill],
    inputModes: defaultInputModes,
    outputModes: defaultOutputModes,
    run: BASE.run,
  });
  expect(made.id).toBe('T.1');
  expect(made.limits).toEqual(limits);
  const byName = { uri: 'urn:tandem-a2a:skill:1', description: 'A message may name its skill: metadata.skillId' };
  const extensions = [...card.extensions, byName];
  expect(made.card).toEqual({ ...card, extensions, skills: [skill], defaultInputModes, defaultOutputModes });
});

test('agent() accepts handlers of every kind', () => {
  const made = [
    agent({ ...BASE, run: (ctx) => ctx.text }),
    agent({ ...BASE, run: async ({ text }) => ({ artifact: 'a', text }) }),
    agent({
      ...BASE,
      async *run({ message, step }) {
        yield { status: 'working', text: 'Translating…' };
        yield { artifact: 'a.txt', text: await step('translate', () => message.text) };
      },
    }),
  ];
  expect(made).toHaveLength(3);
});

test('an agent accepts and outputs the media types of each of its skills', () => {
  const made = agent({
    ...BASE,
    inputModes: ['text/plain'],
    outputModes: ['text/plain'],
    skills: [
      { id: 'a', name: 'A', description: 'A', inputModes: ['image/png'] },
      { id: 'b', name: 'B', description: 'B', outputModes: ['audio/*'] },
    ],
  });
  const admit = (mediaType: string) =>
    made.admit({ messageId: 'm', role: 'ROLE_USER', parts: [{ raw: '', mediaType }] }, []);
  expect(() => admit('text/plain')).not.toThrow();
  expect(() => admit('image/png')).not.toThrow();
  expect(() => admit('audio/ogg')).toThrow('expected text/plain, image/png');
  expect(() => made.admitOutputModes(['audio/ogg'])).not.toThrow();
  expect(() => made.admitOutputModes(['image/png'])).toThrow('expected one or more of text/plain, audio/*');
  expect(made.declaresOutput('audio/ogg')).toBe(true);
  expect(made.declaresOutput('image/png')).toBe(false);
});

test('the id of an agent is derived from its name only', () => {
  const made = agent({ ...BASE, name: 'Mail Agent', version: '2', description: 'Other' });
  expect(made.id).toBe('mail-agent');
  expect(agent({ ...BASE, name: 'Mail Agent' }).id).toBe(made.id);
});

test('the card contains only the members that are meant for it', () => {
  const secret = 'TOP-SECRET';
  const made = make({
    name: 'A',
    description: 'A',
    [Symbol('prompt')]: secret,
    __proto__: { systemPrompt: secret, signatures: [secret], url: secret },
    skills: [Object.assign(Object.create({ prompt: secret }), { id: 'a', name: 'A', description: 'A' })],
    tools: {
      b: {
        __proto__: { prompt: secret, examples: [secret] },
        [Symbol('prompt')]: secret,
        prompt: secret,
        name: secret,
        inputSchema: { secret },
        parameters: { secret },
        examples: [secret],
        inputModes: [secret],
        metadata: { secret },
        toJSON: () => secret,
        execute: () => 'TOP-SECRET',
      },
      c: {
        type: 'function',
        prompt: secret,
        function: { name: 'c', description: 'C', strict: secret, parameters: secret },
      },
    },
    provider: Object.assign(Object.create({ email: secret }), {
      organization: 'E',
      url: 'https://example.com',
      [Symbol('key')]: secret,
    }),
    extensions: [
      Object.assign(Object.create({ key: secret }), { uri: 'urn:a', params: { [Symbol('key')]: secret, a: 1 } }),
    ],
    run: Object.assign(() => 'TOP-SECRET', { toJSON: () => secret }),
  });
  expect(JSON.stringify(made.card)).not.toContain(secret);
  expect(everything(made.card)).not.toContain(secret);
  expect(Object.keys(made.card).sort()).toEqual([
    'defaultInputModes',
    'defaultOutputModes',
    'description',
    'extensions',
    'name',
    'provider',
    'skills',
    'version',
  ]);
  expect(made.card.skills.map((skill) => Object.keys(skill))).toEqual(
    Array.from({ length: 3 }, () => ['id', 'name', 'description', 'tags']),
  );
});

test('later changes of the options do not change the agent', () => {
  const options = {
    ...BASE,
    timeoutMs: 5,
    inputModes: ['text/plain'],
    skills: [{ id: 'a', name: 'A', description: 'A', tags: ['x'] }],
    tools: [{ name: 'b', tags: ['y'] }],
    provider: { organization: 'E', url: 'https://example.com' },
    extensions: [{ uri: 'urn:a', params: { list: [1] } }],
  };
  const made = agent(options);
  const before = structuredClone({ card: made.card, limits: made.limits, id: made.id });
  Object.assign(options, { name: 'B', timeoutMs: 6 });
  options.inputModes.push('a/b');
  options.skills[0]?.tags.push('z');
  options.skills.pop();
  options.tools[0]?.tags.push('z');
  options.provider.organization = 'F';
  options.extensions[0]?.params.list.push(2);
  expect({ card: made.card, limits: made.limits, id: made.id }).toEqual(before);
});

test('an agent cannot be changed', () => {
  const made = agent({ ...BASE, extensions: [{ uri: 'urn:a', params: { list: [{}] } }], tools: [{ name: 'a' }] });
  expect(unfrozen(made)).toEqual([]);
});

test('agent() does not freeze its options', () => {
  const options = { ...BASE, tools: [{ name: 'a', tags: ['x'] }] };
  agent(options);
  expect(unfrozen(options)).toHaveLength(4);
});

/** As from plain JavaScript. */
function make(options: unknown): Agent {
  return agent(options as AgentOptions);
}

/** All strings that can be reached, by symbols and prototypes too. */
function everything(value: unknown): string {
  if (typeof value !== 'object' || value === null || value === Object.prototype || value === Array.prototype) {
    return String(value);
  }
  const members = Reflect.ownKeys(value).map((key) => String(key) + everything(Reflect.get(value, key)));
  return members.join() + everything(Object.getPrototypeOf(value));
}

function unfrozen(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Object.isFrozen(value) ? [] : [value]), ...Object.values(value).flatMap(unfrozen)];
}
