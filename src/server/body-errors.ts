import { A2AError } from '../errors.ts';

/** What can be wrong with a body before anybody knows what it says: the same at both edges. */

export function tooLarge(maxBytes: number): A2AError {
  return new A2AError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`, {
    details: { limit: 'body', maxBytes: String(maxBytes) },
  });
}

/** Whether a body is packed. A few bytes could be very many then, so none is unpacked here. */
export function isPacked(contentEncoding: string | undefined): boolean {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  return coding !== '' && coding !== 'identity';
}

export function packed(): A2AError {
  return new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'Expected a body without a Content-Encoding', {
    details: { header: 'content-encoding' },
  });
}

export function notUtf8(cause?: unknown): A2AError {
  return new A2AError('PARSE_ERROR', 'The body is not UTF-8', { cause });
}

export function tooSlow(): A2AError {
  return new A2AError('REQUEST_TIMEOUT', 'The body arrived too slowly: send at least 64 KiB in each second', {
    details: { limit: 'bodyPace' },
  });
}

export function cutOff(cause: unknown): A2AError {
  return new A2AError('INVALID_REQUEST', 'The connection ended inside the body', { cause });
}

export function alreadyRead(): A2AError {
  return new A2AError('INTERNAL_ERROR', 'Something before the agent has read the body, and kept it to itself');
}
