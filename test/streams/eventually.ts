/** Waits for a condition that other processes or the network bring about. The time limit is that of the test. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
