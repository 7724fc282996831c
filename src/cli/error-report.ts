import { A2AError, type ErrorCode, ERRORS } from '../errors.ts';
import { CliError } from './cli-error.ts';
import { invocation, shellWord } from './invocation.ts';
import { harmless, oneLine } from './screen.ts';

/** What is known about a call that failed. */
export interface FailedCall {
  /** The words that name the agent in a command. */
  readonly agent: readonly string[];
  readonly hasCredentials: boolean;
}

/** What to tell of an error: a sentence, and what to do about it. What is not the agent's or the user's fault stays as it is. */
export function explained(error: unknown, call: FailedCall): unknown {
  if (!A2AError.is(error)) return error;
  const own = ownFailure(error, call);
  if (own !== undefined) return own;
  return new CliError('failure', `${oneLine(error.message)} (${error.code})`, {
    cause: error,
    code: protocolName(error.code),
    a2aCode: ERRORS[error.code].rpc,
    hint: hintOf(error),
  });
}

/** What the protocol has no name for: it happened before an agent could say anything, or because none did. */
function ownFailure(error: A2AError, { agent, hasCredentials }: FailedCall): CliError | undefined {
  const sentence = oneLine(error.message);
  const { handle, url } = error.details;
  const goOn = handle === undefined ? undefined : `The task may go on without us: ${invocation()} wait ${handle}`;
  const doctor = `${invocation()} doctor${agent.map((word) => ` ${shellWord(word)}`).join('')} looks closer.`;
  switch (error.code) {
    case 'TIMEOUT':
      return new CliError('timeout', sentence, { cause: error, hint: goOn });
    case 'TRANSPORT_FAILED': {
      return new CliError('unreachable', sentence, { cause: error, hint: goOn ?? connectionHint(sentence) ?? doctor });
    }
    case 'DISCOVERY_FAILED':
      return url === undefined
        ? new CliError('failure', sentence, { cause: error, code: 'A2ACLI_ERR_CARD_INVALID', hint: doctor })
        : new CliError('unreachable', sentence, { cause: error, code: 'A2ACLI_ERR_CARD_NOT_FOUND', hint: doctor });
    case 'UNAUTHENTICATED': {
      const code = hasCredentials ? 'A2ACLI_ERR_AUTH_FAILED' : 'A2ACLI_ERR_CREDENTIALS_MISSING';
      const hint = hasCredentials
        ? 'What --bearer or --api-key say was refused: is it for this agent, and still valid?'
        : 'Give a token with A2ACLI_BEARER or --bearer, or a key with A2ACLI_API_KEY or --api-key.';
      const what = hasCredentials ? 'The agent refused the credentials' : 'The agent wants to know who calls';
      return new CliError('auth', `${what}: ${sentence}`, { cause: error, code, hint });
    }
    case 'PERMISSION_DENIED':
      return new CliError('auth', `The agent does not allow that to this caller: ${sentence}`, { cause: error });
    default:
      return undefined;
  }
}

/** What to do about a connection that was not made on purpose, by one side or the other. */
export function connectionHint(why: string): string | undefined {
  if (why.includes('private')) return 'If you trust it, say so with --allow-origin and its address.';
  return /certificate|self-signed/i.test(why)
    ? 'This machine does not trust its certificate. NODE_EXTRA_CA_CERTS adds one to trust; --insecure trusts any.'
    : undefined;
}

function hintOf({ code, message, violations, details, retryAfterMs }: A2AError): string | undefined {
  const missing = violations.filter(({ description }) => !message.includes(description));
  if (missing.length > 0)
    return missing.map(({ field, description }) => oneLine(`${field}: ${description}`)).join('; ');
  if (retryAfterMs !== undefined) return `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  if (code === 'VERSION_NOT_SUPPORTED' && details['supportedVersions'] !== undefined) {
    return oneLine(`Ask for one of ${details['supportedVersions']} with --a2a-version, or leave the choice to tandem.`);
  }
  return undefined;
}

/** What the protocol calls its errors: `TaskNotFoundError`. */
function protocolName(code: ErrorCode): string {
  const words = code
    .replace(/_ERROR$/, '')
    .toLowerCase()
    .split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Error`;
}

/** The error as programs get it, by the common rules of A2A command lines. */
export function errorEnvelope(error: unknown): object {
  if (!(error instanceof CliError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: 'A2ACLI_ERR_INTERNAL', message, hint: null, a2aCode: null } };
  }
  const { code, message, hint, a2aCode } = error;
  return { error: { code, message: harmless(message), hint: hint ?? null, a2aCode: a2aCode ?? null } };
}
