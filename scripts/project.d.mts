export declare const REPOSITORY: string | undefined;
export declare function withProject(
  manifest: Readonly<Record<string, unknown>>,
  repository: string | undefined,
): Record<string, unknown>;
