/** Waits until something holds that other processes or the network bring about; the time limit of the test is its own. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
