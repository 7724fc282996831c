import type { Chosen } from '../client/endpoint.ts';
import type { AgentCard } from '../model/card.ts';
import type { SecurityScheme } from '../model/security.ts';
import { oneLine, screen } from './screen.ts';

/** A card for people: fields on lines of their own, lists indented below their names. */
export function giveCard(card: AgentCard, chosen: Chosen): void {
  const { capabilities, provider, securitySchemes = {}, securityRequirements = [], signatures = [] } = card;
  field('Name', card.name);
  field('Description', card.description);
  field('Version', card.version);
  if (provider !== undefined) field('Provider', `${provider.organization} ${provider.url}`);
  if (card.documentationUrl !== undefined) field('Documentation', card.documentationUrl);
  screen.giveMarked(`${screen.mark('Interfaces', 'bold')}:`);
  for (const { protocolBinding, protocolVersion, url, tenant } of card.supportedInterfaces) {
    const isChosen =
      protocolBinding === chosen.binding && url === chosen.url && protocolVersion.startsWith(chosen.version);
    const line = `  ${isChosen ? '*' : ' '} ${protocolBinding} ${protocolVersion}  ${url}${tenant === undefined ? '' : `  tenant ${tenant}`}`;
    screen.giveLine(harmlessLine(line), isChosen ? 'green' : undefined);
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
    schemes.length === 0 ? 'open' : `${schemes.join(', ')}${securityRequirements.length === 0 ? ', not required' : ''}`,
  );
  field('Takes', card.defaultInputModes.join(', '));
  field('Gives', card.defaultOutputModes.join(', '));
  field('Signatures', signatures.length === 0 ? 'none' : `${signatures.length}, not checked`);
  screen.giveMarked(`${screen.mark('Skills', 'bold')}:`);
  for (const { id, description, examples = [] } of card.skills) {
    const example = examples[0] === undefined ? '' : ` Say: ${examples[0]}`;
    screen.giveMarked(`    ${screen.mark(oneLine(id), 'cyan')}  ${oneLine(description + example)}`);
  }
}

function field(label: string, value: string): void {
  screen.giveMarked(`${screen.mark(label, 'bold')}: ${oneLine(value)}`);
}

function harmlessLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
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
