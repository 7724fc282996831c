/**
 * An answer, or what `late` gives or throws if that takes too long. Whoever works on it goes on, and nobody listens any
 * more.
 */
export async function inTime<T>(answer: Promise<T>, ms: number, late: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  }).then(late);
  try {
    return await Promise.race([answer, end]);
  } finally {
    clearTimeout(timer);
  }
}
