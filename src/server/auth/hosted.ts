/** Variables that hosts set where agents run in production. */
const HOSTS = ['CF_PAGES', 'VERCEL', 'VERCEL_ENV', 'RENDER', 'FLY_APP_NAME', 'K_SERVICE'] as const;

/** `netlify dev` sets these too, together with `NETLIFY_LOCAL=true`. */
const NETLIFY_HOSTS = ['NETLIFY', 'AWS_LAMBDA_FUNCTION_NAME'] as const;

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

/** Whether this is production, by `NODE_ENV` and by the flags of the usual hosts. */
export function isHostedProduction(): boolean {
  if (environmentVariable('NODE_ENV') === 'production') return true;
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  if (navigator?.userAgent === 'Cloudflare-Workers' || '__cf_env' in globalThis) return true;
  const isSet = (name: string): boolean => (environmentVariable(name) ?? '') !== '';
  return HOSTS.some(isSet) || (environmentVariable('NETLIFY_LOCAL') !== 'true' && NETLIFY_HOSTS.some(isSet));
}
