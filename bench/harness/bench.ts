/** What `main.ts` can run: an HTTP bench, or one inside this process. */
export interface Bench {
  readonly name: string;
  run(options: BenchOptions): Promise<BenchReport>;
}

export interface BenchOptions {
  /** Fewer and shorter rounds: to see that it works, not to quote. */
  readonly quick: boolean;
}

export interface BenchReport {
  readonly title: string;
  readonly table: string;
  /** What the result file holds beside the facts about the machine. */
  readonly result: object;
}
