import type { Peer, PeerEvent } from './peer.ts';

/**
 * The clients of 0.3 over REST forget whether a chunk is to be appended, and nobody could fold their streams. Takes that
 * one member from what came over the wire; all else is as the client hands it over.
 */
export class AppendFlags {
  #flags: boolean[] = [];

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, headers } = response;
    if (body === null || headers.get('content-type') !== 'text/event-stream') return response;
    this.#flags = [];
    const noted = body.pipeThrough(new TextDecoderStream()).pipeThrough(this.#noting());
    return new Response(noted.pipeThrough(new TextEncoderStream()), { status, headers });
  };

  restoredIn(peer: Peer): Peer {
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

  /** Notes each chunk before the client gets to see it. */
  #noting(): TransformStream<string, string> {
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
