import type { Log } from '../../observe/log.ts';
import type { ServerlessSettings } from './serverless-options.ts';
import type { Signatures } from './signature.ts';

export interface SelfRequestOptions {
  readonly settings: ServerlessSettings;
  /** The configured URL of the agent without a trailing slash, never one derived from a request. */
  readonly url: string;
  readonly path: string;
  readonly signatures: Signatures;
  readonly log: Log;
}

/** Requests of an agent to itself. Each gets its own process, with the full time limit of the host. */
export class SelfRequests {
  readonly #options: SelfRequestOptions;

  constructor(options: SelfRequestOptions) {
    this.#options = options;
  }

  /**
   * Asks another process to run a task. Resolves when the request is sent, without waiting for the response, which takes as long as
   * the task. Never rejects, because a sweep finds tasks whose request failed.
   */
  async run(taskId: string): Promise<void> {
    const { settings, url, path, signatures } = this.#options;
    const token = await signatures.sign({ run: taskId });
    const request = new Request(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ taskId }),
      // The token must not reach another host.
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
      const response = await (settings.fetch ?? fetch)(request);
      await response.body?.cancel();
      if (!response.ok) log.warn('Self-request was rejected', { taskId, status: response.status });
    } catch (error) {
      log.warn('Self-request failed', { taskId, error });
    }
  }
}
