import { type Loss, LOSSES } from './losses.ts';

/** The losses of one direction as a Markdown table. */
export function lossTable(direction: Loss['direction']): string {
  const rows = LOSSES.filter((loss) => loss.direction === direction).map((loss) => [
    whatOf(loss),
    loss.dialects.join(', '),
    loss.reason,
  ]);
  const header = ['what', 'in', 'why'];
  return [header, header.map((cell) => '-'.repeat(cell.length)), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function whatOf({ members, values, holding, when }: Loss): string {
  const stringEnum = [members.map((member) => `\`${member}\``).join(', ')];
  if (values !== undefined)
    stringEnum.push(
      values.map((value) => (value === undefined ? 'not set' : `\`${JSON.stringify(value)}\``)).join(', '),
    );
  if (holding !== undefined) stringEnum.push(`with \`${holding}\``);
  if (when !== undefined) stringEnum.push(`if ${when}`);
  return stringEnum.join('; ');
}
