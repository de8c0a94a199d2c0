// `npm run bench:console [-- --orders 1000000 --rounds 20]`: seeds a history that ends yesterday,
// runs it through the sandbox, the companion and `financing-reconcile serve`, all built, and opens
// each page of the console in Chromium. It measures the server's time for each page's requests
// (p95) and for decisions on cases, the first paint with a processor that is four times slower, the script of the first load
// after brotli, and the longest task while the list of orders is scrolled. Goals: 200 ms, 1 s, 200
// kB, 100 ms; figures never fail the run. The last line is JSON.
import { randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { bundle } from '../scripts/build.ts';
import { compile } from '../scripts/compile.ts';
import { chromiumArgs, findChromium } from '../scripts/chromium.ts';
import { startCompanion, startService } from '../tests/reconciliation/companion.ts';
import { policyOf } from '../tests/reconciliation/history.ts';
import { historyUntilNow, orderKey } from './console/history.ts';
import {
  firstLoad,
  scrollOrders,
  searchTimes,
  type ServerTime,
  serverTimes,
  signIn,
} from './console/visit.ts';
import { attended } from './reconciliation/processes.ts';
import { startReconciliation } from './reconciliation/program.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '20' },
  },
});
const whole = (name: 'orders' | 'rounds', least: number, most: number) => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  console.error(`--${name} must be a whole number from ${least} to ${most}.`);
  return process.exit(2);
};
const orders = whole('orders', 1_000, 10_000_000);
const rounds = whole('rounds', 1, 1_000);

/** Spreads consecutive numbers over all orders. */
const STRIDE = 7_919;
const pages: Readonly<Record<string, (round: number) => string>> = {
  today: () => '/console/',
  orders: (round) => `/console/orders${round % 2 === 0 ? '' : '?currency=USD'}`,
  order: (round) =>
    `/console/orders/${encodeURIComponent(orderKey(((round * STRIDE) % orders) + 1))}`,
  cases: () => '/console/cases',
  queue: (round) => `/console/cases?state=open&sort=${round % 2 === 0 ? 'money' : 'age'}`,
  money: () => '/console/money',
  close: () => '/console/close',
  journals: () => '/console/journals',
  imports: () => '/console/imports',
  sync: () => '/console/sync',
  actions: () => '/console/actions',
  help: () => '/console/help',
};
/** Searches for an order by its ID, for an amount, and for a lender. */
const searched = (round: number): string =>
  [orderKey(((round * STRIDE) % orders) + 1).replace('order:', ''), `${8 + round}.55`, 'Tamberley'][
    round % 3
  ] ?? '';
const SLOWED = 4;

