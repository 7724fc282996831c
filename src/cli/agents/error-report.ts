import { durationText } from '../../client/request/deadline.ts';
import { A2AError, type ErrorCode, errorDocs, ERRORS } from '../../errors.ts';
import { CliError } from '../cli-error.ts';
import { invocation, shellWord } from '../invocation.ts';
import { readDuration } from '../read-values.ts';
import { withoutControls, oneLine } from '../output/screen.ts';

/** The facts about a failed call that its error does not have. */
export interface FailedCall {
  /** The arguments that name the agent in a command. */
  readonly agent: readonly string[];
  readonly hasCredentials: boolean;
  /** The value of `--timeout`, as the user wrote it. */
  readonly timeout?: string | undefined;
}

/** Returns an error of the client as a sentence with a hint and the section of the error reference. Other errors are returned unchanged. */
export function explained(error: unknown, call: FailedCall): unknown {
  if (!A2AError.is(error)) return error;
  const own = ownFailure(error, call);
  if (own !== undefined) return own;
  return new CliError('failure', `${oneLine(error.message)} (${error.code})`, {
    cause: error,
    code: protocolName(error.code),
    a2aCode: ERRORS[error.code].rpc,
    hint: hintOf(error),
    docs: errorDocs(error.code),
  });
}

/** Returns the errors that the protocol has no name for, because they happened before the agent responded or because it did not. */
function ownFailure(error: A2AError, { agent, hasCredentials, timeout }: FailedCall): CliError | undefined {
  const sentence = oneLine(error.message);
  const { handle, url, messageId } = error.details;
  const reference = { cause: error, docs: errorDocs(error.code) };
  const wait =
    handle === undefined ? undefined : `The task may still be running. To wait for it: ${invocation()} wait ${handle}`;
  const address = agent.map((word) => ` ${shellWord(word)}`).join('');
  const doctor = `To find the cause: ${invocation()} doctor${address}`;
  const list =
    messageId === undefined
      ? undefined
      : `The agent may still be working on the message. To see its tasks: ${invocation()} task list${address}`;
  switch (error.code) {
    case 'TIMEOUT':
      return new CliError('timeout', withLimitAsTyped(sentence, timeout), { ...reference, hint: wait ?? list });
    case 'TRANSPORT_FAILED':
      return new CliError('unreachable', sentence, { ...reference, hint: wait ?? connectionHint(sentence) ?? doctor });
    case 'DISCOVERY_FAILED':
      return url === undefined
        ? new CliError('failure', sentence, { ...reference, code: 'A2ACLI_ERR_CARD_INVALID', hint: doctor })
        : new CliError('unreachable', sentence, { ...reference, code: 'A2ACLI_ERR_CARD_NOT_FOUND', hint: doctor });
    case 'UNAUTHENTICATED': {
      const code = hasCredentials ? 'A2ACLI_ERR_AUTH_FAILED' : 'A2ACLI_ERR_CREDENTIALS_MISSING';
      const hint = hasCredentials
        ? 'Check that the token of --bearer or the key of --api-key is for this agent and has not expired.'
        : 'Pass a token with A2ACLI_BEARER or --bearer, or a key with A2ACLI_API_KEY or --api-key.';
      const what = hasCredentials ? 'The agent rejected the credentials' : 'The agent requires authentication';
      return new CliError('auth', `${what}: ${sentence}`, { ...reference, code, hint });
    }
    case 'PERMISSION_DENIED':
      return new CliError('auth', `The agent denied permission: ${sentence}`, reference);
    default:
      return undefined;
  }
}

/** Replaces the limit in the message of a timeout by the text that the user wrote: `5s`. */
function withLimitAsTyped(sentence: string, timeout: string | undefined): string {
  const limitMs = readDuration('timeout', timeout);
  if (timeout === undefined || limitMs === undefined) return sentence;
  const [, limit, reason = ''] = /^No result within ([\d.]+ m?s)(?: \(timeoutMs: [\d.]+\))?(.*)$/.exec(sentence) ?? [];
  return limit === durationText(limitMs) ? `No result within ${timeout}${reason}` : sentence;
}

/** Returns advice for a connection that the client or the TLS check prevented. */
export function connectionHint(why: string): string | undefined {
  if (why.includes('private')) return 'If you trust the address, pass it with --allow-origin.';
  return /certificate|self-signed/i.test(why)
    ? 'This machine does not trust the certificate. Set NODE_EXTRA_CA_CERTS to trust its CA; --insecure turns the check off.'
    : undefined;
}

function hintOf({ code, message, violations, details, retryAfterMs }: A2AError): string | undefined {
  const missing = violations.filter(
    ({ field, description }) => !message.includes(field) || !message.includes(description),
  );
  if (missing.length > 0)
    return missing.map(({ field, description }) => oneLine(`${field}: ${description}`)).join('; ');
  if (retryAfterMs !== undefined) return `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  if (code === 'VERSION_NOT_SUPPORTED' && details['supportedVersions'] !== undefined) {
    return oneLine(`Pass one of ${details['supportedVersions']} with --a2a-version, or omit the option.`);
  }
  return undefined;
}

/** Returns the name of an error in the A2A specification: `TaskNotFoundError`. */
function protocolName(code: ErrorCode): string {
  const words = code
    .replace(/_ERROR$/, '')
    .toLowerCase()
    .split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Error`;
}

/** Returns the JSON form of an error, defined by the A2A CLI conventions. */
export function errorEnvelope(error: unknown): object {
  if (!(error instanceof CliError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: 'A2ACLI_ERR_INTERNAL', message, hint: null, a2aCode: null } };
  }
  const { code, message, hint, a2aCode } = error;
  return { error: { code, message: withoutControls(message), hint: hint ?? null, a2aCode: a2aCode ?? null } };
}
