import { isSecretName, isSecretParameter } from './secret-names.ts';

/**
 * What secrets look like, wherever they stand. Callers choose the texts, so each pattern must take linear time: once it has
 * started, it either matches or cannot start again in the characters it has read. `test/pins/regular-expressions.test.ts`
 * tries that.
 */
const LOOKS: readonly RegExp[] = [
  // A JWT. Starts at the first character of a run only: `eyJ` may stand in it any number of times.
  /(?<![\w-])(?=(?:[\w-]*[-_])?eyJ[\w-]{5})[\w-]+\.[\w-]+\.[\w-]*/g,
  // GitHub, GitLab, Slack, npm, Hugging Face
  /\bgh[pousr]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bnpm_\w{20,}/g,
  /\bhf_\w{20,}/g,
  // AWS, Google (API key, access token, client secret), SendGrid, Twilio
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{10,}/g,
  /\bGOCSPX-[\w-]{16,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** A run in which a key like `sk-…` may stand, and how such a key starts. */
const KEY_RUN = /[\w-]{19,}/g;
const KEY_START = /\b(?:sk|pk|rk)[-_]/;

/** What every token above or below has in it. Most texts have none of it, and one search costs less than twenty. */
const HINT =
  /eyJ|[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_|A[KS]IA|AIza|ya29\.|GOCSPX-|SG\.|SK[0-9a-f]|-----BEGIN |[Bb](?:[Ee][Aa][Rr][Ee][Rr]|[Aa][Ss][Ii][Cc])\s/;

const BEARER = /\b(Bearer|Basic)\s+(?=\S*[\d_.=+/-])[\w.~+/=-]{8,}/gi;
const PASSWORD_IN_ADDRESS = /(\/\/)[^/@\s"':]*:[^/@\s"']+@/g;
const USER_IN_ADDRESS = /(\/\/)[^/@\s"']+@/g;
const PARAMETER = /([?&#;]|(?<![\w.\-[\]]))([\w.\-[\]]+)=([^&#;\s"']+)/g;

/**
 * A text with a mark where it held a token, a key, or an address with a password. Other addresses and their parameters stay,
 * because the agent may have to call them.
 */
export function withoutTokens(text: string, mark: string): string {
  return withoutUser(withoutKnownTokens(text, mark), PASSWORD_IN_ADDRESS, mark);
}

/** Also without user names in addresses, and without the values of parameters (`name=value`) that are secret by their name. */
export function withoutSecrets(text: string, mark: string): string {
  const clean = withoutUser(withoutKnownTokens(text, mark), USER_IN_ADDRESS, mark);
  if (!clean.includes('=')) return clean;
  return clean.replace(PARAMETER, (whole: string, before: string, name: string) => {
    const isSecret = before === '' ? isSecretName(name) : isSecretParameter(name);
    return isSecret ? `${before}${name}=${mark}` : whole;
  });
}

function withoutKnownTokens(text: string, mark: string): string {
  if (!HINT.test(text)) return text;
  let clean = text;
  for (const look of LOOKS) clean = clean.replace(look, mark);
  return clean.replace(KEY_RUN, (run) => withoutKey(run, mark)).replace(BEARER, `$1 ${mark}`);
}

/** If the first start in a run has too few characters behind it, or no digit among them, no later start has. */
function withoutKey(run: string, mark: string): string {
  const start = run.search(KEY_START);
  if (start < 0) return run;
  const secret = run.slice(start + 'sk-'.length);
  return secret.length >= 16 && /\d/.test(secret) ? run.slice(0, start) + mark : run;
}

function withoutUser(text: string, user: RegExp, mark: string): string {
  // Brackets would make it an address that cannot be parsed.
  return text.includes('//') ? text.replace(user, `$1${mark.replaceAll(/[[\]]/g, '')}@`) : text;
}
