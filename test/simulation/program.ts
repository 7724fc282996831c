import { Random } from './random.ts';

/** What a simulated handler does, one after the other. */
export type Action =
  | { readonly do: 'say'; readonly text: string }
  | {
      readonly do: 'chunk';
      readonly artifact: string;
      readonly text: string;
      readonly append: boolean;
      readonly last: boolean;
    }
  /** Some steps at once. */
  | { readonly do: 'steps'; readonly steps: readonly StepPlan[] }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'ask'; readonly question: QuestionPlan }
  /** Asks, and does something else meanwhile. */
  | { readonly do: 'ask and work'; readonly question: QuestionPlan; readonly step: StepPlan; readonly napMs: number }
  /** Asks, and speaks before it is answered. */
  | { readonly do: 'ask and say'; readonly question: QuestionPlan; readonly napMs: number }
  /** Goes on with whatever comes first: the answer, or the end of a sleep. */
  | { readonly do: 'race'; readonly question: QuestionPlan; readonly napMs: number }
  | { readonly do: 'inbox' }
  /** Something outside that takes time. */
  | { readonly do: 'work'; readonly ms: number; readonly heedsSignal: boolean };

export interface StepPlan {
  readonly name: string;
  readonly ms: number;
  readonly failures: number;
  readonly retries: number;
  readonly heedsSignal: boolean;
}

export interface QuestionPlan {
  readonly text: string;
  readonly isConfirmation: boolean;
  readonly ttlMs: number;
  /** Goes on if nobody answers. */
  readonly catches: boolean;
}

const ENDINGS = [
  'return',
  'return',
  'return',
  'text',
  'text',
  'throw',
  'reject',
  'reply',
  'turn',
  'turn',
  'fail',
  'hang',
  'chatter',
] as const;

export interface Program {
  readonly isGenerator: boolean;
  readonly actions: readonly Action[];
  readonly ending: (typeof ENDINGS)[number];
}

/**
 * The handler that a message asks for: chance decides, but the same text always gives the same program. Some say
 * something else at each attempt, which handlers should not do and engines must bear.
 */
export function programOf(text: string, attempt: number): Program {
  const random = new Random(text);
  const isGenerator = random.chance(0.6);
  const diverges = random.chance(0.12);
  const other = diverges ? new Random(`${text} ${attempt}`) : undefined;
  const actions: Action[] = [];
  for (let i = random.int(0, 6); i > 0; i--) {
    const action = randomAction(random, actions.length);
    if (other?.chance(0.2) === true) continue;
    if (action.do === 'race' && diverges) continue;
    const isOutput = action.do === 'say' || action.do === 'chunk';
    actions.push(isOutput && other?.chance(0.3) === true ? { ...action, text: `${action.text}'${attempt}` } : action);
  }
  return { isGenerator, actions, ending: random.pick(ENDINGS) };
}

function randomAction(random: Random, i: number): Action {
  const luck = random.int(1, 100);
  if (luck <= 22) return { do: 'say', text: `say ${i}` };
  if (luck <= 46) {
    const artifact = random.pick(['response', 'a', 'b']);
    return { do: 'chunk', artifact, text: `chunk ${i}.`, append: random.chance(0.8), last: random.chance(0.1) };
  }
  if (luck <= 64) {
    const steps = random.chance(0.2) ? [randomStep(random), randomStep(random)] : [randomStep(random)];
    return { do: 'steps', steps };
  }
  if (luck <= 72) return { do: 'sleep', ms: random.pick([0, 3, 40, 300]) };
  if (luck <= 84) return { do: 'ask', question: randomQuestion(random, i) };
  if (luck <= 87)
    return {
      do: 'ask and work',
      question: randomQuestion(random, i),
      step: randomStep(random),
      napMs: random.int(0, 60),
    };
  if (luck <= 89) return { do: 'ask and say', question: randomQuestion(random, i), napMs: random.int(0, 60) };
  if (luck <= 91) return { do: 'race', question: randomQuestion(random, i), napMs: random.int(0, 300) };
  if (luck <= 95) return { do: 'inbox' };
  return { do: 'work', ms: random.pick([0, 5, 60, 400]), heedsSignal: random.chance(0.6) };
}

function randomStep(random: Random): StepPlan {
  const failures = random.chance(0.8) ? 0 : random.int(1, 2);
  return {
    name: random.pick(['x', 'y', 'z']),
    ms: random.pick([0, 0, 10, 100]),
    failures,
    retries: random.chance(0.5) ? failures : 0,
    heedsSignal: random.chance(0.6),
  };
}

function randomQuestion(random: Random, i: number): QuestionPlan {
  return {
    text: `question ${i}`,
    isConfirmation: random.chance(0.3),
    ttlMs: random.pick([80, 600, 1500]),
    catches: random.chance(0.6),
  };
}
