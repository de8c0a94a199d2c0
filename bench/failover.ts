// `npm run bench:failover [-- --promotions 100 --rate 200 --seed 1]`: shoppers pay orders, and
// others are primed at a fixed rate, while the primary PostgreSQL is killed (SIGKILL) and its
// synchronous standby is promoted. Companions and reconciliation find the new primary by the list
// of hosts. The former primary restarts as it was, alongside its successor, and must get no write.
// Afterwards the service's charges, the companion's ledger and the shop's orders must agree one to
// one. Then an asynchronous standby that was cut off is promoted (`--losses 4` times): the
// companions must name each charge and refund that it lacks. `--promotions 3` ends within two
// minutes; Ctrl-C ends a run after the current promotion. Exits with 1 when anything is lost,
// doubled, stuck or undetected, when a former primary was written to, or when a companion answered
// no prime for more than 10 seconds.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compile } from '../scripts/compile.ts';
import { runLosses } from './failover/losses.ts';
import { runFailover } from './failover/run.ts';

const { values } = parseArgs({
  options: {
    promotions: { type: 'string', default: '100' },
    companions: { type: 'string', default: '2' },
    rate: { type: 'string', default: '200' },
    shoppers: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    losses: { type: 'string', default: '4' },
  },
});
const wholeNumber = (name: keyof typeof values) => {
  if (/^[1-9]\d{0,6}$/.test(values[name])) return Number(values[name]);
  console.error(`--${name} must be a whole number, 1 or more.`);
  return process.exit(2);
};
const MAX_OUTAGE_SECONDS = 10;

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());

compile();
const result = await runFailover({
  promotions: wholeNumber('promotions'),
  companions: wholeNumber('companions'),
  rate: wholeNumber('rate'),
  shoppers: wholeNumber('shoppers'),
  loadMs: 1_000,
  seed: wholeNumber('seed'),
  patienceMs: 120_000,
  signal: interrupted.signal,
  say: (line) => console.log(line),
});
const losses = await runLosses({
  promotions: interrupted.signal.aborted ? 0 : wholeNumber('losses'),
  seed: wholeNumber('seed'),
  patienceMs: 60_000,
  signal: interrupted.signal,
  say: (line) => console.log(line),
});
for (const line of losses.undetected) console.log(`undetected: ${line}`);
for (const list of ['lost', 'doubled', 'stuck'] as const) {
  for (const line of result[list].slice(0, 20)) console.log(`${list}: ${line}`);
}
console.log(
  `load of the machine: ${loadavg()
    .map((value) => value.toFixed(1))
    .join(', ')}`,
);
const { lost, doubled, stuck, ...figures } = result;
const counts = {
  lost: lost.length,
  doubled: doubled.length + losses.doubled.length,
  stuck: stuck.length,
  undetected: losses.undetected.length,
};
console.log(JSON.stringify({ bench: 'failover', ...figures, lossesMade: losses.lost, ...counts }));
const isWrong =
  counts.lost + counts.doubled + counts.stuck + counts.undetected + figures.writesToFormer > 0 ||
  figures.worstOutageSeconds > MAX_OUTAGE_SECONDS;
process.exit(isWrong ? 1 : 0);
