/**
 * Set-up file of every test file. A test that resets the modules loads some of them with changed globals or packages. Later
 * files in the same process would get these modules, so they are reset again after the file.
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
