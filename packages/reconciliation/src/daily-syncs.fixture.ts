import { readConfiguration } from './config/config.ts';
import { type Clock, systemClock } from '@financing-checkout/kit';
import { serve } from './serve.ts';

// Runs the program in a process whose clock the test advances.
let shift = 0;
process.on('message', (ms) => {
  shift += Number(ms);
});
process.on('disconnect', () => process.exit(1));
const clock: Clock = {
  now: () => Date.now() + shift,
  after: (ms, callback) => systemClock.after(ms, callback),
};
const server = await serve(
  readConfiguration(process.env, () => ''),
  { clock, tickMs: 50 },
);
process.send?.(server.url);
