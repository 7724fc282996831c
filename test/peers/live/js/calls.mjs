import { createInterface } from 'node:readline';

/**
 * Serves the calls that `program.ts` writes to stdin. A handler returns its result, or an async iterable of events.
 *
 * @param {Record<string, (args: any) => unknown>} handlers
 */
export function serveCalls(handlers) {
  /** Calls that stream → what stops them. @type {Map<number, () => void>} */
  const streams = new Map();

  createInterface(process.stdin).on('line', (line) => {
    const { id, call, args } = JSON.parse(line);
    if (call === 'leave') streams.get(id)?.();
    else void run(id, call, args);
  });

  /** @param {number} id @param {string} call @param {any} args */
  async function run(id, call, args) {
    try {
      const handler = handlers[call];
      if (handler === undefined) throw new Error(`There is no call ${call}`);
      const result = await handler(args);
      if (result?.[Symbol.asyncIterator] === undefined) return write({ id, result: result ?? null });
      let hasLeft = false;
      const iterator = result[Symbol.asyncIterator]();
      streams.set(id, () => {
        hasLeft = true;
        void iterator.return?.();
      });
      for (;;) {
        const { done, value } = await iterator.next();
        if (done || hasLeft) break;
        write({ id, event: value });
      }
      write({ id, result: null });
    } catch (error) {
      write({ id, error: { name: error.name, message: error.message } });
    } finally {
      streams.delete(id);
    }
  }
}

/** @param {object} line */
function write(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
