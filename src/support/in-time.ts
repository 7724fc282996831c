/**
 * An answer, or what `late` throws if it takes longer. Whoever works on it goes on, and nobody listens any more.
 *
 * @param late Asked once the time is over; what it gives is the answer then.
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
