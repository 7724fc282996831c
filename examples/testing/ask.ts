interface Answer {
  readonly task?: { readonly artifacts: readonly { readonly parts: readonly { readonly text: string }[] }[] };
  readonly error?: { readonly message: string };
}

/** What the tests are about: asks an agent of A2A 1.0 over REST, and asks again if it is busy. */
export async function ask(url: string, text: string, token = ''): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  for (;;) {
    const response = await fetch(`${url}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', authorization: `Bearer ${token}` },
      body: JSON.stringify({ message }),
    });
    if (response.status === 503) continue;
    const { task, error } = (await response.json()) as Answer;
    if (task === undefined) throw new Error(error?.message ?? 'Not a task');
    return task.artifacts.flatMap(({ parts }) => parts.map((part) => part.text)).join('');
  }
}
