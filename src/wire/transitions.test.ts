import { expect, test } from 'vitest';
import type { Task } from '../model/task.ts';
import { TASK_STATES } from '../model/state.ts';
import { TRANSITIONS } from '../model/transitions.ts';
import { dialects } from './select.ts';
import { transitionsIn, withTransitions } from './transitions.ts';

const TASK: Task = { id: 't1', status: { state: 'TASK_STATE_WORKING' }, metadata: { own: 1 } };
const TIME = '2026-03-12T10:00:00.000Z';

function holding(value: unknown): Task {
  return { ...TASK, metadata: { [TRANSITIONS.uri]: value as never } };
}

test.each(Object.values(dialects))(
  '$name: encoded state changes are decoded again beside other metadata',
  (dialect) => {
    const transitions = TASK_STATES.slice(1).map((state) => ({ state, timestamp: TIME }));

    const task = withTransitions(TASK, { transitions, truncated: true }, dialect);

    expect(task.metadata).toMatchObject({ own: 1 });
    expect(transitionsIn(task)).toEqual({ transitions, truncated: true });
  },
);

test('a task without the metadata of the extension has no state changes', () => {
  expect(transitionsIn(TASK)).toBeUndefined();
});

test.each([null, 'text', [], {}, { transitions: {} }, { transitions: [null] }, { transitions: [{ state: 7 }] }])(
  'metadata in another format is an invalid response: %j',
  (value) => {
    expect(() => transitionsIn(holding(value))).toThrow(expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }));
  },
);

test('an unknown state is decoded as unspecified and an invalid time as missing', () => {
  const read = transitionsIn(holding({ transitions: [{ state: 'dreaming', timestamp: 'noon' }] }));

  expect(read).toEqual({ transitions: [{ state: 'TASK_STATE_UNSPECIFIED' }], truncated: false });
});
