/** CopilotKit's aimock: a server of canned responses, for tests of agents. */
import { A2AMock } from '@copilotkit/aimock';

import { serveCalls } from './calls.mjs';

serveCalls({
  serve() {
    const mock = new A2AMock();
    mock.registerAgent({
      name: 'mock',
      description: 'Says what it was told to say.',
      capabilities: { streaming: true },
    });
    mock.onMessage('mock', 'greet', [{ text: 'Good morning.' }]);
    mock.onTask('mock', 'report', [{ name: 'report.txt', parts: [{ text: 'One, two, three.' }] }]);
    return mock.start();
  },
});