compile();
bundle();
const history = historyUntilNow(orders);
const { fundings, from, ledgerLines } = history.summary;
console.log(`${orders} orders, ${ledgerLines} ledger lines, ${fundings} fundings`);
const folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
const service = await startService(history);
const companion = await startCompanion({ folder: join(folder, 'companion'), service, history });
const options = {
  folder: join(folder, 'reconciliation'),
  companionUrl: companion.url,
  history,
  policy: policyOf(history),
  store: `sqlite:${join(folder, 'facts.db')}`,
};
try {
  const loader = await startReconciliation(options);
  try {
    await loader.importLedger(createReadStream(history.ledger));
    const run = await loader.sync();
    console.log(`imported and synced from ${from}: ${run.state}`);
  } finally {
    await loader.stop();
  }
  // Only an access token opens a session.
  const token = randomBytes(32).toString('base64');
  const env = { RECONCILIATION_TOKENS: `bench cases,sync,imports,rebuild,money ${token}` };
  const program = await startReconciliation({ ...options, env });
  try {
    await attended(program.program, () => measure(program.url, token));
  } finally {
    await program.stop();
  }
} finally {
  await companion.program.stop();
  await service.program.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(url: string, token: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs() });
  try {
    const viewport = { width: 1280, height: 900 };
    const open = async () => {
      const context = await browser.newContext({ viewport });
      // `attended` notices a program that no longer works.
      context.setDefaultTimeout(0);
      return context;
    };
    const context = await open();
    const page = await context.newPage();
    page.on('pageerror', (error) => console.error(`The page threw: ${error.message}`));
    await signIn(page, url, token);
    const p95Ms: Record<string, number> = {};
    for (const [name, path] of Object.entries(pages)) {
      const times: ServerTime[] = [];
      for (let round = 0; round < rounds; round++) {
        times.push(...(await serverTimes(page, url + path(round))));
      }
      report(name, times);
    }
    await page.goto(`${url}/console/help`, { waitUntil: 'networkidle' });
    const searches: ServerTime[] = [];
    for (let round = 0; round < rounds; round++) {
      searches.push(...(await searchTimes(page, searched(round))));
    }
    if (searches.length < rounds) throw new Error('The search sent no requests.');
    report('search', searches);
    report('decision', await decisions(url, token));

    function report(name: string, times: ServerTime[]): void {
      p95Ms[name] = p95(times);
      const slowest = [...Map.groupBy(times, ({ path }) => path)]
        .map(([path, own]) => ({ path, ms: p95(own) }))
        .toSorted((one, other) => other.ms - one.ms)
        .slice(0, 4)
        .map(({ path, ms }) => `${path} ${ms}`);
      console.log(`${name}: p95 ${p95Ms[name]} ms (${slowest.join(', ')})`);
    }

    const loads = [];
    for (let round = 0; round < 5; round++) {
      // A new context has no cache.
      const fresh = await open();
      await fresh.addCookies(await context.cookies());
      loads.push(await firstLoad(await fresh.newPage(), `${url}/console/`, SLOWED));
      await fresh.close();
    }
    const firstPaintMs = Math.round(median(loads.map(({ paintMs }) => paintMs)));
    const bytes = Math.max(...loads.map(({ scriptBytes }) => scriptBytes));
    const scriptBrotliKb = Math.round(bytes / 100) / 10;

    const scrolled = await scrollOrders(page, url, 1);
    if (scrolled.moved === 0) throw new Error('The list of orders did not scroll.');
    const slowly = await scrollOrders(await context.newPage(), url, SLOWED);
    const longTaskMs = Math.round(scrolled.longest);
    console.log(
      `scrolled by ${Math.round(scrolled.moved)} pixels; longest task ${longTaskMs} ms, ${Math.round(slowly.longest)} ms on the slower processor`,
    );
    console.log(
      JSON.stringify({ bench: 'console', p95Ms, firstPaintMs, scriptBrotliKb, longTaskMs }),
    );
  } finally {
    await browser.close();
  }
}

/** Ignores cases by the request of a page of the queue, which answers with all that the page shows next. */
async function decisions(url: string, token: string): Promise<ServerTime[]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const shown = 'state=open&snoozed=false&merged=false';
  const listed = await fetch(`${url}/cases?${shown}&limit=${Math.min(rounds, 1_000)}`, { headers });
  const { cases } = (await listed.json()) as { cases: { id: string }[] };
  const times: ServerTime[] = [];
  for (const { id } of cases) {
    const started = performance.now();
    const answer = await fetch(`${url}/cases/${id}/ignore?shown=${encodeURIComponent(shown)}`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': id },
      body: JSON.stringify({ reason: 'measured' }),
    });
    if (!answer.ok) throw new Error(`A decision was answered ${answer.status}.`);
    await answer.arrayBuffer();
    times.push({ path: '/cases/{caseId}/ignore', ms: performance.now() - started });
  }
  return times;
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((one, other) => one - other);
}

function p95(times: readonly ServerTime[]): number {
  const all = sorted(times.map(({ ms }) => ms));
  return Math.round(all[Math.ceil(all.length * 0.95) - 1] ?? 0);
}

function median(numbers: readonly number[]): number {
  return sorted(numbers)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
