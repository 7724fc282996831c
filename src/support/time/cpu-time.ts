/** Returns the CPU time of this process in milliseconds; `undefined` if the runtime does not report it. */
export function cpuTimeMs(): number | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly cpuUsage?: () => { user: number; system: number } };
  };
  if (typeof process?.cpuUsage !== 'function') return undefined;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
