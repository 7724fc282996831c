import { isSecretParameter } from './secret-names.ts';

/** What secrets look like, wherever they stand. */
const LOOKS: readonly RegExp[] = [
  /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g,
  /\b(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}/g,
  /\bgh[pousr]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

const BEARER = /\b(Bearer|Basic)\s+(?=\S*[\d_.=+/-])[\w.~+/=-]{8,}/gi;
const USER_IN_ADDRESS = /(\/\/)[^/@\s"']+@/g;
const PARAMETER = /([?&#;])([\w.\-[\]]+)=([^&#;\s"']+)/g;

/** A text with a mark where it held what can only be a token or a key. Addresses stay, for somebody may have to call them. */
export function withoutTokens(text: string, mark: string): string {
  let clean = text;
  for (const look of LOOKS) clean = clean.replace(look, mark);
  return clean.replace(BEARER, `$1 ${mark}`);
}

/** A text with a mark where it held what looks like a secret: tokens, keys, passwords in addresses. */
export function withoutSecrets(text: string, mark: string): string {
  return withoutTokens(text, mark)
    .replace(USER_IN_ADDRESS, `$1${mark.replaceAll(/[[\]]/g, '')}@`)
    .replace(PARAMETER, (whole: string, before: string, name: string) =>
      isSecretParameter(name) ? `${before}${name}=${mark}` : whole,
    );
}
