/** In the metadata of a part: it is for the handler alone. On a message that asks: the answer is for the handler alone. */
export const SENSITIVE = 'urn:tandem-a2a:sensitive:1';

/**
 * In the metadata of the event with which a task fails because its question was not answered: `{ timeoutSeconds }`, the time that
 * there was for an answer.
 */
export const INPUT_TIMEOUT = 'urn:tandem-a2a:input-timeout:1';
