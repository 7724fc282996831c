import type { Chosen } from '../../client/request/endpoint.ts';
import type { AgentCard, AgentInterface } from '../../model/card.ts';
import type { SecurityScheme } from '../../model/security.ts';
import { oneLine, screen } from '../output/screen.ts';

/** Prints a card as text: one line for each field, lists indented below their names. */
export function printCard(card: AgentCard, chosen: Chosen): void {
  const { capabilities, provider, securitySchemes = {}, securityRequirements = [], signatures = [] } = card;
  field('Name', card.name);
  field('Description', card.description);
  field('Version', card.version);
  if (provider !== undefined) field('Provider', `${provider.organization} ${provider.url}`);
  if (card.documentationUrl !== undefined) field('Documentation', card.documentationUrl);
  screen.writeMarked(`${screen.mark('Interfaces', 'bold')}:`);
  const widest = Math.max(0, ...card.supportedInterfaces.map((each) => protocolOf(each).length));
  for (const each of card.supportedInterfaces) {
    const { protocolBinding, protocolVersion, url, tenant } = each;
    const isChosen =
      protocolBinding === chosen.binding && url === chosen.url && protocolVersion.startsWith(chosen.version);
    const where = tenant === undefined ? url : `${url}  tenant ${tenant}`;
    const line = `  ${isChosen ? '*' : ' '} ${protocolOf(each).padEnd(widest)}  ${oneLine(where)}`;
    screen.writeLine(line, isChosen ? 'green' : undefined);
  }
  const abilities = [
    ...(capabilities.streaming === true ? ['streaming'] : []),
    ...(capabilities.pushNotifications === true ? ['push notifications'] : []),
    ...(capabilities.extendedAgentCard === true ? ['extended card'] : []),
  ];
  field('Capabilities', abilities.join(', ') || 'none');
  for (const { uri, required } of capabilities.extensions ?? [])
    field('Extension', required === true ? `${uri} (required)` : uri);
  const schemes = Object.entries(securitySchemes).map(([name, scheme]) => `${name} (${kindOf(scheme)})`);
  field(
    'Security',
    schemes.length === 0 ? 'none' : `${schemes.join(', ')}${securityRequirements.length === 0 ? ', not required' : ''}`,
  );
  field('Input', card.defaultInputModes.join(', '));
  field('Output', card.defaultOutputModes.join(', '));
  field('Signatures', signatures.length === 0 ? 'none' : `${signatures.length}, not verified`);
  screen.writeMarked(`${screen.mark('Skills', 'bold')}:`);
  const width = Math.max(0, ...card.skills.map(({ id }) => oneLine(id).length));
  for (const { id, description, examples = [] } of card.skills) {
    const example = examples[0] === undefined ? '' : screen.mark(`  (example: ${oneLine(examples[0])})`, 'dim');
    screen.writeMarked(`    ${screen.mark(oneLine(id).padEnd(width), 'cyan')}  ${oneLine(description)}${example}`);
  }
}

function protocolOf({ protocolBinding, protocolVersion }: AgentInterface): string {
  return oneLine(`${protocolBinding} ${protocolVersion}`);
}

function field(label: string, value: string): void {
  screen.writeMarked(`${screen.mark(label, 'bold')}: ${oneLine(value)}`);
}

function kindOf(scheme: SecurityScheme): string {
  if ('apiKeySecurityScheme' in scheme) {
    const { location, name } = scheme.apiKeySecurityScheme;
    return `API key in ${location} ${name}`;
  }
  if ('httpAuthSecurityScheme' in scheme) return `HTTP ${scheme.httpAuthSecurityScheme.scheme}`;
  if ('oauth2SecurityScheme' in scheme) return 'OAuth2';
  return 'openIdConnectSecurityScheme' in scheme ? 'OpenID Connect' : 'mutual TLS';
}
