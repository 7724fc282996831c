/** Environment variables that hosting platforms set in production. */
const HOSTS = ['CF_PAGES', 'VERCEL', 'VERCEL_ENV', 'RENDER', 'FLY_APP_NAME', 'K_SERVICE'] as const;

/** `netlify dev` sets these too, together with `NETLIFY_LOCAL=true`. */
const NETLIFY_HOSTS = ['NETLIFY', 'AWS_LAMBDA_FUNCTION_NAME'] as const;

/** `Retry-After` if the operator has not configured something. Short, because clients wait that long before they report the error. */
export const UNSET_RETRY_MS = 5000;

/** An environment variable; undefined if it is not set, or if the runtime denies access. */
export function environmentVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string>> } };
    return process?.env?.[name];
  } catch {
    return undefined;
  }
}

/** Whether this is production, by `NODE_ENV` and by the variables of common hosting platforms. */
export function isHostedProduction(): boolean {
  if (environmentVariable('NODE_ENV') === 'production') return true;
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  if (navigator?.userAgent === 'Cloudflare-Workers' || '__cf_env' in globalThis) return true;
  const isSet = (name: string): boolean => (environmentVariable(name) ?? '') !== '';
  return HOSTS.some(isSet) || (environmentVariable('NETLIFY_LOCAL') !== 'true' && NETLIFY_HOSTS.some(isSet));
}
