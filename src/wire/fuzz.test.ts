import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { arbitraryJson, arbitraryText } from '../../test/helpers/arbitrary-model.ts';
import { HOSTILE_POSITIONS, HOSTILE_JSON, arbitraryMutation } from '../../test/helpers/hostile-json.ts';
import { transmit } from '../../test/spec/round-trip.ts';
import { modelSamples } from '../../test/spec/samples.ts';
import { modelSubjects, populate } from '../../test/spec/subjects.ts';
import { A2AError } from '../errors.ts';
import type { JsonValue } from '../model/json.ts';
import { classifyCard, classifyPayload } from './classify.ts';
import type { Codec } from './codec.ts';
import { decode, type Dialect } from './dialect.ts';
import type { DecodeOptions, DecodeRole } from './decoder.ts';
import { dialects, repairs, selectRest, selectRpc } from './select.ts';

vi.setConfig({ testTimeout: 60_000 });

/** For any input, every decoder returns a value or throws an A2AError: it never throws another error and never hangs. */

type Mode = readonly [role: DecodeRole, options: DecodeOptions];

/** Requests and responses, decoded strictly and leniently with the repairs for known deviations. */
const MODES: readonly Mode[] = (['request', 'response'] as const).flatMap((role): Mode[] => [
  [role, { strict: true }],
  [role, { repairs }],
]);

function codecsOf({ operations, card, webhook }: Dialect): readonly Codec<unknown>[] {
  const calls = Object.values(operations) as readonly {
    readonly params: Codec<unknown>;
    readonly result: Codec<unknown>;
  }[];
  return [...calls.flatMap(({ params, result }) => [params, result]), card, webhook];
}

/** Decodes the JSON in the given modes and encodes each decoded value. @throws Any error except an A2AError. */
function feed(codecs: readonly Codec<unknown>[], json: unknown, modes: readonly Mode[] = MODES): void {
  for (const codec of codecs) {
    for (const [role, options] of modes) {
      try {
        JSON.stringify(codec.encode(decode(codec, json, role, options).value));
      } catch (error) {
        if (!A2AError.is(error)) throw error;
      }
    }
  }
}

describe.each(Object.entries<Dialect>(dialects))('%s', (_name, dialect) => {
  const codecs = codecsOf(dialect);

  test('any JSON is decoded or rejected', () => {
    fc.assert(
      fc.property(arbitraryJson, (json) => feed(codecs, json)),
      { numRuns: 100 },
    );
  });

  test.each(modelSubjects(dialect).map((subject) => [`${subject.root.type} ${subject.root.member}`, subject] as const))(
    '%s: mutated valid JSON is decoded or rejected',
    (_, subject) => {
      const written = populate(subject, modelSamples(dialect)).map(
        (value) => transmit(subject.encode(value)) as JsonValue,
      );
      fc.assert(
        fc.property(
          fc.constantFrom(...written),
          fc.array(arbitraryMutation, { minLength: 1, maxLength: 3 }),
          (json, all) => {
            feed(
              [subject.codec],
              all.reduce((now, mutate) => mutate(now), json),
            );
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  test.each(HOSTILE_JSON)('hostile JSON at any position is decoded or rejected: %s', (_, hostile) => {
    // The strictest and the most lenient mode are enough here.
    for (const place of HOSTILE_POSITIONS) feed(codecs, place(hostile), [MODES[0] as Mode, MODES[3] as Mode]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('a' in {}).toBe(false);
  });

  test('any error of a peer becomes an A2AError', () => {
    const { errors } = dialect;
    fc.assert(
      fc.property(fc.integer(), arbitraryText, arbitraryJson, fc.nat({ max: 600 }), (code, message, json, status) => {
        expect(A2AError.is(errors.decodeRpc({ code, message, data: json }))).toBe(true);
        for (const body of [
          json,
          { error: json },
          { code, message: json, details: json },
          { error: { code: json, data: json } },
        ]) {
          expect(A2AError.is(errors.decodeRest(status, body))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});

test('any call selects a dialect or fails with an A2AError', () => {
  const offer = { versions: ['1.0', '0.3', '0.2', '0.1'] } as const;
  fc.assert(
    fc.property(
      fc.oneof(arbitraryText, fc.constantFrom('tasks/send', 'message/send', 'SendMessage', '__proto__')),
      arbitraryJson,
      (method, json) => {
        for (const kind of ['absent', 'unknown'] as const) {
          const version = kind === 'absent' ? { kind } : { kind, text: method };
          expect(selectRpc(method, json, version, offer).dialect).toBeDefined();
          expect(selectRest('/v1', json, version, offer).dialect).toBeDefined();
          expect(selectRest('', { message: json }, version, offer).dialect).toBeDefined();
        }
        classifyPayload(json);
        classifyCard(json);
      },
    ),
  );
  for (const [, hostile] of HOSTILE_JSON) for (const place of HOSTILE_POSITIONS) classifyPayload(place(hostile));
});
