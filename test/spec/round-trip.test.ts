import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { arbitraryOf, type Limits } from './arbitrary.ts';
import { judge, roundTrip, transmit } from './round-trip.ts';
import { spec10 } from './specs.ts';
import { modelSubjects, type Subject } from './subjects.ts';
import { typeNamed } from './shape.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import { dialects } from '../../src/wire/select.ts';

/** Random values of the model survive every dialect but for the listed losses, whatever is in them. */

vi.setConfig({ testTimeout: 60_000 });

const { 'flat-task': _, ...official } = dialects;

/** What the model and the older cards want beyond the types. */
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
    // Schemes that the card does not describe: what becomes of the others is for the tests of the losses.
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

/** Codecs of one type are one codec in different places. */
function ofEachType(subjects: readonly Subject[]): [string, Subject][] {
  const byType = new Map(subjects.map((subject) => [JSON.stringify(subject.shape), subject]));
  return [...byType.values()].map((subject) => [`${subject.root.type} ${subject.root.member}`, subject]);
}

describe.each(Object.entries<Dialect>(official))('%s', (_name, dialect) => {
  const limits = limitsOf(dialect);

  test.each(ofEachType(modelSubjects(dialect)))('%s', (_, subject) => {
    fc.assert(
      fc.property(arbitraryOf(spec10, subject.shape, limits), fc.boolean(), (value, closes) => {
        // Objects without a prototype, which the generator likes, are not what the model is made of.
        const plain = transmit(value);
        const back = roundTrip(subject, 'write', plain, closes);
        expect(judge(subject, 'write', plain, back).unlisted).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
