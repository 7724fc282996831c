/** Calls the greeter, or the agent at the URL in the first argument. */
import { connect } from 'tandem-a2a';

const greeter = await connect(process.argv[2] ?? 'http://127.0.0.1:4100');
console.log(await greeter.ask('Ada')); // Hello, Ada!

for await (const event of greeter.stream('Bob')) console.log(event.type, event.text);
await greeter.close();
