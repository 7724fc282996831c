/**
 * Set-up file of every test file: a test that resets the modules loads some of them into a world of its own, without a
 * global or with a false package. Files that share its process would get those; so the modules are reset after it too.
 */
import { afterAll, vi } from 'vitest';

const reset = vi.resetModules;
let isReset = false;
vi.resetModules = () => {
  isReset = true;
  return reset();
};

afterAll(() => {
  vi.resetModules = reset;
  if (isReset) reset();
});
