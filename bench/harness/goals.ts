import type { Spread } from './stats.ts';
import { showSpread, table } from './table.ts';

/** A limit that we promise for a ratio, a time or a size. */
export interface Goal {
  readonly name: string;
  readonly measured: Spread;
  /** The unit. Default: ×. */
  readonly unit?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function goalTable(goals: readonly Goal[]): string {
  const rows = goals.map(({ name, measured, unit = '×', atLeast, atMost }) => {
    const isMet = measured.median >= (atLeast ?? 0) && measured.median <= (atMost ?? Infinity);
    const limit = atLeast === undefined ? `≤ ${atMost} ${unit}` : `≥ ${atLeast} ${unit}`;
    return [name, `${showSpread(measured)} ${unit}`, limit, isMet ? 'ok' : atLeast === undefined ? 'over' : 'under'];
  });
  return table(['goal', 'measured', 'limit', 'verdict'], rows);
}
