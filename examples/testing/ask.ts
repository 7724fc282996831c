import { connect } from 'tandem-a2a';

/** What the tests are about: asks an agent, whatever version it speaks. */
export async function ask(url: string, text: string, token = 'none'): Promise<string> {
  await using agent = await connect(url, { auth: token });
  return await agent.ask(text);
}
