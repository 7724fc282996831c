import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseJsonSchema } from './json-schema.ts';
import { Populator } from './populate.ts';
import { parseProto } from './proto-file.ts';
import { membersOf, typeNamed } from './shape.ts';
import { spec10, SPECS } from './specs.ts';

const FILES = {
  'a2a-v1.0.proto': 'e195bf96ab630c69797851970203e1b2b6b19528f2e9803b7d904b91a5104016',
  'a2a-v0.3.proto': '012d8072227377f7e0d2dbafc13f85359c566bcb3bb5c2621d72e667b1eb3f40',
  'a2a-v0.3.schema.json': '97d6e2435336836cd1d41dffacf83a1a97902b62b826ef14ec5704db85c95f17',
  'a2a-v0.2.6.schema.json': '4f87e017844f4cb83517887c9d989d268db8490e8b6a373d00148b48181d5546',
};

const read = (file: string): string => readFileSync(new URL(`normative/${file}`, import.meta.url), 'utf8');

test.each(Object.entries(FILES))('the normative file %s is the published one', (file, digest) => {
  expect(createHash('sha256').update(read(file)).digest('hex')).toBe(digest);
});

test.each(['a2a-v1.0.proto', 'a2a-v0.3.proto'])(
  'the proto parser reads every message, field and method of %s',
  (file) => {
    const text = read(file).replace(/\/\/.*$/gm, '');
    const { types, calls } = parseProto(text);
    expect([...types.keys()]).toEqual([...text.matchAll(/^message (\w+)/gm)].map(([, name]) => name));
    expect(calls.map(({ method }) => method)).toEqual([...text.matchAll(/\brpc (\w+)/g)].map(([, name]) => name));
    // Fields and values of enums have numbers; values of enums start with a capital letter.
    const fields = [...text.matchAll(/\b([a-z]\w*)\s*=\s*\d+\s*[;[]|\b([a-z]\w*) = \d+$/gm)];
    expect([...types.values()].flat()).toHaveLength(fields.length);
  },
);

test('the proto parser reads names, types and presence of fields', () => {
  const { types } = parseProto(`
    message Whole {
      string some_name = 1 [(google.api.field_behavior) = REQUIRED];
      optional int32 page_size = 2;
      repeated Half halves = 3; // not this: string x = 4;
      map<string, Half> by_name = 4;
      oneof content { bytes raw = 5; google.protobuf.Value data = 6; }
      Colour colour = 7 [json_name = "color"];
    }
    message Half { google.protobuf.Struct metadata = 1; }
    enum Colour { RED = 0; BLUE = 1; }
  `);
  const half = typeNamed('Half');
  expect(types.get('Whole')).toEqual([
    { name: 'someName', shape: { kind: 'string' }, presence: 'required' },
    { name: 'pageSize', shape: { kind: 'integer' }, presence: 'optional' },
    { name: 'halves', shape: { kind: 'list', item: half }, presence: 'defaulted' },
    { name: 'byName', shape: { kind: 'map', item: half }, presence: 'defaulted' },
    { name: 'raw', shape: { kind: 'bytes' }, presence: 'optional', oneOf: 'content' },
    { name: 'data', shape: { kind: 'any' }, presence: 'optional', oneOf: 'content' },
    { name: 'color', shape: { kind: 'word', stringEnum: ['RED', 'BLUE'] }, presence: 'defaulted' },
  ]);
});

test('the proto parser rejects unknown syntax', () => {
  expect(() => parseProto('service S { rpc A(B) gives (C); }')).toThrow('expected returns');
});

test.each(['a2a-v0.3.schema.json', 'a2a-v0.2.6.schema.json'])(
  'the schema parser reads every object and property of %s',
  (file) => {
    const { definitions } = JSON.parse(read(file)) as { definitions: Record<string, { properties?: object }> };
    const { types } = parseJsonSchema(read(file));
    for (const [name, { properties }] of Object.entries(definitions)) {
      if (properties !== undefined)
        expect(types.get(name)?.map((member) => member.name)).toEqual(Object.keys(properties));
    }
  },
);

test('the card of 0.3 adds only signatures to that of 0.2.6, and 0.3 has one more method', () => {
  const names = (spec: typeof SPECS.v03, type: string): string[] => membersOf(spec, type).map(({ name }) => name);
  const added = names(SPECS.v03, 'AgentCard').filter((name) => !names(SPECS.v02, 'AgentCard').includes(name));
  expect(added).toEqual(['signatures']);
  expect(SPECS.v03.calls).toHaveLength(SPECS.v02.calls.length + 1);
});

test('all texts of a test value with every member differ', () => {
  for (const type of ['SendMessageRequest', 'Task', 'ListTasksResponse', 'TaskPushNotificationConfig']) {
    const [value] = new Populator(spec10).values(typeNamed(type));
    const texts = JSON.stringify(value).match(/"[a-zA-Z]+-\d+"/g) ?? [];
    expect(texts.length).toBeGreaterThan(4);
    expect(new Set(texts).size).toBe(texts.length);
  }
});
