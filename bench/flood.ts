// `npm run bench:flood [-- --seconds 7 --rate 480 --route prequalifications]`: floods each public
// route of the companion in turn from four client addresses, and primes honest orders at the same
// time, each from an address of its own. The service answers in 300 ms. The default takes about
// four minutes. Exits with 1 when an honest prime was refused, or when the honest primes' 95th
// percentile is more than 3 times that without a flood.
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { compile } from '../scripts/compile.ts';
import { root } from '../scripts/paths.ts';
import { type Flood, floods } from './flood/routes.ts';
import { newSecret, Proxy } from './flood/shopper.ts';
import { atRate, percentile } from './server/load.ts';
import { processorMs, Programs } from './server/programs.ts';

const { values } = parseArgs({
  options: {
    /** Seconds of each flood. */
    seconds: { type: 'string', default: '7' },
    /**
     * Requests per second, for all four addresses together: each sends its burst of a minute within
     * a second.
     */
    rate: { type: 'string', default: '480' },
    /** Floods only the routes that contain this text. */
    route: { type: 'string', default: '' },
  },
});
const wholeNumber = (name: 'seconds' | 'rate') => {
  if (/^\d{1,5}$/.test(values[name]) && Number(values[name]) >= 4) return Number(values[name]);
  console.error(`--${name} must be a whole number, 4 or more.`);
  return process.exit(2);
};
const seconds = wholeNumber('seconds');
const rate = wholeNumber('rate');

const ADDRESSES = 4;
const ANSWER_MS = 300;
/** Honest primes per second. */
const HONEST_RATE = 15;
const WARM_UP_SECONDS = 2;
const QUIET_SECONDS = 3;
const MAX_RATIO = 3;
/** Maximum delay of the load generator: beyond it, the bench would measure the generator. */
const MAX_LATE_MS = 500;

/**
 * The honest primes of a phase: their times in milliseconds, and the answers other than a session.
 */
interface Honest {
  times: number[];
  refusals: string[];
}

