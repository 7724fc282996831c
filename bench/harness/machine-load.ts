import { cpus } from 'node:os';

/** The share of all cores of this machine that other processes use. */
export class MachineLoad {
  readonly #started = performance.now();
  readonly #busyMs = busyMs();

  /** The share since the creation of this object, without the CPU time that this bench has used since then. */
  others(ownCpuUs: number): number {
    const available = (performance.now() - this.#started) * cpus().length;
    const others = busyMs() - this.#busyMs - ownCpuUs / 1000;
    return Math.min(1, Math.max(0, others / available));
  }
}

/** The time that all cores have worked since the start of the machine. The system counts it in steps of 10 ms. */
function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}
