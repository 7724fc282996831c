/**
 * Resolves with nothing when all promises have settled. Keeping their results would keep everything in memory that a chain
 * of them refers to.
 */
export async function settled(all: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(all);
}
