import type { CardForm } from '../../wire/card/served/card-forms.ts';
import { type ProtocolVersion } from '../../wire/version.ts';
import { PROTOCOL_VERSIONS } from '../../wire/version.ts';
import {
  type Binding,
  BINDINGS,
  hasBinding,
  type Offer,
  PROFILE_NAMES,
  PROFILE_PATHS,
  type ProfileName,
} from '../../wire/offer.ts';
import { type Check, quoted } from '../../support/check.ts';
import { readPath, rejectEmpty } from '../../host/options/option-readers.ts';
import { readWord } from '../../support/options.ts';

/** Reads the options that decide what the handler serves: `versions`, `bindings`, `profile` and `restStyle`. */
export function readOffer(check: Check, given: Readonly<Record<string, unknown>>, strict: boolean): Offer {
  const versions = check.list(given['versions'], 'versions', 'versions', (item, path): ProtocolVersion => {
    const known = PROTOCOL_VERSIONS.find((version) => version === item);
    if (known === undefined) check.fault(path, `expected one of ${PROTOCOL_VERSIONS.join(', ')}, got ${quoted(item)}`);
    return known ?? '1.0';
  });
  rejectEmpty(check, given['versions'], 'versions');
  const offered = versions.length > 0 ? versions : PROTOCOL_VERSIONS;
  const bindings = readBindings(check, given['bindings'], offered);
  const profiles = readProfiles(check, given);
  const restStyle = readWord(check, given['restStyle'], 'restStyle', ['proto', 'kind', 'kind-bare']);
  return {
    versions: offered,
    ...(bindings !== undefined && { bindings }),
    strict,
    ...(profiles.length > 0 && { profiles }),
    ...(restStyle !== undefined && { restStyle }),
  };
}

function readProfiles(check: Check, given: Readonly<Record<string, unknown>>): readonly ProfileName[] {
  const value = given['profile'];
  if (!Array.isArray(value)) {
    const profile = readWord(check, value, 'profile', PROFILE_NAMES);
    return profile === undefined ? [] : [profile];
  }
  rejectEmpty(check, value, 'profile');
  const names = value.flatMap((item: unknown, i) => readWord(check, item, `profile[${i}]`, PROFILE_NAMES) ?? []);
  return [...new Set(names)];
}

/** Older versions lack some bindings, so at least one version must have one of these. */
function readBindings(
  check: Check,
  value: unknown,
  versions: readonly ProtocolVersion[],
): readonly Binding[] | undefined {
  if (value === undefined) return undefined;
  rejectEmpty(check, value, 'bindings');
  const bindings = check.list(value, 'bindings', 'bindings', (item, path): Binding => {
    const known = BINDINGS.find((binding) => binding === item);
    if (item === 'GRPC') check.fault(path, 'GRPC is not supported by this version of tandem-a2a');
    else if (known === undefined) check.fault(path, `expected one of ${BINDINGS.join(', ')}, got ${quoted(item)}`);
    return known ?? 'JSONRPC';
  });
  const isOffered = bindings.some((binding) => versions.some((version) => hasBinding(version, binding)));
  if (bindings.length > 0 && !isOffered) {
    check.fault('bindings', `must include JSONRPC, because versions has only ${versions.join(', ')}`);
  }
  return [...new Set(bindings)];
}

/** A card of a version that is not served would list no interface that its clients can call. */
export function readCardForm(check: Check, given: Readonly<Record<string, unknown>>, { versions }: Offer): CardForm {
  const form = readWord(check, given['cardForm'], 'cardForm', ['superset', '1.0', '0.3']) ?? 'superset';
  if (form !== 'superset' && !versions.includes(form)) {
    check.fault('cardForm', `requires "${form}" in versions`);
  }
  return form;
}

export function readRpcPaths(check: Check, value: unknown, { profiles = [] }: Offer): readonly [string, ...string[]] {
  const paths = check.list(value, 'rpcPaths', 'paths', (item, path) => readPath(check, item, path) || '/');
  rejectEmpty(check, value, 'rpcPaths');
  for (const profile of profiles) {
    const own = PROFILE_PATHS[profile];
    // A profile has its card and its routes below its path; an endpoint there would shadow them.
    for (const path of paths.filter((each) => each === own || each.startsWith(`${own}/`)))
      check.fault('rpcPaths', `must not include ${path}, which belongs to the profile ${profile}`);
  }
  const usual = profiles.includes('agent-native') ? ['/', '/a2a'] : ['/a2a', '/'];
  const [first = '/a2a', ...others] = paths.length > 0 ? paths : usual;
  return [first, ...others];
}
