import { expect, test } from 'vitest';
import type { JsonValue } from './json.ts';
import { type AnswerSchema, answerProblems, assertAnswerSchema, valueFromText } from './answer-schema.ts';

const ADDRESS: AnswerSchema = {
  type: 'object',
  title: 'Address',
  description: 'Where to?',
  properties: {
    street: { type: 'string', minLength: 2, maxLength: 40 },
    number: { type: 'integer', minimum: 1, maximum: 999 },
    tags: { type: 'array', items: { enum: ['home', 'work'] }, minItems: 1, maxItems: 2 },
    code: { type: 'string', pattern: '^[A-Z]{2}$', format: 'country', default: 'DE' },
  },
  required: ['street'],
  additionalProperties: false,
};

test('a schema of every keyword is taken', () => {
  expect(() => assertAnswerSchema({ ...ADDRESS, const: {}, enum: [{}] })).not.toThrow();
  expect(() => assertAnswerSchema({ type: 'string', title: undefined })).not.toThrow();
});

test.each<[unknown, string]>([
  [undefined, 'schema must be an object'],
  ['string', 'schema must be an object'],
  [[], 'schema must be an object'],
  [new Date(), 'schema must be an object'],
  [Object.create({ type: 'string' }), 'schema must be an object'],
  [{ $ref: '#/x' }, 'schema.$ref is not a supported keyword'],
  [{ oneOf: [] }, 'schema.oneOf is not a supported keyword'],
  [JSON.parse('{"__proto__": {}}'), 'schema.__proto__ is not a supported keyword'],
  [{ constructor: 1 }, 'schema.constructor is not a supported keyword'],
  [{ properties: { a: { properties: { b: { minLenght: 1 } } } } }, 'schema.properties.a.properties.b.minLenght is not'],
  [{ items: { typ: 'string' } }, 'schema.items.typ is not a supported keyword'],
  [{ items: [{}] }, 'schema.items must be an object'],
  [{ type: 'text' }, 'schema.type must be one of string, number'],
  [{ type: ['string', 'null'] }, 'schema.type must be one of'],
  [{ title: 1 }, 'schema.title must be a string'],
  [{ enum: [] }, 'schema.enum must be a list of JSON values'],
  [{ enum: 'ab' }, 'schema.enum must be a list of JSON values'],
  [{ enum: [() => 1] }, 'schema.enum must be a list of JSON values'],
  [{ const: Number.NaN }, 'schema.const must be a JSON value'],
  [{ default: new Map() }, 'schema.default must be a JSON value'],
  [{ properties: [] }, 'schema.properties must be an object of schemas'],
  [{ properties: { a: true } }, 'schema.properties.a must be an object'],
  [{ required: 'a' }, 'schema.required must be a list of names'],
  [{ properties: { a: {} }, required: ['a', 'b'] }, 'schema.required names "b", which is not in properties'],
  [{ properties: {}, required: ['toString'] }, 'schema.required names "toString"'],
  [{ additionalProperties: {} }, 'schema.additionalProperties must be true or false'],
  [{ minItems: -1 }, 'schema.minItems must be a whole number'],
  [{ maxItems: 1.5 }, 'schema.maxItems must be a whole number'],
  [{ minLength: '1' }, 'schema.minLength must be a whole number'],
  [{ maximum: Infinity }, 'schema.maximum must be a number'],
  [{ minimum: 2, maximum: 1 }, 'schema.minimum must not be greater than maximum'],
  [{ minLength: 2, maxLength: 1 }, 'schema.minLength must not be greater than maxLength'],
  [{ minItems: 2, maxItems: 1 }, 'schema.minItems must not be greater than maxItems'],
  [{ pattern: '(' }, 'schema.pattern must be a regular expression'],
  [{ pattern: /a/u }, 'schema.pattern must be a regular expression, as a string'],
  [{ const: 'a', enum: ['b'] }, 'schema.const must be one of the values in enum'],
  [{ type: 'string', enum: [1, 2] }, 'schema has no choice of type string'],
])('the schema %j is rejected with the path of its problem', (schema, message) => {
  expect(() => assertAnswerSchema(schema)).toThrow(TypeError);
  expect(() => assertAnswerSchema(schema)).toThrow(message);
});

test('a schema that contains itself is rejected', () => {
  const schema = { properties: {} as Record<string, unknown> };
  schema.properties['self'] = schema;
  expect(() => assertAnswerSchema(schema)).toThrow('deeper than 32 levels');
});

test('a default that contains itself is rejected', () => {
  const value: unknown[] = [];
  value.push(value);
  expect(() => assertAnswerSchema({ default: value })).toThrow('schema.default must be a JSON value');
});

test('schemas that are shared at every level do not multiply for ever', () => {
  let schema: AnswerSchema = {};
  for (let i = 0; i < 30; i++) schema = { properties: { a: schema, b: schema } };
  expect(() => assertAnswerSchema(schema)).toThrow('exceeds the limit of 1000 schemas');
});

test('many schemas beside each other do not count as deep', () => {
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, {}]));
  expect(() => assertAnswerSchema({ properties })).not.toThrow();
});

