import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { arbitraryOf, type Limits } from './arbitrary.ts';
import { compareRoundTrip, roundTrip, transmit } from './round-trip.ts';
import { spec10 } from './specs.ts';
import { modelSubjects, type Subject } from './subjects.ts';
import { typeNamed } from './shape.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import { dialects } from '../../src/wire/select.ts';

/** Random values of the model survive every dialect except for the listed losses. */

vi.setConfig({ testTimeout: 60_000 });

const { 'flat-task': _, ...official } = dialects;

/** The requirements of the model and of older cards beyond their types. */
function limitsOf({ version }: Dialect): Limits {
  const isFirst = version === '0.1';
  const interfaces = fc
    .tuple(
      fc.webUrl(),
      isFirst ? fc.constant('JSONRPC') : fc.constantFrom('JSONRPC', 'GRPC', 'https://example.com/binding'),
    )
    .map(([url, protocolBinding]) => ({ url, protocolBinding, protocolVersion: version }));
  return {
    'SendMessageRequest.message.role': fc.constant('ROLE_USER'),
    'ListTasksRequest.pageSize': fc.integer({ min: 1, max: 100 }),
    'AgentCard.supportedInterfaces': fc.uniqueArray(interfaces, {
      minLength: 1,
      maxLength: isFirst ? 1 : 3,
      selector: ({ url, protocolBinding }) => `${url} ${protocolBinding}`,
    }),
    // Schemes that the card does not describe. The tests of losses cover the others.
    'SecurityRequirement.schemes': fc.dictionary(
      fc.constantFrom('first', 'second', 'third'),
      fc.oneof(fc.constant({}), fc.record({ list: fc.array(fc.string(), { minLength: 1, maxLength: 2 }) })),
      { minKeys: 1, maxKeys: isFirst ? 1 : 3 },
    ),
    // Ids are unique within their task.
    'Task.artifacts': fc.uniqueArray(arbitraryOf(spec10, typeNamed('Artifact'), {}), {
      minLength: 1,
      maxLength: 3,
      selector: (artifact) => (artifact as { readonly artifactId: string }).artifactId,
    }),
  };
}

/** Codecs of the same type have the same members, so one of them is enough. */
function ofEachType(subjects: readonly Subject[]): [string, Subject][] {
  const byType = new Map(subjects.map((subject) => [JSON.stringify(subject.shape), subject]));
  return [...byType.values()].map((subject) => [`${subject.root.type} ${subject.root.member}`, subject]);
}

describe.each(Object.entries<Dialect>(official))('%s', (_name, dialect) => {
  const limits = limitsOf(dialect);

  test.each(ofEachType(modelSubjects(dialect)))(
    '%s: decode(encode(value)) is a random value without the listed losses',
    (_, subject) => {
      fc.assert(
        fc.property(arbitraryOf(spec10, subject.shape, limits), fc.boolean(), (value, closes) => {
          // The generator creates objects without a prototype, which the model does not have.
          const plain = transmit(value);
          const back = roundTrip(subject, 'write', plain, closes);
          expect(compareRoundTrip(subject, 'write', plain, back).unlisted).toEqual([]);
        }),
        { numRuns: 60 },
      );
    },
  );
});
