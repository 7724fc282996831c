import type { PeerEvent, PeerPart, PeerResult } from './peer.ts';

/** Wraps an object of 0.2 or 0.3, which has a `kind` member, in an object that names its type, as 1.0 does. */
export function wrapByKind(object: { readonly kind: string }): PeerEvent {
  switch (object.kind) {
    case 'status-update':
      return { statusUpdate: object } as unknown as PeerEvent;
    case 'artifact-update':
      return { artifactUpdate: object } as unknown as PeerEvent;
    default:
      return { [object.kind]: object } as unknown as PeerResult;
  }
}

export async function* wrapAllByKind(
  objects: AsyncIterable<{ readonly kind: string }>,
): AsyncGenerator<PeerEvent, void> {
  for await (const object of objects) yield wrapByKind(object);
}

export const SAMPLES = samplesOf({ name: 'hello.bin' }, { name: 'plan.pdf' });

export const NAMELESS_SAMPLES = samplesOf({}, {});

function samplesOf(inline: PeerPart, linked: PeerPart): readonly PeerPart[] {
  return [
    { kind: 'file', file: { bytes: 'SGVsbG8=', ...inline, mimeType: 'application/octet-stream' } },
    { kind: 'file', file: { uri: 'https://example.com/plan.pdf', ...linked, mimeType: 'application/pdf' } },
    { kind: 'data', data: { nested: [1, 'two', null] } },
  ];
}
