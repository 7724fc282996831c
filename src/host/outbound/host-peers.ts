import type { Log } from '../../observe/log.ts';
import type { OpenTelemetry } from '../../observe/opentelemetry.ts';
import { createPeers, type OpenPeers } from '../../peers/peers.ts';
import { AddressGuard } from '../../push/address-guard.ts';
import { type Clock, systemClock } from '../../support/time/clock.ts';
import { isHostedProduction } from '../auth/hosted.ts';
import { CALL_HINT_PATH, type PeersOption } from '../options/peer-options.ts';

export interface HostPeersSettings {
  readonly peers: PeersOption | undefined;
  readonly publicUrl: string | undefined;
  readonly clock: Clock | undefined;
  readonly log: Log;
  readonly tracing: OpenTelemetry | false | undefined;
}

/** The agents on other hosts that the handlers of a host can call. A URL that no configured peer has must be public and use https. */
export function hostPeers(settings: HostPeersSettings): OpenPeers {
  const { peers = {}, publicUrl, clock = systemClock, log, tracing } = settings;
  const guard = new AddressGuard();
  return createPeers({
    peers,
    admit(url) {
      try {
        guard.admit(url);
      } catch (cause) {
        throw new Error('must be public and use https, unless the option peers has its origin', { cause });
      }
    },
    isProduction: isHostedProduction(),
    hintUrl: publicUrl === undefined ? undefined : publicUrl + CALL_HINT_PATH,
    log,
    tracing: tracing === false ? undefined : tracing,
    now: () => clock.now(),
  });
}
