/** Processes of agents that call each other, on PostgreSQL: killed at fault points of a call, and started again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bundle, bundle } from '../crash/bundle.ts';
import { type Case, PAIRS, WHOLE_MATRIX } from '../crash/calls/cases.ts';
import { runScenario, runUntilKilled } from '../crash/calls/scenario.ts';
import { TestSchema } from './schemas.ts';

const TIMEOUT_MS = 120_000;
/** Writes and claims that only calls make, on one host and over HTTP. */
const POINTS = ['after-call', 'after-child-created', 'after-call-answered', 'after-called', 'after-child-canceled'];
const isChosen = ({ point, victim }: Case): boolean =>
  POINTS.includes(point) && victim === (POINTS.indexOf(point) % 2 === 0 ? 'all' : 'front');
const CASES = process.env['TANDEM_CALL_KILLS'] === 'whole' ? WHOLE_MATRIX : PAIRS.filter(isChosen);

const schemas = { front: new TestSchema(), others: new TestSchema() };
let built: Bundle | undefined;
beforeAll(async () => {
  built = await bundle(new URL('../crash/calls/host.ts', import.meta.url), 'postgres');
}, TIMEOUT_MS);
afterAll(async () => {
  built?.remove();
  await Promise.all([schemas.front.drop(), schemas.others.drop()]);
});

test.each(CASES.map(({ title, scenario }) => [title, scenario] as const))(
  'on PostgreSQL, %s',
  async (_, scenario) => {
    const { url } = schemas.front;
    const place = { postgres: { url, schemas: { front: schemas.front.name, others: schemas.others.name } } };
    const outcome = await runUntilKilled(scenario, async () => {
      await Promise.all([schemas.front.empty(), schemas.others.empty()]);
      return runScenario(built?.path ?? '', place, scenario);
    });
    expect(outcome).toEqual({ isKilled: true, problems: [] });
  },
  TIMEOUT_MS,
);
