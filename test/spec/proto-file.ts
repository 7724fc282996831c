import type { Call, Member, Shape, Spec } from './shape.ts';

/** JSON types of the scalar types of a proto file. */
const SCALARS: Readonly<Record<string, Shape>> = {
  string: { kind: 'string' },
  bytes: { kind: 'bytes' },
  bool: { kind: 'boolean' },
  int32: { kind: 'integer' },
  'google.protobuf.Struct': { kind: 'object' },
  'google.protobuf.Value': { kind: 'any' },
  'google.protobuf.Timestamp': { kind: 'timestamp' },
  'google.protobuf.Empty': { kind: 'null' },
};

const TOKEN = /"[^"]*"|[A-Za-z_][\w.]*|\d+|[{}()[\]<>=;,:/*]/g;

/** Parses the part of the proto language that the protocol definitions use. @throws Error on anything else */
export function parseProto(text: string): Spec {
  const tokens = text.replace(/\/\/.*$/gm, '').match(TOKEN) ?? [];
  const types = new Map<string, readonly Member[]>();
  const enums = new Map<string, readonly string[]>();
  const calls: Call[] = [];
  let at = 0;

  const next = (): string => tokens[at++] ?? '';
  const peek = (): string => tokens[at] ?? '';
  function expect(token: string): void {
    const found = next();
    if (found !== token)
      throw new Error(`expected ${token} before "${tokens.slice(at, at + 5).join(' ')}", found ${found}`);
  }
  /** Skips to the end of a statement, including braces. */
  function skipStatement(): void {
    for (let depth = 0; at < tokens.length;) {
      const token = next();
      if (token === '{') depth++;
      if (token === '}') depth--;
      if (depth === 0 && (token === ';' || token === '}')) return;
    }
  }
  function block(read: () => void): void {
    expect('{');
    while (peek() !== '}') read();
    expect('}');
  }

  function readEnum(): void {
    const stringEnum: string[] = [];
    enums.set(next(), stringEnum);
    block(() => {
      stringEnum.push(next());
      skipStatement();
    });
  }

  function readMessage(): void {
    const members: Member[] = [];
    types.set(next(), members);
    block(() => {
      if (peek() !== 'oneof') {
        members.push(readField());
        return;
      }
      next();
      const oneOf = next();
      block(() => members.push({ ...readField(), presence: 'optional', oneOf }));
    });
  }

  function readField(): Member {
    const label = peek() === 'repeated' || peek() === 'optional' ? next() : '';
    const type = next();
    let shape = shapeOf(type);
    if (type === 'map') {
      expect('<');
      next();
      expect(',');
      shape = { kind: 'map', item: shapeOf(next()) };
      expect('>');
    } else if (label === 'repeated') {
      shape = { kind: 'list', item: shape };
    }
    const name = next();
    const options: string[] = [];
    while (peek() !== ';') options.push(next());
    expect(';');
    const jsonName = options[options.indexOf('json_name') + 2];
    // The absence of a message is distinguishable, that of a scalar only if it is marked.
    const isMessage =
      shape.kind === 'type' || shape.kind === 'object' || shape.kind === 'any' || shape.kind === 'timestamp';
    const unlessRequired = label === 'optional' || isMessage ? 'optional' : 'defaulted';
    return {
      name: options.includes('json_name') && jsonName !== undefined ? jsonName.slice(1, -1) : camelCase(name),
      shape,
      presence: options.includes('REQUIRED') ? 'required' : unlessRequired,
    };
  }

  function readCall(): void {
    if (peek() !== 'rpc') {
      skipStatement();
      return;
    }
    next();
    const method = next();
    expect('(');
    const input = shapeOf(next());
    expect(')');
    expect('returns');
    expect('(');
    if (peek() === 'stream') next();
    const output = shapeOf(next());
    expect(')');
    skipStatement();
    calls.push({ method, input, output });
  }

  while (at < tokens.length) {
    const keyword = next();
    if (keyword === 'message') readMessage();
    else if (keyword === 'enum') readEnum();
    else if (keyword === 'service') {
      next();
      block(readCall);
    } else skipStatement();
  }
  return {
    types: new Map([...types].map(([name, members]) => [name, members.map((one) => resolve(one, enums))])),
    calls,
  };
}

function shapeOf(type: string): Shape {
  return SCALARS[type] ?? { kind: 'type', name: type };
}

/** Enums may be used before they are declared, so they are distinguished from messages at the end. */
function resolve(member: Member, enums: ReadonlyMap<string, readonly string[]>): Member {
  const stringEnum = member.shape.kind === 'type' ? enums.get(member.shape.name) : undefined;
  if (stringEnum === undefined) return member;
  const presence = member.presence === 'optional' ? 'defaulted' : member.presence;
  return { ...member, shape: { kind: 'word', stringEnum }, presence };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
