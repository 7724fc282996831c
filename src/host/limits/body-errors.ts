import { A2AError } from '../../errors.ts';

/** Errors while reading a body, shared by both edges. */

export function tooLarge(maxBytes: number): A2AError {
  return new A2AError('PAYLOAD_TOO_LARGE', `The request body exceeds ${maxBytes} bytes`, {
    details: { limit: 'body', maxBytes: String(maxBytes) },
  });
}

/** Whether a body is compressed. Compressed bodies are rejected, because a few bytes could expand to very many. */
export function isCompressed(contentEncoding: string | undefined): boolean {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  return coding !== '' && coding !== 'identity';
}

export function compressed(): A2AError {
  return new A2AError(
    'CONTENT_TYPE_NOT_SUPPORTED',
    'Content-Encoding is not supported: send the request body uncompressed',
    {
      details: { header: 'content-encoding' },
    },
  );
}

export function notUtf8(cause?: unknown): A2AError {
  return new A2AError('PARSE_ERROR', 'The request body is not valid UTF-8', { cause });
}

export function tooSlow(): A2AError {
  return new A2AError('REQUEST_TIMEOUT', 'The request body arrived too slowly: send at least 64 KiB per second', {
    details: { limit: 'bodyPace' },
  });
}

export function incompleteBody(cause: unknown): A2AError {
  return new A2AError('INVALID_REQUEST', 'The connection closed before the request body was complete', { cause });
}

export function alreadyRead(): A2AError {
  return new A2AError('INTERNAL_ERROR', 'Middleware consumed the request body before the agent could read it');
}
