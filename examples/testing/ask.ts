import { connect } from 'tandem-a2a';

/** The function under test: asks an agent of any protocol version. */
export async function ask(url: string, text: string, token = 'none'): Promise<string> {
  await using agent = await connect(url, { auth: token });
  return await agent.ask(text);
}
