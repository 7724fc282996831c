/** A bench that `main.ts` can run, over HTTP or inside this process. */
export interface Bench {
  readonly name: string;
  run(options: BenchOptions): Promise<BenchReport>;
}

export interface BenchOptions {
  /** Fewer and shorter rounds, to check that the bench works. Don't quote the numbers. */
  readonly quick: boolean;
}

export interface BenchReport {
  readonly title: string;
  readonly table: string;
  /** The data for the result file, in addition to the facts about the machine. */
  readonly result: object;
}
