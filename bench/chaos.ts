// `npm run bench:chaos [-- --checkouts 800 --kills 80 --seed 1 --store sqlite|postgres
// --idempotency kept|token-only|both]`: pays orders while it kills the companion (SIGKILL) at
// random moments and the service resets, delays and falsifies answers. Afterwards the companion's
// ledger, the shop's orders and the service's charges must agree one to one. Two kinds of service
// run in turn, each with half of the orders: one answers a repeated charge request with its charge,
// the other only rejects a used token. The seed determines the plan. Before that, the bench floods
// the companion with confirmations with made-up tokens. It exits with 1 when anything is lost,
// doubled or stuck, when there was less chaos than requested, or when one made-up confirmation
// caused more than 5 calls to the service.
import { parseArgs } from 'node:util';
import { compile } from '../scripts/compile.ts';
import { runFlood } from './chaos/flood.ts';
import { type ChargeIdempotency, chargeIdempotencies, runChaos } from './chaos/run.ts';

const { values } = parseArgs({
  options: {
    checkouts: { type: 'string', default: '800' },
    kills: { type: 'string', default: '80' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'sqlite' },
    companions: { type: 'string' },
    shoppers: { type: 'string', default: '24' },
    idempotency: { type: 'string', default: 'both' },
  },
});
const wholeNumber = (name: string, text: string, least: number) => {
  if (/^\d{1,7}$/.test(text) && Number(text) >= least) return Number(text);
  console.error(`--${name} must be a whole number, ${least} or more.`);
  return process.exit(2);
};
const { store } = values;
if (store !== 'sqlite' && store !== 'postgres') {
  console.error('--store must be sqlite or postgres.');
  process.exit(2);
}
const checkouts = wholeNumber('checkouts', values.checkouts, 1);
const seed = wholeNumber('seed', values.seed, 0);
const companions = wholeNumber(
  'companions',
  values.companions ?? (store === 'postgres' ? '3' : '1'),
  1,
);
if (store === 'sqlite' && companions > 1) {
  console.error('--companions 2 and more share a PostgreSQL: add --store postgres.');
  process.exit(2);
}

const { idempotency } = values;
const kinds = chargeIdempotencies.filter((kind) => idempotency === 'both' || idempotency === kind);
if (kinds.length === 0) {
  console.error(`--idempotency must be ${chargeIdempotencies.join(', ')} or both.`);
  process.exit(2);
}
const kills = wholeNumber('kills', values.kills, 0);
const shoppers = wholeNumber('shoppers', values.shoppers, 1);
/** Returns the share of a number for one kind of service. */
const share = (whole: number, index: number) =>
  Math.floor(whole / kinds.length) + (index < whole % kinds.length ? 1 : 0);

compile();
const flood = await runFlood();
console.log(
  `${flood.confirmations} made-up confirmations: ${flood.callsPerConfirmation} calls each; an honest prime took ${flood.primeMs} ms before and ${flood.primeMsInFlood} ms beside them`,
);
console.log(JSON.stringify({ bench: 'chaos-flood', ...flood }));
let hasFailed = flood.callsPerConfirmation > 5;
for (const [index, kind] of kinds.entries()) {
  hasFailed = (await runOne(kind, share(checkouts, index), share(kills, index))) || hasFailed;
}
// Exits at once, because the shoppers that timed out would continue to send requests.
process.exit(hasFailed ? 1 : 0);

/** Runs the chaos with one kind of service. @returns whether it failed */
async function runOne(kind: ChargeIdempotency, checkouts: number, kills: number): Promise<boolean> {
  if (checkouts === 0) return false;
  console.log(`A service with the idempotency ${kind}:`);
  const started = performance.now();
  const result = await runChaos({
    checkouts,
    kills,
    seed,
    store: store === 'postgres' ? 'postgres' : 'sqlite',
    companions,
    shoppers,
    idempotency: kind,
    deadlineMs: 1_000,
    patienceMs: 120_000,
    say: (line) => console.log(line),
  });
  for (const list of ['lost', 'doubled', 'stuck'] as const) {
    for (const line of result[list].slice(0, 20)) console.log(`${list}: ${line}`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${checkouts} orders, ${result.kills} kills, ${result.faults} spoiled requests in ${seconds} s`,
  );
  if (result.forgedWebhooks > 0)
    console.log(`${result.forgedWebhooks} webhooks with a wrong signature`);
  // The last kills of a plan may come after the last order. A run without chaos proves nothing.
  const isCalm = result.kills < kills * 0.9 || (checkouts >= 20 && result.faults === 0);
  if (isCalm) console.error('There was less chaos than was asked for.');
  const [lost, doubled, stuck] = [result.lost.length, result.doubled.length, result.stuck.length];
  const counts = { checkouts, kills: result.kills, lost, doubled, stuck, seed };
  console.log(JSON.stringify({ bench: 'chaos', idempotency: kind, ...counts }));
  return isCalm || lost + doubled + stuck + result.forgedWebhooks > 0;
}
