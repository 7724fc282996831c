import { Random } from './random.ts';

/** One action of a simulated handler. */
export type Action =
  | { readonly do: 'say'; readonly text: string }
  | {
      readonly do: 'chunk';
      readonly artifact: string;
      readonly text: string;
      readonly append: boolean;
      readonly last: boolean;
    }
  /** Some concurrent steps. */
  | { readonly do: 'steps'; readonly steps: readonly StepPlan[] }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'ask'; readonly question: QuestionPlan }
  /** Asks several questions at once, and records the order of the answers. */
  | { readonly do: 'ask several'; readonly questions: readonly QuestionPlan[] }
  /** Asks a question, and runs a step and a sleep beside it. */
  | { readonly do: 'ask and work'; readonly question: QuestionPlan; readonly step: StepPlan; readonly napMs: number }
  /** Asks a question, and publishes a status before the answer. */
  | { readonly do: 'ask and say'; readonly question: QuestionPlan; readonly napMs: number }
  /** Continues with the answer or the end of a sleep, the earlier one. */
  | { readonly do: 'race'; readonly question: QuestionPlan; readonly napMs: number }
  | { readonly do: 'inbox' }
  /** Waits for something outside of the engine. */
  | { readonly do: 'work'; readonly ms: number; readonly heedsSignal: boolean };

/** An output of a step. */
export interface StepOutputPlan {
  /** Published through the context of the step, with a mark of the execution in its text. Otherwise the text is always the same. */
  readonly isOwn: boolean;
  /** A status if not set. */
  readonly artifact: string | undefined;
  readonly text: string;
  readonly append: boolean;
}

export interface StepPlan {
  readonly name: string;
  /** Half of them are published before the pause of the step, and half of them after it. */
  readonly outputs: readonly StepOutputPlan[];
  /** Yields its outputs. */
  readonly isGenerator: boolean;
  readonly ms: number;
  readonly failures: number;
  readonly retries: number;
  readonly heedsSignal: boolean;
}

export interface QuestionPlan {
  readonly text: string;
  readonly isConfirmation: boolean;
  readonly ttlMs: number;
  /** Continues after the question has expired. */
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
  /** Every attempt emits the same. */
  readonly isSteady: boolean;
  readonly actions: readonly Action[];
  readonly ending: (typeof ENDINGS)[number];
}

/**
 * The random program of a message: the same text always gives the same program. Some programs differ at each attempt,
 * which handlers should not do and engines must handle.
 */
export function programOf(text: string, attempt: number, hasStepOutputs: boolean): Program {
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
  const ending = random.pick(ENDINGS);
  const program = { isGenerator, isSteady: !diverges, actions, ending };
  return hasStepOutputs ? withStepOutputs(program, new Random(`${text} outputs`)) : program;
}

/** The same program with outputs of its steps, from a random source of its own, so that the rest stays the same. */
function withStepOutputs(program: Program, random: Random): Program {
  // Nothing is replaced where the order of attempts or steps may differ, because the result would depend on it.
  const mayReplace =
    program.isSteady && !program.actions.some((action) => action.do === 'steps' && action.steps.length > 1);
  let outputs = 0;
  const withOutputs = (step: StepPlan): StepPlan => ({
    ...step,
    isGenerator: random.chance(0.3),
    outputs: Array.from({ length: random.pick([0, 1, 2, 4]) }, () => ({
      // If attempts differ, an output without a mark could be taken for that of another step.
      isOwn: random.chance(0.7) || !program.isSteady,
      artifact: random.chance(0.2) ? undefined : random.pick(['response', 'a', 'b']),
      text: `out ${++outputs}.`,
      append: !mayReplace || random.chance(0.85),
    })),
  });
  const actions = program.actions.map((action): Action => {
    if (action.do === 'steps') return { ...action, steps: action.steps.map(withOutputs) };
    if (action.do === 'ask and work') return { ...action, step: withOutputs(action.step) };
    return action.do === 'chunk' && !mayReplace ? { ...action, append: true } : action;
  });
  return { ...program, actions };
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
  if (luck <= 81) return { do: 'ask', question: randomQuestion(random, i) };
  if (luck <= 84) {
    const places = Array.from({ length: random.int(2, 4) }, (_, place) => `${i}.${place}`);
    return { do: 'ask several', questions: places.map((place) => randomQuestion(random, place)) };
  }
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
    outputs: [],
    isGenerator: false,
    ms: random.pick([0, 0, 10, 100]),
    failures,
    retries: random.chance(0.5) ? failures : 0,
    heedsSignal: random.chance(0.6),
  };
}

function randomQuestion(random: Random, i: number | string): QuestionPlan {
  return {
    text: `question ${i}`,
    isConfirmation: random.chance(0.3),
    ttlMs: random.pick([80, 600, 1500]),
    catches: random.chance(0.6),
  };
}
