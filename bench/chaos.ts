// `npm run bench:chaos [-- --checkouts 1000 --kills 100 --seed 1 --store sqlite|postgres]`: orders
// are paid while the companion is killed (SIGKILL) at random moments and the service resets, delays
// and lies; afterwards the companion's ledger, the shop's orders and the service's charges must
// agree one to one. The plan follows from the seed. Ends with 1 when anything is lost, doubled or
// stuck, or when there was less chaos than was asked for.
import { parseArgs } from 'node:util';
import { compile } from '../scripts/build.ts';
import { runChaos } from './chaos/run.ts';

const { values } = parseArgs({
  options: {
    checkouts: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'sqlite' },
    companions: { type: 'string' },
    shoppers: { type: 'string', default: '24' },
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

compile();
const started = performance.now();
const kills = wholeNumber('kills', values.kills, 0);
const result = await runChaos({
  checkouts,
  kills,
  seed,
  store,
  companions,
  shoppers: wholeNumber('shoppers', values.shoppers, 1),
  deadlineMs: 1_000,
  patienceMs: 120_000,
  say: (line) => console.log(line),
});
for (const kind of ['lost', 'doubled', 'stuck'] as const) {
  for (const line of result[kind].slice(0, 20)) console.log(`${kind}: ${line}`);
}
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  `${checkouts} orders, ${result.kills} kills, ${result.faults} spoiled requests in ${seconds} s`,
);
if (result.forgedWebhooks > 0)
  console.log(`${result.forgedWebhooks} webhooks with a wrong signature`);
// The last moments of a plan may come when all is done; in fair weather nothing is proved.
const calm = result.kills < kills * 0.9 || (checkouts >= 20 && result.faults === 0);
if (calm) console.error('There was less chaos than was asked for.');
const [lost, doubled, stuck] = [result.lost.length, result.doubled.length, result.stuck.length];
console.log(
  JSON.stringify({ bench: 'chaos', checkouts, kills: result.kills, lost, doubled, stuck, seed }),
);
// At once: shoppers who were given up would go on asking.
process.exit(calm || lost + doubled + stuck + result.forgedWebhooks > 0 ? 1 : 0);
