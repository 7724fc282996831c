/** A part of the `fullStream` of the AI SDK. The types of its versions differ. */
interface FullStreamPart {
  /** The kind of the part, such as `text-delta`. */
  readonly type: string;
  /** The text of a `text-delta`. */
  readonly text?: string;
  /** The error of an `error` part. */
  readonly error?: unknown;
}

/** The result of `streamText()`, or of `stream()` of an agent. */
export interface StreamedText {
  /** The parts of the stream. */
  readonly fullStream: AsyncIterable<FullStreamPart>;
}

/**
 * Yields the text of a model as it arrives, and returns the whole text. Throws if the model fails or is aborted; the `textStream` of the AI
 * SDK ends without an error then, so that a failed call would be recorded as an empty text.
 *
 * @example
 * yield* textOf(streamText({ model, prompt: ctx.text, abortSignal: ctx.signal }));
 *
 * @throws the error of the model.
 */
export async function* textOf({ fullStream }: StreamedText): AsyncGenerator<string, string, undefined> {
  let whole = '';
  for await (const { type, text = '', error } of fullStream) {
    // oxlint-disable-next-line typescript/only-throw-error -- As the provider threw it.
    if (type === 'error') throw error;
    if (type === 'abort') throw new DOMException('The model call was aborted', 'AbortError');
    if (type !== 'text-delta' || text === '') continue;
    whole += text;
    yield text;
  }
  return whole;
}
