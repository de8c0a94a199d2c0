// `npm run bench:flood [-- --seconds 7 --rate 480 --route prequalifications]`: floods each public
// route of the companion and of the console in turn from four client addresses. At the same time it
// primes honest orders, each from its own address, or signs people in to the console and out of it,
// from one of the flood's addresses where the flood uses up nothing that they need. The service
// answers in 300 ms. The default takes about six minutes. Exits with 1 when anything honest was
// refused, or when its 95th percentile is more than 3 times that without a flood.
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { compile } from '../scripts/compile.ts';
import { root } from '../scripts/paths.ts';
import { consoleFloods, consoleSettings, Office } from './flood/console.ts';
import { type Flood, floods } from './flood/routes.ts';
import { newSecret, Proxy } from './flood/shopper.ts';
import { atRate, percentile } from './server/load.ts';
import { type Contestant, processorMs, Programs } from './server/programs.ts';

const { values } = parseArgs({
  options: {
    /** Seconds of each flood. */
    seconds: { type: 'string', default: '7' },
    /**
     * Requests per second from all four addresses together: each sends a minute's burst within a
     * second.
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
/** Honest primes, or sign-ins, per second. */
const HONEST_RATE = 15;
const WARM_UP_SECONDS = 2;
const QUIET_SECONDS = 3;
const MAX_RATIO = 3;
/** Shorter times count as this one, because people do not notice multiples of them. */
const NOTICED_MS = 100;
/** Maximum delay of the load generator: beyond it, the bench would measure the generator. */
const MAX_LATE_MS = 500;

/**
 * The honest primes or sign-ins of a phase: their times in milliseconds, and the answers other than a
 * session.
 */
interface Honest {
  times: number[];
  refusals: string[];
}

/** A program that is flooded, and what honest people do there. */
interface Target {
  program: Contestant['program'];
  proxy: Proxy;
  /** @param address one of the flood's, which people share; if undefined, they have their own */
  work: (seconds: number, address?: string) => Promise<Honest & { lateMs: number }>;
}

interface FloodResult {
  honest: Honest;
  /** Number of responses from the flooded route, by HTTP status. */
  statuses: Record<string, number>;
  calls: Record<string, number>;
  sent: number;
  lateMs: number;
  generatorMs: number;
  programMs: number;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const programs = await Programs.create({
  connections: 64,
  profile: undefined,
  source: false,
  settings: { BENCH_ANSWER_MS: String(ANSWER_MS) },
});
const service = new Pool(programs.upstreamUrl, { connect: { ca: programs.ca } });

/** Returns the calls that the service has received, by operation. */
async function callsOfService(): Promise<Record<string, number>> {
  const { body } = await service.request({ method: 'GET', path: '/calls' });
  return (await body.json()) as Record<string, number>;
}

/** Primes honest orders, each from its own address. */
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

/** Signs people in and out. */
async function workHonestly(office: Office, phase: number): Promise<Honest & { lateMs: number }> {
  const honest: Honest = { times: [], refusals: [] };
  const lateMs = await atRate({ perSecond: HONEST_RATE, seconds: phase }, async (due) => {
    const refusal = await office.work().catch(String);
    honest.times.push(performance.now() - due);
    if (refusal !== undefined) honest.refusals.push(refusal);
  });
  return { ...honest, lateMs };
}

async function floodRoute({ program, proxy, work }: Target, flood: Flood): Promise<FloodResult> {
  const next = await flood.prepare(proxy);
  const clients = Array.from({ length: ADDRESSES }, () => proxy.newClient());
  const statuses: Record<string, number> = {};
  let sent = 0;
  const before = await callsOfService();
  const processor = process.cpuUsage();
  const programBefore = processorMs(program.pid);
  const [lateMs, honest] = await Promise.all([
    atRate({ perSecond: rate, seconds }, async () => {
      const client = clients[sent++ % ADDRESSES] ?? '';
      const status = await proxy.send(client, next()).then(
        (answer) => String(answer.status),
        () => 'no answer',
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
    work(seconds, flood.hasNeighbors === true ? clients[0] : undefined),
  ]);
  const { user, system } = process.cpuUsage(processor);
  const programMs = processorMs(program.pid) - programBefore;
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
    programMs,
  };
}

/** @throws {Error} when the flood did not consist of the requests that the bench states */
function checkFlood(flood: Flood, { statuses, calls, sent, lateMs, honest }: FloodResult): void {
  const wrong = (reason: string) => {
    const seen = JSON.stringify({ statuses, calls });
    return new Error(`The flood of ${flood.route} measured something else: ${reason} ${seen}`);
  };
  const known = [...flood.reaches.map(String), '429', '503', '504'];
  // A checkout that has ended, or whose earlier confirmation is still running, answers 409.
  if (flood.route.includes('/:id/')) known.push('409');
  // A form that is submitted again while its first start is in progress gets a 409.
  if (flood.route === 'POST /checkout/start with one ticket') known.push('409');
  const others = Object.keys(statuses).filter((status) => !known.includes(status));
  if (others.length > 0) throw wrong(`answers ${others.join(', ')}.`);
  if (!flood.reaches.some((status) => (statuses[status] ?? 0) > 0))
    throw wrong('none got through.');
  if (flood.isLimited && !statuses['429']) throw wrong('no request was beyond the burst.');
  if (sent < rate * seconds) throw wrong(`only ${sent} requests were sent.`);
  if (lateMs > MAX_LATE_MS) throw wrong(`the generator was ${lateMs.toFixed(0)} ms late.`);
  const missing = flood.calls.filter((name) => !calls[name]);
  if (missing.length > 0) throw wrong(`the service had no call of ${missing.join(', ')}.`);
  if (flood.route.includes('/console/')) return;
  const primed = honest.times.length - honest.refusals.length;
  if ((calls.prime ?? 0) < primed) throw wrong(`${primed} honest sessions, and fewer primes.`);
}

/** Starts a separate companion for a route: a shared one would still poll other floods' checkouts. */
async function companion(): Promise<Target> {
  const { program, url } = await programs.startCompanion({
    NOTIFICATION_AUTHORIZATION: programs.secret,
    FINANCING_PROGRAMMES_FILE: join(root, 'examples', 'shop', 'programmes.json'),
    LOG_LEVEL: 'error',
  });
  const proxy = proxyOf(url);
  return { program, proxy, work: (phase) => primeHonestly(proxy, phase) };
}

const proxyOf = (url: string) =>
  new Proxy(url, { publicKey: programs.publicKey, ticketSecret: programs.secret });

/** Starts reconciliation with its console for a route, with the stand-in for the OpenID provider. */
async function signIns(issuer: string): Promise<Target> {
  const { program, url } = await programs.startReconciliation(consoleSettings(issuer));
  const proxy = proxyOf(url);
  const provider = new Pool(issuer, { connect: { ca: programs.ca } });
  const { body } = await provider.request({ method: 'GET', path: '/logout-token' });
  const { token } = (await body.json()) as { token: string };
  await provider.close();
  const work = (phase: number, address?: string) =>
    workHonestly(new Office(proxy, token, address), phase);
  return { program, proxy, work };
}

async function measureRoute(
  flood: Flood,
  target: Target,
): Promise<{ quiet: number[]; result: FloodResult }> {
  const { program, proxy, work } = target;
  try {
    await proxy.connect();
    // Warms up until the compiler has optimized some of the code that every request runs.
    await work(WARM_UP_SECONDS);
    const quiet = await work(QUIET_SECONDS);
    if (quiet.refusals.length > 0) {
      throw new Error(`An honest request without a flood got ${quiet.refusals[0]}`);
    }
    const result = await floodRoute(target, flood);
    checkFlood(flood, result);
    return { quiet: quiet.times, result };
  } finally {
    await proxy.close();
    await program.stop();
  }
}

function printRoute(route: string, quiet: readonly number[], result: FloodResult): void {
  const { honest, statuses, calls, generatorMs, programMs, lateMs } = result;
  const p95 = (times: readonly number[]) => percentile(times, 0.95).toFixed(0);
  console.log(
    [
      route.padEnd(43),
      `honest p95 ${p95(honest.times)} ms (quiet ${p95(quiet)})`,
      `refused ${honest.refusals.length} of ${honest.times.length}`,
      `answers ${JSON.stringify(statuses)}`,
      `calls ${JSON.stringify(calls)}`,
      `processor: generator ${generatorMs.toFixed(0)} ms, program ${programMs.toFixed(0)} ms`,
      `late ${lateMs.toFixed(0)} ms`,
    ].join('  '),
  );
  const [refusal] = honest.refusals;
  if (refusal !== undefined) console.log(`  first refusal: ${refusal}`);
}

/** Measures the floods that the options name, prints them, and returns how well the goal is met. */
async function measure(floods: readonly Flood[], start: () => Promise<Target>) {
  const quiet: number[] = [];
  const results = new Map<string, FloodResult>();
  for (const flood of floods) {
    const measured = await measureRoute(flood, await start());
    quiet.push(...measured.quiet);
    results.set(flood.route, measured.result);
    printRoute(flood.route, measured.quiet, measured.result);
  }
  const quietP95 = percentile(quiet, 0.95);
  const routes = [...results].map(([route, { honest }]) => {
    const p95 = percentile(honest.times, 0.95);
    const honestP95Ratio = round(p95 / quietP95, 2);
    const refused = honest.refusals.length;
    return {
      route,
      honestP95Ratio,
      refused,
      isMet: p95 <= MAX_RATIO * Math.max(quietP95, NOTICED_MS) && refused === 0,
    };
  });
  const generatorMs = [...results.values()].reduce((sum, one) => sum + one.generatorMs, 0);
  return { routes, quietP95, generatorMs };
}

let hasFailed = false;
try {
  compile();
  await programs.start('service', 'flood');
  const ofRoute = ({ route }: Flood) => route.includes(values.route);
  const ofPages = floods.filter(ofRoute);
  const ofConsole = consoleFloods.filter(ofRoute);
  const count = ofPages.length + ofConsole.length;
  if (count === 0) throw new Error(`No route contains "${values.route}".`);
  console.log(
    `${rate} requests/s from ${ADDRESSES} addresses for ${seconds} s a route, ${HONEST_RATE} honest primes or sign-ins/s beside them;` +
      ` the service answers in ${ANSWER_MS} ms; ${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(2)}`,
  );
  const pages = await measure(ofPages, companion);
  const provider = await programs.start('provider', 'flood');
  const issuer = provider.url.replace('http://127.0.0.1', 'https://localhost');
  const people = await measure(ofConsole, () => signIns(issuer));
  const routes = [...pages.routes, ...people.routes];
  const failed = routes.filter(({ isMet }) => !isMet);
  if (failed.length > 0) {
    hasFailed = true;
    console.error(`The goal is missed at ${failed.map(({ route }) => route).join(', ')}.`);
  }
  const generatorMs = pages.generatorMs + people.generatorMs;
  console.log(
    JSON.stringify({
      bench: 'flood',
      routes: Object.fromEntries(
        routes.map(({ route, honestP95Ratio, refused }) => [route, { honestP95Ratio, refused }]),
      ),
      quietP95Ms: round(pages.quietP95, 0),
      quietSignInP95Ms: round(people.quietP95, 0),
      ratePerSecond: rate,
      generatorProcessorShare: round(generatorMs / (count * seconds * 1000), 2),
    }),
  );
} finally {
  await service.close();
  await programs.stop();
}
process.exit(hasFailed ? 1 : 0);
