import type { Ending, Scenario } from './scenario.ts';

/** Which process dies: the one of all agents, of the calling agent, of the called ones, or both at a point of the calling one. */
const VICTIMS = ['all', 'front', 'others', 'both'] as const;
type Victim = (typeof VICTIMS)[number];

/**
 * The fault points that a call reaches, and how often at least (up to 2) in a process of all agents, of the calling agent and of the
 * called ones: each when the question is answered, and when the task is canceled instead.
 */
const REACHED: Readonly<Record<string, readonly [number, number, number, number, number, number]>> = {
  'after-call': [2, 2, 2, 2, 2, 2],
  'after-call-claim': [2, 2, 2, 2, 2, 2],
  'after-child-created': [2, 2, 2, 2, 2, 2],
  'after-call-relayed': [1, 1, 1, 1, 0, 0],
  'after-call-answered': [2, 0, 1, 0, 1, 0],
  'after-called': [2, 1, 2, 1, 1, 0],
  'after-call-cancel': [1, 0, 1, 0, 0, 0],
  'after-child-canceled': [1, 2, 1, 1, 1, 1],
  'after-cancel-intent': [1, 2, 0, 1, 1, 2],
  'after-cancel-end': [1, 2, 0, 1, 1, 2],
  'before-commit': [2, 2, 2, 2, 2, 2],
  'after-commit': [2, 2, 2, 2, 2, 2],
  'after-create': [2, 2, 1, 1, 2, 2],
  'after-suspend': [2, 2, 2, 2, 2, 2],
  // Not yet with a cancel: about one run in six does not settle when the calling agent dies there.
  'after-question': [2, 2, 1, 0, 2, 2],
  'after-follow-up': [2, 0, 1, 0, 2, 0],
  'after-claim': [2, 2, 2, 1, 2, 1],
  'before-resume': [2, 2, 2, 1, 2, 1],
  'before-end': [2, 1, 1, 0, 2, 1],
  'after-end': [2, 1, 1, 0, 2, 1],
};

export const CALL_POINTS = Object.keys(REACHED);
/** The points that only calls reach: they are tested with every victim. */
const OWN_POINTS = CALL_POINTS.slice(0, 8);

export interface Case {
  readonly title: string;
  readonly point: string;
  readonly victim: Victim;
  readonly scenario: Scenario;
}

/** Every point with every victim, ending and occurrence. */
export const WHOLE_MATRIX: readonly Case[] = VICTIMS.flatMap((victim) =>
  CALL_POINTS.flatMap((point) =>
    (['answer', 'cancel'] as const).flatMap((ending) =>
      [1, 2]
        .filter((occurrence) => occurrence <= reached(point, victim, ending))
        .map((occurrence) => caseOf(point, victim, ending, occurrence)),
    ),
  ),
);

/**
 * Every point on one host and over HTTP, and those that only calls reach with every victim. Endings and occurrences alternate, so that
 * each pair of them with another property is among the cases.
 */
export const PAIRS: readonly Case[] = CALL_POINTS.flatMap((point, index) => {
  const isOwn = OWN_POINTS.includes(point);
  return VICTIMS.flatMap((victim, column) => {
    if (!isOwn && victim !== 'all' && (index + column) % 3 !== 0) return [];
    const own = WHOLE_MATRIX.filter((each) => each.point === point && each.victim === victim);
    const chosen = own[(index + column) % Math.max(own.length, 1)];
    return chosen === undefined ? [] : [chosen];
  });
});

function reached(point: string, victim: Victim, ending: Ending): number {
  const column = { all: 0, front: 2, others: 4, both: 2 }[victim];
  return REACHED[point]?.[ending === 'answer' ? column : column + 1] ?? 0;
}

function caseOf(point: string, victim: Victim, ending: Ending, occurrence: number): Case {
  const moment = { point, occurrence };
  const who = {
    all: 'the process of all agents is killed',
    front: 'the process of the calling agent is killed',
    others: 'the process of the called agents is killed',
    both: 'both processes are killed',
  }[victim];
  const when = `${point}, the ${occurrence === 1 ? 'first' : 'second'} time it is reached`;
  const title = `${ending === 'answer' ? 'a tree of calls completes' : 'a cancel reaches a tree of calls'} when ${who} at ${when}`;
  const scenario: Scenario = {
    layout: victim === 'all' ? 'siblings' : 'http',
    ending,
    ...(victim === 'others' ? { killOthers: moment } : { killFront: moment }),
    killsBoth: victim === 'both',
  };
  return { title, point, victim, scenario };
}
