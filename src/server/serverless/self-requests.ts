import type { Log } from '../../observe/log.ts';
import type { ServerlessSettings } from '../serverless-options.ts';
import type { Signatures } from './signature.ts';

export interface SelfRequestOptions {
  readonly settings: ServerlessSettings;
  /** Where the agent is, without a slash at the end: never what a request says. */
  readonly url: string;
  /** The path that runs a task. */
  readonly path: string;
  readonly signatures: Signatures;
  readonly log: Log;
}

/** Requests of an agent to itself: each is a process of its own, with all the time that the host gives. */
export class SelfRequests {
  readonly #options: SelfRequestOptions;

  constructor(options: SelfRequestOptions) {
    this.#options = options;
  }

  /**
   * Asks for a task to be run. Resolves when the request is on its way, and not when it is answered: that takes as long as the
   * task. Never rejects, for a sweep finds what did not get through.
   */
  async run(taskId: string): Promise<void> {
    const { settings, url, path, signatures } = this.#options;
    const token = await signatures.sign({ run: taskId });
    const request = new Request(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ taskId }),
      // It is for us alone, wherever we might be sent on to.
      redirect: 'manual',
    });
    const sent = this.#send(request, taskId);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const headStart = new Promise<void>((resolve) => (timer = setTimeout(resolve, settings.headStartMs)));
    await Promise.race([sent, headStart]);
    clearTimeout(timer);
  }

  async #send(request: Request, taskId: string): Promise<void> {
    const { settings, log } = this.#options;
    try {
      const answer = await (settings.fetch ?? fetch)(request);
      await answer.body?.cancel();
      if (!answer.ok) log.warn('A request to itself was not taken', { taskId, status: answer.status });
    } catch (error) {
      log.warn('A request to itself did not get through', { taskId, error });
    }
  }
}