test.each<[AnswerSchema, JsonValue]>([
  [{}, null],
  [ADDRESS, { street: 'Elm St', number: 7, tags: ['home'], code: 'DE' }],
  [{ type: 'integer' }, 3.0],
  [{ type: 'number' }, 1.5],
  [{ type: 'null' }, null],
  [{ type: 'boolean' }, false],
  [{ const: { a: [1, { b: null }] } }, { a: [1, { b: null }] }],
  [{ enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 }],
  [{ minimum: 1 }, 1],
  [{ maximum: 1 }, 1],
  [{ minLength: 2, maxLength: 2 }, '👍👍'],
  [{ minimum: 5, minLength: 5, minItems: 5 }, true],
  [{ pattern: '^.$' }, '👍'],
  [{ format: 'email' }, 'not an address'],
  [{ properties: { a: { type: 'string' } } }, { b: 1 }],
  [{ required: ['__proto__'] }, JSON.parse('{"__proto__": 1}')],
])('by %j, %j is an answer', (schema, value) => {
  assertAnswerSchema(schema);
  expect(answerProblems(schema, value)).toEqual([]);
});

test.each<[AnswerSchema, JsonValue, string, string]>([
  [{ type: 'string' }, 1, 'answer', 'expected a string; got 1'],
  [{ type: 'integer' }, 1.5, 'answer', 'expected an integer; got 1.5'],
  [{ type: 'integer' }, '1', 'answer', 'expected an integer; got "1"'],
  [{ type: 'number' }, null, 'answer', 'expected a number; got null'],
  [{ type: 'object' }, [], 'answer', 'expected an object; got an array'],
  [{ type: 'object' }, null, 'answer', 'expected an object; got null'],
  [{ type: 'array' }, {}, 'answer', 'expected an array; got an object'],
  [{ type: 'null' }, 0, 'answer', 'expected null; got 0'],
  [{ enum: ['S', 'M'] }, 's', 'answer', 'expected one of "S", "M"; got "s"'],
  [{ const: 1 }, '1', 'answer', 'expected 1; got "1"'],
  [{ const: { a: 1 } }, { a: 1, b: 2 }, 'answer', 'expected {"a":1}; got an object'],
  [{ const: { a: null } }, { b: null }, 'answer', 'expected {"a":null}; got an object'],
  [{ const: [1, null] }, [1], 'answer', 'expected [1,null]; got an array'],
  [{ const: [1] }, [1, 2], 'answer', 'expected [1]; got an array'],
  [{ const: [] }, {}, 'answer', 'expected []; got an object'],
  [{ const: {} }, [], 'answer', 'expected {}; got an array'],
  [{ minimum: 1 }, 0.9, 'answer', 'expected 1 or more; got 0.9'],
  [{ maximum: 1 }, 1.1, 'answer', 'expected 1 or less; got 1.1'],
  [{ minLength: 3 }, '👍👍', 'answer', 'expected 3 or more characters; got "👍👍"'],
  [{ maxLength: 1 }, '👍👍', 'answer', 'expected 1 or fewer characters; got "👍👍"'],
  [{ minItems: 1 }, [], 'answer', 'expected 1 or more items; got an array'],
  [{ maxItems: 1 }, [1, 2], 'answer', 'expected 1 or fewer items; got an array'],
  [{ pattern: '^a+$' }, 'ab', 'answer', 'expected a text that matches ^a+$; got "ab"'],
  [{ format: 'email', pattern: '@acme$' }, 'ab', 'answer', 'expected an email address that matches @acme$; got "ab"'],
  [
    { format: 'date', pattern: `^(?:${'\\d{4}'.repeat(10)})$` },
    'ab',
    'answer',
    'expected a date such as 2026-05-01; got "ab"',
  ],
  [{ pattern: 'a' }, 'a'.repeat(10_001), 'answer', `expected a text that matches a; got "${'a'.repeat(63)}…`],
  [{ items: { type: 'string' } }, ['a', null], 'answer[1]', 'expected a string; got null'],
  [ADDRESS, {}, 'answer.street', 'expected a value; got none'],
  [ADDRESS, { street: 'Elm St', tags: ['home', 'x'] }, 'answer.tags[1]', 'expected one of "home", "work"; got "x"'],
  [ADDRESS, { street: 'Elm St', colour: 'red' }, 'answer.colour', 'expected no member of this name; got "red"'],
  [ADDRESS, { street: 'Elm St', constructor: 1 }, 'answer.constructor', 'expected no member of this name; got 1'],
  [
    ADDRESS,
    JSON.parse('{"street": "Elm St", "__proto__": {}}'),
    'answer.__proto__',
    'expected no member of this name; got an object',
  ],
  [{ required: ['constructor'] }, {}, 'answer.constructor', 'expected a value; got none'],
  [
    { properties: { constructor: { type: 'string' } as AnswerSchema } },
    { constructor: 1 },
    'answer.constructor',
    'expected a string; got 1',
  ],
  [
    { additionalProperties: false },
    { ['x'.repeat(99)]: 1 },
    `answer.${'x'.repeat(64)}…`,
    'expected no member of this name; got 1',
  ],
])('the schema %j rejects the answer %j', (schema, value, field, description) => {
  assertAnswerSchema(schema);
  expect(answerProblems(schema, value)).toEqual([{ field, description }]);
});

