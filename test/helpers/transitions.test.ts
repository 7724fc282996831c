import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTerminal, TASK_STATES, type TaskState } from '../../src/model/state.ts';
import { canTransition } from './transitions.ts';

/** From each state (row) to each state (column, in the order of TASK_STATES): `1` is legal. */
const TABLE: Readonly<Record<TaskState, string>> = {
  //                          UNS SUB WOR COM FAI CAN INP REJ AUT
  TASK_STATE_UNSPECIFIED: '     0   0   0   0   0   0   0   0   0',
  TASK_STATE_SUBMITTED: '       0   1   1   1   1   1   1   1   1',
  TASK_STATE_WORKING: '         0   0   1   1   1   1   1   1   1',
  TASK_STATE_COMPLETED: '       0   0   0   0   0   0   0   0   0',
  TASK_STATE_FAILED: '          0   0   0   0   0   0   0   0   0',
  TASK_STATE_CANCELED: '        0   0   0   0   0   0   0   0   0',
  TASK_STATE_INPUT_REQUIRED: '  0   0   1   1   1   1   1   1   1',
  TASK_STATE_REJECTED: '        0   0   0   0   0   0   0   0   0',
  TASK_STATE_AUTH_REQUIRED: '   0   0   1   1   1   1   1   1   1',
};

test.each(TASK_STATES)('the allowed transitions from %s match the table', (from) => {
  const actual = TASK_STATES.map((to) => (canTransition(from, to) ? '1' : '0'));
  expect(actual).toEqual(TABLE[from].trim().split(/ +/));
});

/** The progress of a task. Paused and working are equal. */
const RANK = (state: TaskState): number => (state === 'TASK_STATE_SUBMITTED' ? 0 : isTerminal(state) ? 2 : 1);

test('a task only moves forward and ends once, for any requested states', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TASK_STATES)), (wishes) => {
      const visited: TaskState[] = ['TASK_STATE_SUBMITTED'];
      for (const wish of wishes) if (canTransition(visited.at(-1) ?? wish, wish)) visited.push(wish);
      const ranks = visited.map(RANK);
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect(visited.filter(isTerminal).length).toBeLessThanOrEqual(1);
      expect(visited).not.toContain('TASK_STATE_UNSPECIFIED');
    }),
  );
});
