// `npm run bench:server [-- --seconds 4 --rounds 6]`: measures the companion's prime, with all its checks and
// two commits to disk, beside the same by hand (`bare`) and beside proxies that do neither. All contestants
// take turns in one run, with the same service over HTTPS behind them; ratios are of medians of the rounds.
// `-- --requests 1000000` sends as many primes to the companion afterwards and reports its memory.
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
    // Contestants beside the companion.
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

/** Until the compiler has optimized the functions that every request calls: a companion runs for weeks. */
const WARM_UP = { requests: 20_000, seconds: 15 };
/** The open loop: far below what a contestant can do, so that it measures time and not a queue. */
const OPEN_LOOP = { perSecond: 200, seconds: 3, connections };
/** Primes between two reports of the memory. */
const MEMORY_STEP = 50_000;
/** The load comes from one address: with limits the bench would measure the limits. */
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

/** Primes that were answered with a session. */
let answered = 0;
async function counted(load: Promise<Load>): Promise<Load> {
  const ended = await load;
  answered += ended.sent;
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

async function measureThroughput({ name, url, program }: Contestant, label: string) {
  const before = processorMs(program.pid);
  const { rps, sent } = await counted(closedLoop(url, target, { connections, seconds }));
  const microseconds = ((processorMs(program.pid) - before) * 1000) / sent;
  console.log(
    `${label}  ${name.padEnd(14)} ${rps.toFixed(0)} requests/s, ${microseconds.toFixed(0)} µs of a processor each`,
  );
  return rps;
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
  const companion = await programs.startCompanion(withoutLimits);
  contestants.push(companion);
  for (const { url } of contestants) {
    await counted(closedLoop(url, target, { connections, ...WARM_UP }));
  }
  const figures = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  for (let index = 1; index <= rounds; index++) {
    for (const contestant of contestants) {
      const rps = await measureThroughput(contestant, `round ${index}/${rounds}`);
      figures.get(contestant.name)?.push(rps);
    }
    for (const { name, url } of contestants) {
      if (name !== 'bare' && name !== 'companion') continue;
      times.get(name)?.push(...(await counted(openLoop(url, target, OPEN_LOOP))).times);
    }
  }
  for (let sent = 0; sent < requests; sent += MEMORY_STEP) {
    const step = Math.min(MEMORY_STEP, requests - sent);
    await counted(closedLoop(companion.url, target, { connections, requests: step }));
    const mb = residentMb(companion.program.pid).toFixed(0);
    console.log(`${sent + step} requests: ${mb} MB`);
  }
  // A program that invents sessions, or answers with one of them twice, is fast, too.
  const created = await sessionsCreated();
  if (created !== answered) throw new Error(`${answered} answers, ${created} sessions.`);
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
      rssMb: round(residentMb(companion.program.pid), 0),
    }),
  );
} finally {
  await programs.stop();
}
