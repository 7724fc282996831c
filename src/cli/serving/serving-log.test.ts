import { afterEach, expect, test, vi } from 'vitest';
import { screen } from '../output/screen.ts';
import { prettyLog } from './serving-log.ts';

afterEach(() => vi.restoreAllMocks());

test('the pretty log prints the stack of a handler error in red and its ids on a dim line below', () => {
  const print = vi.spyOn(screen, 'notice').mockImplementation(() => {});
  const error = new TypeError('no');
  error.stack = 'TypeError: no\n    at run (agent.ts:5:11)';

  prettyLog.error('A handler failed', { taskId: 't-1', error });

  expect(print.mock.calls).toEqual([
    ['tandem error: A handler failed\n    TypeError: no\n        at run (agent.ts:5:11)', 'red'],
    ['    taskId="t-1"', 'dim'],
  ]);
});
