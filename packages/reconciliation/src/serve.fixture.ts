// Runs the program in a process that tests can kill or pause. Prints the program's URL.
import { readConfiguration } from './config/config.ts';
import { serve } from './serve.ts';

const server = await serve(
  readConfiguration(process.env, () => ''),
  { leaseMs: 12_000, tickMs: 100, logger: { log: () => undefined } },
);
process.stdout.write(`${server.url}\n`);
process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
