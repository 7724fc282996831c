import type { Peer, PeerEvent } from './peer.ts';

/**
 * The 0.3 REST clients drop the `append` flag of chunks, without which their streams cannot be folded. This restores the
 * flag from the response body; everything else is as the client returns it.
 */
export class AppendFlags {
  #flags: boolean[] = [];

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, headers } = response;
    if (body === null || headers.get('content-type') !== 'text/event-stream') return response;
    this.#flags = [];
    const recorded = body.pipeThrough(new TextDecoderStream()).pipeThrough(this.#recording());
    return new Response(recorded.pipeThrough(new TextEncoderStream()), { status, headers });
  };

  withFlags(peer: Peer): Peer {
    return {
      ...peer,
      stream: (message) => this.#restore(peer.stream(message)),
      resubscribe: (id) => this.#restore(peer.resubscribe(id)),
    };
  }

  async *#restore(events: AsyncIterable<PeerEvent>): AsyncGenerator<PeerEvent, void> {
    for await (const event of events) {
      if ('artifactUpdate' in event) {
        yield { artifactUpdate: { ...event.artifactUpdate, append: this.#flags.shift() === true } };
      } else yield event;
    }
  }

  /** Records the flag of each chunk before the client reads it. */
  #recording(): TransformStream<string, string> {
    let rest = '';
    return new TransformStream<string, string>({
      transform: (text, controller) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((one) => one.startsWith('data: '))) {
          const { artifactUpdate } = JSON.parse(line.slice(6)) as { artifactUpdate?: { append?: boolean } };
          if (artifactUpdate !== undefined) this.#flags.push(artifactUpdate.append === true);
        }
        controller.enqueue(text);
      },
    });
  }
}
