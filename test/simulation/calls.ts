import type { Engine } from '../../src/engine/engine.ts';
import { A2AError, type ErrorCode } from '../../src/errors.ts';
import type { Server } from './server.ts';
import type { World } from './world.ts';

/** A call without a response. */
export interface Pending {
  readonly what: string;
  readonly server: Server;
  readonly taskId?: string;
}

/** Expected errors, by code. `UNAVAILABLE` always is: the caller may retry. */
export type ExpectedErrors = Partial<Record<ErrorCode, () => boolean>>;

export interface Call<T> extends Pending {
  readonly make: (engine: Engine) => Promise<T>;
  readonly seen: (result: T, waitedMs: number) => void;
  readonly mayBe?: ExpectedErrors;
}

/** Calls of engines, each of which must return, and must not fail with an unexpected error. */
export class Calls {
  readonly #world: World;
  readonly #pending = new Set<Pending>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Calls to living servers without a response. */
  get pending(): readonly Pending[] {
    return [...this.#pending].filter(({ server }) => server.node.isAlive);
  }

  make<T>(call: Call<T>): void {
    const { node, engine } = call.server;
    node.later(this.#world.time + this.#world.random.delay(2, 40), () => {
      const since = this.#world.time;
      this.#pending.add(call);
      this.#note(call, '');
      const returned = (settle: () => void): void => {
        this.#pending.delete(call);
        if (node.isAlive) settle();
      };
      call.make(engine).then(
        (result) =>
          returned(() => {
            this.#note(call, 'returned');
            call.seen(result, this.#world.time - since);
          }),
        (error: unknown) => returned(() => this.#failed(call, error)),
      );
    });
  }

  #failed<T>(call: Call<T>, error: unknown): void {
    this.#note(call, `failed: ${String(error)}`);
    const isRight = A2AError.is(error) && (error.code === 'UNAVAILABLE' || call.mayBe?.[error.code]?.() === true);
    if (isRight) return;
    this.#world.fail(`${call.what} ${call.taskId ?? ''} failed with an unexpected error: ${String(error)}`);
  }

  #note({ what, taskId = '', server }: Pending, outcome: string): void {
    this.#world.note(() => `${server.node.name} ${what} ${taskId} ${outcome}`);
  }
}