test('all problems are reported at once, up to twenty', () => {
  expect(answerProblems(ADDRESS, { street: 'x', number: 0, tags: [], code: 'de' }).map(({ field }) => field)).toEqual([
    'answer.street',
    'answer.number',
    'answer.tags',
    'answer.code',
  ]);
  expect(
    answerProblems(
      { items: { type: 'string' } },
      Array.from({ length: 99 }, () => 1),
    ),
  ).toHaveLength(20);
  const required = Array.from({ length: 99 }, (_, i) => `p${i}`);
  expect(answerProblems({ required }, {})).toHaveLength(20);
  const stray = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`p${i}`, 1]));
  expect(answerProblems({ additionalProperties: false }, stray)).toHaveLength(20);
});

test('an answer deeper than the schema is only read as far as the schema goes', () => {
  let value: JsonValue = 1;
  for (let i = 0; i < 100_000; i++) value = [value];
  expect(answerProblems({ type: 'array', items: { const: [[2]] } }, value)).toEqual([
    { field: 'answer[0]', description: 'expected [[2]]; got an array' },
  ]);
});

test.each<[AnswerSchema, string, JsonValue]>([
  [{}, ' as it is ', ' as it is '],
  [{ type: 'string' }, '42', '42'],
  [{ type: 'number' }, ' -1.5e3\n', -1500],
  [{ type: 'number' }, '.5', 0.5],
  [{ type: 'number' }, '7.', 7],
  [{ type: 'integer' }, '+42', 42],
  [{ type: 'integer' }, '2.0', 2],
  [{ type: 'boolean' }, ' YES ', true],
  [{ type: 'boolean' }, 'True', true],
  [{ type: 'boolean' }, 'no', false],
  [{ type: 'boolean' }, 'FALSE', false],
  [{ type: 'null' }, 'Null', null],
  [{ type: 'object' }, ' {"a": [1]} ', { a: [1] }],
  [{ type: 'array' }, '[1, null]', [1, null]],
  [{ properties: {} }, '{}', {}],
  [{ required: [] }, '{}', {}],
  [{ items: {} }, '[]', []],
  [{ enum: ['Small', 'Large'] }, ' large ', 'Large'],
  [{ enum: [' padded '] }, 'PADDED', ' padded '],
  [{ enum: ['a', 'A'] }, 'A', 'A'],
  [{ enum: [1, 2, '2'] }, '1', 1],
  [{ enum: [1, 2, '2'] }, '2', '2'],
  [{ enum: [true, false] }, 'yes', true],
  [{ enum: [null, 'x'] }, 'NULL', null],
  [{ enum: [{ a: 1 }, { a: 2 }] }, '{"a":2}', { a: 2 }],
  [{ const: 'OK' }, 'ok', 'OK'],
  [{ const: null }, 'null', null],
])('by %j, the text %j is understood', (schema, text, value) => {
  assertAnswerSchema(schema);
  expect(valueFromText(schema, text)).toEqual(value);
});

test.each<[AnswerSchema, string]>([
  [{ type: 'number' }, ''],
  [{ type: 'number' }, 'NaN'],
  [{ type: 'number' }, 'Infinity'],
  [{ type: 'number' }, '1e999'],
  [{ type: 'number' }, '0x10'],
  [{ type: 'number' }, '1,5'],
  [{ type: 'number' }, '.'],
  [{ type: 'integer' }, '1.5'],
  [{ type: 'integer' }, '12345678901234567890'],
  [{ type: 'boolean' }, 'maybe'],
  [{ type: 'boolean' }, 'constructor'],
  [{ type: 'boolean' }, ''],
  [{ type: 'null' }, ''],
  [{ type: 'object' }, '[]'],
  [{ type: 'object' }, 'null'],
  [{ type: 'object' }, '{"a":'],
  [{ type: 'array' }, '{}'],
  [{ type: 'array' }, '[1] and more'],
  [{ type: 'array' }, '['.repeat(65) + ']'.repeat(65)],
  [{ enum: ['S', 'M'] }, 'XL'],
  [{ enum: ['aB', 'Ab'] }, 'ab'],
  [{ enum: [true] }, 'no'],
  [{ const: 1 }, '2'],
])('by %j, the text %j stands for nothing', (schema, text) => {
  expect(valueFromText(schema, text)).toBeUndefined();
});

test('JSON text cannot reach a prototype', () => {
  const value = valueFromText({ type: 'object' }, '{"__proto__": {"polluted": true}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(value).not.toHaveProperty('polluted');
});

test('a long text costs no more than its length', () => {
  const digits = `${'1'.repeat(1_000_000)}x`;
  expect(valueFromText({ type: 'number' }, digits)).toBeUndefined();
  expect(valueFromText({ type: 'number' }, `${' '.repeat(1_000_000)}x`)).toBeUndefined();
});
