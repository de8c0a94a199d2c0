// `npm run bench:server [-- --seconds 4 --rounds 6]`: measures the companion's prime, with all its
// checks and two commits to disk, compared with the same work written by hand (`bare`) and with
// proxies that do neither. All contestants take turns in one run, with the same service over HTTPS
// behind them; ratios are of medians of the rounds. Afterwards `bare` and the companion receive
// primes until both have handled the same number, and their memory is measured; `-- --requests
// 1000000` sends as many more to each.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { compile } from '../scripts/compile.ts';
import { closedLoop, type Load, median, openLoop, percentile, primeBodies } from './server/load.ts';
import { type Contestant, origin, processorMs, Programs, residentMb } from './server/programs.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '6' },
    requests: { type: 'string', default: '0' },
    connections: { type: 'string', default: '64' },
    // Contestants other than the companion.
    against: { type: 'string', default: 'bare,raw,fastify-proxy,express-proxy' },
    // A folder for a CPU profile of the companion (`*.cpuprofile`).
    profile: { type: 'string' },
    // Runs the companion from its sources, without a build.
    source: { type: 'boolean', default: false },
  },
});
const wholeNumber = (name: 'seconds' | 'rounds' | 'connections' | 'requests', least: number) => {
  if (/^\d{1,8}$/.test(values[name]) && Number(values[name]) >= least) return Number(values[name]);
  console.error(`--${name} must be a whole number, ${least} or more.`);
  return process.exit(2);
};
const seconds = wholeNumber('seconds', 1);
const rounds = wholeNumber('rounds', 1);
const connections = wholeNumber('connections', 1);
const requests = wholeNumber('requests', 0);

/**
 * Warms up until the compiler has optimized the functions that every request calls, because a
 * companion runs for weeks.
 */
const WARM_UP = { requests: 20_000, seconds: 15 };
/**
 * The open loop: its rate is far below the capacity of a contestant, so that it measures latency
 * and not queueing.
 */
const OPEN_LOOP = { perSecond: 200, seconds: Math.ceil(30 / rounds), connections };
/** Number of prime requests after which the memory is reported again. */
const MEMORY_STEP = 50_000;
/** The load comes from one address, so rate limits would decide the result. */
const withoutLimits = {
  COMPANION_RATE_LIMIT_PER_ADDRESS: '0',
  COMPANION_RATE_LIMIT_PER_KEY: '0',
  COMPANION_RATE_LIMIT_OPEN_PER_ORDER: '0',
  COMPANION_RATE_LIMIT_PRIMES_PER_ORDER: '0',
  COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER: '0',
  FINANCING_CONCURRENCY: String(connections),
};

const round = (value: number, digits: number) => Number(value.toFixed(digits));

const programs = await Programs.create({
  connections,
  profile: values.profile === undefined ? undefined : resolve(values.profile),
  source: values.source,
});
const target = {
  ca: programs.ca,
  origin,
  publicKey: programs.publicKey,
  bodies: primeBodies(512, programs.secret),
};

/** Primes that each contestant answered with a session. */
const answered = new Map<string, number>();
const answeredBy = (name: string) => answered.get(name) ?? 0;
async function counted({ name }: Contestant, load: Promise<Load>): Promise<Load> {
  const ended = await load;
  answered.set(name, answeredBy(name) + ended.sent);
  return ended;
}

/** Returns how many sessions the service has created. */
async function sessionsCreated(): Promise<number> {
  const pool = new Pool(programs.upstreamUrl, { connect: { ca: programs.ca } });
  const { body } = await pool.request({ method: 'GET', path: '/made' });
  const created = Number(await body.text());
  await pool.close();
  return created;
}

async function measureThroughput(contestant: Contestant, label: string) {
  const { name, url, program } = contestant;
  const before = processorMs(program.pid);
  const load = closedLoop(url, target, { connections, seconds });
  const { rps, sent } = await counted(contestant, load);
  const microseconds = ((processorMs(program.pid) - before) * 1000) / sent;
  console.log(
    `${label}  ${name.padEnd(14)} ${rps.toFixed(0)} requests/s, ${microseconds.toFixed(0)} µs of a processor each`,
  );
  return rps;
}

/** Sends primes until a contestant has answered `total`, and returns its resident memory in megabytes. */
async function memoryAfter(contestant: Contestant, total: number): Promise<number> {
  const { name, url, program } = contestant;
  for (let left = total - answeredBy(name); left > 0; left = total - answeredBy(name)) {
    const load = closedLoop(url, target, { connections, requests: Math.min(MEMORY_STEP, left) });
    await counted(contestant, load);
    console.log(`${name}, ${answeredBy(name)} primes: ${residentMb(program.pid).toFixed(0)} MB`);
  }
  return round(residentMb(program.pid), 0);
}

const p50And99 = (times: readonly number[]) => ({
  p50: round(median(times), 2),
  p99: round(percentile(times, 0.99), 2),
});

try {
  if (!values.source) compile();
  await programs.start('upstream');
  const others = values.against === '' ? [] : values.against.split(',');
  const contestants: Contestant[] = [];
  for (const name of others) contestants.push(await programs.start(name));
  contestants.push(await programs.startCompanion(withoutLimits));
  const durable = contestants.filter(({ name }) => name === 'bare' || name === 'companion');
  for (const contestant of contestants) {
    await counted(contestant, closedLoop(contestant.url, target, { connections, ...WARM_UP }));
  }
  const figures = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  for (let index = 1; index <= rounds; index++) {
    for (const contestant of contestants) {
      const rps = await measureThroughput(contestant, `round ${index}/${rounds}`);
      figures.get(contestant.name)?.push(rps);
    }
    for (const contestant of durable) {
      const load = openLoop(contestant.url, target, OPEN_LOOP);
      times.get(contestant.name)?.push(...(await counted(contestant, load)).times);
    }
  }
  const total = requests + Math.max(...durable.map(({ name }) => answeredBy(name)));
  const memory = new Map<string, number>();
  for (const contestant of durable) {
    memory.set(contestant.name, await memoryAfter(contestant, total));
  }
  // A program that invents sessions, or returns one of them twice, would be fast without doing the
  // work.
  const created = await sessionsCreated();
  const sum = [...answered.values()].reduce((all, one) => all + one, 0);
  if (created !== sum) throw new Error(`${sum} answers, ${created} sessions.`);
  const rps = Object.fromEntries(
    [...figures].map(([name, all]) => [name, round(median(all), 0)]),
  ) as Record<string, number>;
  const ratio = (other: string) => round((rps.companion ?? 0) / (rps[other] ?? Number.NaN), 2);
  console.log(
    JSON.stringify({
      bench: 'server',
      rps,
      ratio: {
        vsBare: ratio('bare'),
        vsRaw: ratio('raw'),
        vsFastifyProxy: ratio('fastify-proxy'),
        vsExpressProxy: ratio('express-proxy'),
      },
      latencyMs: {
        at200: p50And99(times.get('companion') ?? []),
        bareAt200: p50And99(times.get('bare') ?? []),
      },
      rssMb: memory.get('companion'),
      bareRssMb: memory.get('bare'),
    }),
  );
} finally {
  await programs.stop();
}
