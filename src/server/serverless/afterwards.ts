/** The pieces of an answer, which ends when something is done after the last of them: until then its process is awake. */
export function withAfterwards(
  pieces: AsyncIterable<string>,
  afterwards: () => Promise<void>,
): AsyncIterableIterator<string, undefined> {
  const iterator = pieces[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
  const over = async (): Promise<IteratorReturnResult<undefined>> => {
    await afterwards();
    return { done: true, value: undefined };
  };
  const stream: AsyncIterableIterator<string, undefined> = {
    async next() {
      const next = await iterator.next();
      return next.done === true ? over() : next;
    },
    async return() {
      const left = iterator.return?.();
      const result = await over();
      await left;
      return result;
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
