import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

import { type DatabaseProxy, proxyTo, type ProxyHooks } from '../../postgres/proxy.ts';
import type { Facts, HostInstructions, Moment } from './protocol.ts';

export type HostOptions = Pick<HostInstructions, 'serves' | 'database' | 'schema' | 'peerUrl'> & ProxyHooks;

/** A process that is started again whenever it was killed, behind an address that stays the same. */
export class HostProcess {
  readonly url: string;
  /** How often it was killed. */
  kills = 0;
  /** Called when it was killed. */
  onKill: () => void = () => {};
  /** Chooses when the process is killed after a restart; `undefined` for never. */
  nextKill: () => Moment | undefined = () => undefined;
  readonly #program: string;
  readonly #options: HostOptions;
  readonly #proxy: DatabaseProxy;
  #child: ChildProcess | undefined;
  #running: Promise<void> = Promise.resolve();
  #isListening = false;
  #isOver = false;
  #output = '';
  #failure: Error | undefined;

  private constructor(program: string, options: HostOptions, proxy: DatabaseProxy) {
    this.#program = program;
    this.#options = options;
    this.#proxy = proxy;
    this.url = new URL(proxy.url).origin;
  }

  static async start(program: string, options: HostOptions, killAt?: Moment): Promise<HostProcess> {
    // Nothing listens on this port, and the proxy forwards elsewhere once the process listens.
    const host = new HostProcess(program, options, await proxyTo('http://127.0.0.1:1/', options));
    host.#run(killAt);
    return host;
  }

  /** Resets all connections to it. */
  cut(): void {
    this.#proxy.cut();
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** The facts that the process has stored; `undefined` if it was killed meanwhile. @throws If it ended in another way than by SIGKILL. */
  async facts(): Promise<Facts | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    const child = this.#child;
    if (child?.connected !== true || !this.#isListening) return undefined;
    return new Promise((resolve) => {
      const take = (message: unknown): void => {
        child.off('exit', gone);
        resolve(message as Facts);
      };
      const gone = (): void => {
        child.off('message', take);
        resolve(undefined);
      };
      child.once('exit', gone);
      child.once('message', take);
      child.send('facts', (error) => error !== null && gone());
    });
  }

  /** The errors that the processes have logged. */
  get output(): string {
    return this.#output;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.kill();
    await this.#running;
  }

  #run(killAt?: Moment): void {
    this.#running = this.#live(killAt).catch((error: unknown) => void (this.#failure = error as Error));
  }

  async #live(killAt?: Moment): Promise<void> {
    const { onRequest: _, onResponse: __, ...options } = this.#options;
    for (let at = killAt; !this.#isOver; at = this.nextKill()) {
      const instructions: HostInstructions = {
        ...options,
        publicUrl: this.url,
        ...(at !== undefined && { killAt: at }),
      };
      const env = { ...process.env, TANDEM_CALL_HOST: JSON.stringify(instructions) };
      const child = fork(this.#program, {
        env,
        execArgv: ['--enable-source-maps'],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
      const closed = once(child, 'close');
      this.#child = child;
      child.once('message', (port) => {
        this.#proxy.moveTo(`http://127.0.0.1:${Number(port)}`);
        this.#isListening = true;
      });
      await closed;
      this.#isListening = false;
      if (this.#isOver) return;
      if (child.signalCode !== 'SIGKILL')
        throw new Error(`A process ended with ${child.signalCode ?? child.exitCode}\n${this.#output}`);
      this.kills += 1;
      this.onKill();
    }
  }
}
