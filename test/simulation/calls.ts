import type { Engine } from '../../src/engine/engine.ts';
import { A2AError, type ErrorCode } from '../../src/errors.ts';
import type { Server } from './server.ts';
import type { World } from './world.ts';

/** A call that was made and not answered. */
export interface Pending {
  readonly what: string;
  readonly server: Server;
  readonly taskId?: string;
}

/** Errors that are right, by code. `UNAVAILABLE` always is: the caller may try again. */
export type Refusals = Partial<Record<ErrorCode, () => boolean>>;

export interface Call<T> extends Pending {
  readonly make: (engine: Engine) => Promise<T>;
  readonly seen: (result: T, waitedMs: number) => void;
  readonly mayBe?: Refusals;
}

/** Calls of engines, each of which must be answered, and never refused without a reason. */
export class Calls {
  readonly #world: World;
  readonly #pending = new Set<Pending>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Calls to living servers without an answer. */
  get pending(): readonly Pending[] {
    return [...this.#pending].filter(({ server }) => server.node.isAlive);
  }

  make<T>(call: Call<T>): void {
    const { node, engine } = call.server;
    node.later(this.#world.time + this.#world.random.delay(2, 40), () => {
      const since = this.#world.time;
      this.#pending.add(call);
      this.#note(call, '');
      const answered = (tell: () => void): void => {
        this.#pending.delete(call);
        if (node.isAlive) tell();
      };
      call.make(engine).then(
        (result) =>
          answered(() => {
            this.#note(call, 'answered');
            call.seen(result, this.#world.time - since);
          }),
        (error: unknown) => answered(() => this.#refused(call, error)),
      );
    });
  }

  #refused<T>(call: Call<T>, error: unknown): void {
    this.#note(call, `refused: ${String(error)}`);
    const isRight = A2AError.is(error) && (error.code === 'UNAVAILABLE' || call.mayBe?.[error.code]?.() === true);
    if (isRight) return;
    this.#world.fail(`${call.what} ${call.taskId ?? ''} is refused, and should not be: ${String(error)}`);
  }

  #note({ what, taskId = '', server }: Pending, outcome: string): void {
    this.#world.note(() => `${server.node.name} ${what} ${taskId} ${outcome}`);
  }
}