interface FloodResult {
  honest: Honest;
  /** Answers of the flooded route, by status. */
  statuses: Record<string, number>;
  calls: Record<string, number>;
  sent: number;
  lateMs: number;
  generatorMs: number;
  companionMs: number;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const programs = await Programs.create({
  connections: 64,
  profile: undefined,
  source: false,
  settings: { BENCH_ANSWER_MS: String(ANSWER_MS) },
});
const service = new Pool(programs.upstreamUrl, { connect: { ca: programs.ca } });

/** Returns the calls that the service has had, by operation. */
async function callsOfService(): Promise<Record<string, number>> {
  const { body } = await service.request({ method: 'GET', path: '/calls' });
  return (await body.json()) as Record<string, number>;
}

/** Primes honest orders, each from an address of its own. */
async function primeHonestly(proxy: Proxy, phase: number): Promise<Honest & { lateMs: number }> {
  const honest: Honest = { times: [], refusals: [] };
  const sessions = new Set<string>();
  const lateMs = await atRate({ perSecond: HONEST_RATE, seconds: phase }, async (due) => {
    const { status, text } = await proxy
      .send(proxy.newClient(), proxy.prime(newSecret()))
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
    honest.times.push(performance.now() - due);
    const session = /"sessionToken":"(session-\d+)"/.exec(text)?.[1];
    if (status !== 201 || session === undefined || sessions.has(session)) {
      honest.refusals.push(`${status} ${text}`);
    } else sessions.add(session);
  });
  return { ...honest, lateMs };
}

async function floodRoute(proxy: Proxy, flood: Flood, companionPid: number): Promise<FloodResult> {
  const next = await flood.prepare(proxy);
  const clients = Array.from({ length: ADDRESSES }, () => proxy.newClient());
  const statuses: Record<string, number> = {};
  let sent = 0;
  const before = await callsOfService();
  const processor = process.cpuUsage();
  const companionBefore = processorMs(companionPid);
  const [lateMs, honest] = await Promise.all([
    atRate({ perSecond: rate, seconds }, async () => {
      const client = clients[sent++ % ADDRESSES] ?? '';
      const status = await proxy.send(client, next()).then(
        (answer) => String(answer.status),
        () => 'no answer',
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
    primeHonestly(proxy, seconds),
  ]);
  const { user, system } = process.cpuUsage(processor);
  const companionMs = processorMs(companionPid) - companionBefore;
  const after = await callsOfService();
  const calls = Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
  return {
    honest,
    statuses,
    calls,
    sent,
    lateMs: Math.max(lateMs, honest.lateMs),
    generatorMs: (user + system) / 1000,
    companionMs,
  };
}

/** @throws {Error} when the flood did not consist of the requests that the bench states */
function checkFlood(flood: Flood, { statuses, calls, sent, lateMs, honest }: FloodResult): void {
  const wrong = (reason: string) => {
    const seen = JSON.stringify({ statuses, calls });
    return new Error(`The flood of ${flood.route} measured something else: ${reason} ${seen}`);
  };
  const known = [...flood.reaches.map(String), '429', '503', '504'];
  // A checkout that ended, or whose earlier confirmation runs, answers 409.
  if (flood.route.includes('/:id/')) known.push('409');
  const others = Object.keys(statuses).filter((status) => !known.includes(status));
  if (others.length > 0) throw wrong(`answers ${others.join(', ')}.`);
  if (!flood.reaches.some((status) => (statuses[status] ?? 0) > 0))
    throw wrong('none got through.');
  if (flood.isLimited && !statuses['429']) throw wrong('no request was beyond the burst.');
  if (sent < rate * seconds) throw wrong(`only ${sent} requests were sent.`);
  if (lateMs > MAX_LATE_MS) throw wrong(`the generator was ${lateMs.toFixed(0)} ms late.`);
  const missing = flood.calls.filter((name) => !calls[name]);
  if (missing.length > 0) throw wrong(`the service had no call of ${missing.join(', ')}.`);
  const primed = honest.times.length - honest.refusals.length;
  if ((calls.prime ?? 0) < primed) throw wrong(`${primed} honest sessions, and fewer primes.`);
}

/** Measures a route on a companion of its own: another flood's checkouts would still be polled. */
async function measureRoute(flood: Flood): Promise<{ quiet: number[]; result: FloodResult }> {
  const companion = await programs.startCompanion({
    NOTIFICATION_AUTHORIZATION: programs.secret,
    FINANCING_PROGRAMMES_FILE: join(root, 'examples', 'shop', 'programmes.json'),
    LOG_LEVEL: 'error',
  });
  const proxy = new Proxy(companion.url, {
    publicKey: programs.publicKey,
    ticketSecret: programs.secret,
  });
  try {
    await proxy.connect();
    // Warms up until the compiler has optimized some of the code that every request runs.
    await primeHonestly(proxy, WARM_UP_SECONDS);
    const quiet = await primeHonestly(proxy, QUIET_SECONDS);
    if (quiet.refusals.length > 0) {
      throw new Error(`An honest prime without a flood got ${quiet.refusals[0]}`);
    }
    const result = await floodRoute(proxy, flood, companion.program.pid);
    checkFlood(flood, result);
    return { quiet: quiet.times, result };
  } finally {
    await proxy.close();
    await companion.program.stop();
  }
}

function printRoute(route: string, quiet: readonly number[], result: FloodResult): void {
  const { honest, statuses, calls, generatorMs, companionMs, lateMs } = result;
  const p95 = (times: readonly number[]) => percentile(times, 0.95).toFixed(0);
  console.log(
    [
      route.padEnd(43),
      `honest p95 ${p95(honest.times)} ms (quiet ${p95(quiet)})`,
      `refused ${honest.refusals.length} of ${honest.times.length}`,
      `answers ${JSON.stringify(statuses)}`,
      `calls ${JSON.stringify(calls)}`,
      `processor: generator ${generatorMs.toFixed(0)} ms, companion ${companionMs.toFixed(0)} ms`,
      `late ${lateMs.toFixed(0)} ms`,
    ].join('  '),
  );
  const [refusal] = honest.refusals;
  if (refusal !== undefined) console.log(`  first refusal: ${refusal}`);
}

let hasFailed = false;
try {
  compile();
  await programs.start('service', 'flood');
  const all = floods.filter(({ route }) => route.includes(values.route));
  if (all.length === 0) throw new Error(`No route contains "${values.route}".`);
  console.log(
    `${rate} requests/s from ${ADDRESSES} addresses for ${seconds} s a route, ${HONEST_RATE} honest primes/s beside them;` +
      ` the service answers in ${ANSWER_MS} ms; ${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(2)}`,
  );
  const quiet: number[] = [];
  const results = new Map<string, FloodResult>();
  for (const flood of all) {
    const measured = await measureRoute(flood);
    quiet.push(...measured.quiet);
    results.set(flood.route, measured.result);
    printRoute(flood.route, measured.quiet, measured.result);
  }
  const quietP95 = percentile(quiet, 0.95);
  const routes = Object.fromEntries(
    [...results].map(([route, { honest }]) => [
      route,
      {
        honestP95Ratio: round(percentile(honest.times, 0.95) / quietP95, 2),
        refused: honest.refusals.length,
      },
    ]),
  );
  const failed = Object.entries(routes).filter(
    ([, { honestP95Ratio, refused }]) => !(honestP95Ratio <= MAX_RATIO) || refused > 0,
  );
  if (failed.length > 0) {
    hasFailed = true;
    console.error(`The goal is missed at ${failed.map(([route]) => route).join(', ')}.`);
  }
  const generatorMs = [...results.values()].reduce((sum, one) => sum + one.generatorMs, 0);
  console.log(
    JSON.stringify({
      bench: 'flood',
      routes,
      quietP95Ms: round(quietP95, 0),
      ratePerSecond: rate,
      generatorProcessorShare: round(generatorMs / (results.size * seconds * 1000), 2),
    }),
  );
} finally {
  await service.close();
  await programs.stop();
}
process.exit(hasFailed ? 1 : 0);
