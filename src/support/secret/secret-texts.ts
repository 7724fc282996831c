import { isSecretName, isSecretParameter } from './secret-names.ts';

/**
 * The forms of known tokens. Callers choose the texts, so each pattern must take linear time: after a failed attempt, no later
 * attempt may read the same characters again. `test/pins/regular-expressions.test.ts` checks that.
 */
const LOOKS: readonly RegExp[] = [
  // A JWT. A match can only start at the first character of a run, because a run may contain `eyJ` many times.
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

/** A run of characters that is long enough to contain a key like `sk-…`, and the start of such a key. */
const KEY_RUN = /[\w-]{19,}/g;
const KEY_START = /\b(?:sk|pk|rk)[-_]/;

/** Every token above and below contains one of these. Most texts contain none, and one search is cheaper than twenty. */
const HINT =
  /eyJ|[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_|A[KS]IA|AIza|ya29\.|GOCSPX-|SG\.|SK[0-9a-f]|-----BEGIN |[Bb](?:[Ee][Aa][Rr][Ee][Rr]|[Aa][Ss][Ii][Cc])\s/;

const BEARER = /\b(Bearer|Basic)\s+(?=\S*[\d_.=+/-])[\w.~+/=-]{8,}/gi;
const PASSWORD_IN_ADDRESS = /(\/\/)[^/@\s"':]*:[^/@\s"']+@/g;
const USER_IN_ADDRESS = /(\/\/)[^/@\s"']+@/g;
const PARAMETER = /([?&#;]|(?<![\w.\-[\]]))([\w.\-[\]]+)=([^&#;\s"']+)/g;

/**
 * Replaces tokens, keys, and user and password of addresses by a mark. Other addresses and their query parameters stay, because
 * the agent may have to call them.
 */
export function withoutTokens(text: string, mark: string): string {
  return withoutUser(withoutKnownTokens(text, mark), PASSWORD_IN_ADDRESS, mark);
}

/** Also replaces user names in addresses and the values of `name=value` pairs whose name is that of a secret. */
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
  if (KEY_START.test(clean)) clean = clean.replace(KEY_RUN, (run) => withoutKey(run, mark));
  return clean.replace(BEARER, `$1 ${mark}`);
}

/** Only the first start in a run is checked: what follows a later start is shorter, so it cannot match if the first does not. */
function withoutKey(run: string, mark: string): string {
  const start = run.search(KEY_START);
  if (start < 0) return run;
  const secret = run.slice(start + 'sk-'.length);
  return secret.length >= 16 && /\d/.test(secret) ? run.slice(0, start) + mark : run;
}

function withoutUser(text: string, user: RegExp, mark: string): string {
  // Brackets would make the address invalid.
  return text.includes('//') ? text.replace(user, `$1${mark.replaceAll(/[[\]]/g, '')}@`) : text;
}
