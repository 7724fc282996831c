import { expect, test, vi } from 'vitest';
import { decode } from '../dialect.ts';
import { securitySchemes } from './security.ts';

const BEARER = { httpAuthSecurityScheme: { scheme: 'bearer' } };

function strangeSchemes(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`strange-${i}`, { unheardOfSecurityScheme: {} }]));
}

test('unknown kinds of schemes in the card of a server are omitted with a warning', () => {
  const { value, warnings } = decode(securitySchemes, { ...strangeSchemes(2), http: BEARER }, 'response');
  expect(value).toEqual({ http: BEARER });
  expect(warnings).toMatchObject([
    { code: 'security-scheme-unknown', field: 'strange-0' },
    { code: 'security-scheme-unknown', field: 'strange-1' },
  ]);
  expect(() => decode(securitySchemes, strangeSchemes(1), 'request')).toThrow('expected exactly one of');
});

const SEARCHES = ['includes', 'indexOf', 'lastIndexOf', 'find', 'findIndex', 'some', 'every', 'filter'] as const;

/** The number of elements in the lists that are searched while `work` runs, as a bound for the cost. */
function searched(work: () => unknown): number {
  let elements = 0;
  const spies = SEARCHES.map((name) => {
    const search = Array.prototype[name] as (this: readonly unknown[], ...args: unknown[]) => unknown;
    return vi.spyOn(Array.prototype, name as 'includes').mockImplementation(function (
      this: readonly unknown[],
      ...args
    ) {
      elements += this.length;
      return search.apply(this, args) as boolean;
    });
  });
  try {
    work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return elements;
}

test('the work for unknown schemes grows linearly with their number', () => {
  const costOf = (count: number): number => {
    const json = strangeSchemes(count);
    return searched(() => decode(securitySchemes, json, 'response'));
  };
  expect(costOf(500)).toBeGreaterThanOrEqual(500);
  expect(costOf(1000)).toBeLessThanOrEqual(2 * costOf(500));
});
