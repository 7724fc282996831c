/**
 * Resolves with a promise, or with what `late` returns or throws after `ms` milliseconds. The promise itself is not
 * canceled.
 */
export async function withTimeout<T>(promise: Promise<T>, ms: number, late: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  }).then(late);
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
  }
}
