/** Resolves after all of them, with nothing: one that kept what an earlier one came to would keep all that came before. */
export async function settled(all: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(all);
}
