import { BodyPace } from './body-pace.ts';
import { BytesInFlight } from './bytes-in-flight.ts';
import type { LimitSettings } from './limit-settings.ts';

/** Counters that the edges of one handler use while they receive and send. */
export interface InFlight {
  readonly requests: BytesInFlight;
  readonly responses: BytesInFlight;
  readonly pace: BodyPace;
}

export function createInFlight(settings: LimitSettings): InFlight {
  return {
    requests: new BytesInFlight('request', settings),
    responses: new BytesInFlight('response', settings),
    pace: new BodyPace(),
  };
}
