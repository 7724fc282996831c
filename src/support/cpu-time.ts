/** The CPU time that this process has used, in milliseconds; nothing where the runtime does not tell. */
export function cpuTimeMs(): number | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly cpuUsage?: () => { user: number; system: number } };
  };
  if (typeof process?.cpuUsage !== 'function') return undefined;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
