/** Public declarations and members without a JSDoc comment. */
import { publicDeclarations, publicEntries, resolveLocal } from './public-api.ts';
import type { Declaration, Member } from './public-api.ts';

export interface Missing {
  readonly path: string;
  readonly line: number;
  /** `ServeOptions.port`, or the name of a declaration. */
  readonly name: string;
  /** Whether an entry exports it; otherwise an exported type mentions it. */
  readonly isExported: boolean;
}

export function missingHoverTexts(): readonly Missing[] {
  const entries = publicEntries();
  const exported = new Set(entries.flatMap(({ exports }) => [...exports.values()].flat()));
  // Constants in `typeof` only name the values of a type. Users do not see them.
  const declarations = publicDeclarations(entries).filter((one) => one.kind !== 'const' || exported.has(one));
  const documented = new Set(
    declarations.filter(({ doc }) => hasComment(doc)).map(({ path, name }) => `${path} ${name}`),
  );
  const missing = declarations.flatMap((declaration): Missing[] => {
    const { path, line, name } = declaration;
    const isExported = exported.has(declaration);
    const own = documented.has(`${path} ${name}`) ? [] : [{ path, line, name, isExported }];
    // Editors show the comment of another overload or of the base member.
    const members = declaration.members.filter(
      (member) => !hasComment(member.doc) && !declaration.members.some((other) => isSameWithDoc(member, other)),
    );
    const left = members.filter((member) => !inherits(declaration, member.name) && !isErrorName(declaration, member));
    return [...own, ...left.map((member) => ({ path, line: member.line, name: `${name}.${member.name}`, isExported }))];
  });
  return missing.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

function isSameWithDoc(member: Member, other: Member): boolean {
  return other.name === member.name && hasComment(other.doc);
}

/** `Error` documents its `name`. */
function isErrorName({ bases }: Declaration, { name }: Member): boolean {
  return name === 'name' && bases.includes('Error');
}

function inherits(declaration: Declaration, member: string): boolean {
  return declaration.bases
    .flatMap((base) => resolveLocal(declaration.path, base))
    .some((base) => base.members.some(({ name, doc }) => name === member && hasComment(doc)) || inherits(base, member));
}

function hasComment(doc: Declaration['doc']): boolean {
  return doc !== undefined && doc.text.trim() !== '';
}
