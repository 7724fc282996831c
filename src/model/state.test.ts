import { expect, test } from 'vitest';
import { isPaused, isTerminal, TASK_STATES } from './state.ts';

test('states are in the order of their numbers in the protocol definition', () => {
  expect(TASK_STATES).toEqual([
    'TASK_STATE_UNSPECIFIED',
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ]);
});

test('four states are terminal, two are paused, none is both', () => {
  expect(TASK_STATES.filter(isTerminal)).toEqual([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ]);
  expect(TASK_STATES.filter(isPaused)).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']);
});
