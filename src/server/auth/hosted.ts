/** Variables that are set where agents run for others, and not on anybody's desk. */
const HOSTS = [
  'NETLIFY',
  'AWS_LAMBDA_FUNCTION_NAME',
  'CF_PAGES',
  'VERCEL',
  'RENDER',
  'FLY_APP_NAME',
  'K_SERVICE',
] as const;

/**
 * When to ask again where an operator has forgotten to set something. Nobody knows when he will; but clients wait for as long
 * as they are told, and their users want to hear of it.
 */
export const UNSET_RETRY_MS = 5000;

/** A variable of the environment; undefined where there is none, or where it may not be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string>> } };
    return process?.env?.[name];
  } catch {
    return undefined;
  }
}

/** Whether this is production, by what the usual hosts and Node itself say. */
export function isHostedProduction(): boolean {
  if (environmentVariable('NODE_ENV') === 'production') return true;
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return (
    navigator?.userAgent === 'Cloudflare-Workers' || HOSTS.some((name) => (environmentVariable(name) ?? '') !== '')
  );
}
