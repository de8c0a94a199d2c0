// `npm run bench:fuzz -- --target storefront --requests 100000 --seed 7`: sends generated bad requests to
// the companion's two listeners and the sandbox's API, or to one of them. A listener must answer each
// request that HTTP allows, and answer or close the others, never with a 5xx, a key or a stack trace.
// Its memory must not grow, and it must still answer a good request at the end.
import { parseArgs } from 'node:util';
import { compile } from '../scripts/compile.ts';
import { Chance } from './fuzz/chance.ts';
import { companion } from './fuzz/companion.ts';
import { faultOf, logTells, median, residentBytes, type Fault } from './fuzz/judge.ts';
import { fuzzRequest, type FuzzRequest } from './fuzz/requests.ts';
import { sandboxApi } from './fuzz/sandbox.ts';
import { createSender } from './fuzz/send.ts';
import type { Target, TargetKind } from './fuzz/target.ts';

const kinds: Readonly<Record<string, TargetKind>> = {
  storefront: companion('storefront'),
  'back-office': companion('back-office'),
  sandbox: sandboxApi,
};
/** Requests to each listener when all are tested; takes less than five minutes. */
const REQUESTS = { all: '20000', one: '100000' };

/** Number of concurrent requests. */
const CONCURRENCY = 16;
/** Fraction of the run after which memory must not grow. */
const WARM_UP = 0.3;
/**
 * Allowed growth after that, for garbage that is not collected yet. The heap reaches its working size
 * after some 30 000 requests, so a shorter run may grow more.
 */
const MAX_GROWTH_MB = { warm: 64, short: 192 };
const SHORT_RUN = 60_000;
/** Maximum fraction of requests that fail authentication; more would test only that. */
const MAX_UNAUTHORIZED = 0.4;

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'all' },
    requests: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    // Repeats requests of a run, such as `1918,1930` over one connection, and prints them.
    replay: { type: 'string' },
  },
});
const all = values.target === 'all';
const names = all ? Object.keys(kinds) : [values.target];
const requests = wholeNumber('--requests', values.requests ?? (all ? REQUESTS.all : REQUESTS.one));
const seed = wholeNumber('--seed', values.seed);
const replay = values.replay?.split(',').map((index) => wholeNumber('--replay', index));
if (!names.every((name) => name in kinds)) {
  stopWith(`There is no target ${values.target}. Known: all, ${Object.keys(kinds).join(', ')}.`);
}
if (replay !== undefined && all) stopWith('--replay needs the --target it was sent to.');

compile();
let running: Target | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void running?.stop().then(() => process.exit(1)));
}
const results: FuzzResult[] = [];
for (const name of names) {
  const target = await kinds[name]?.start();
  if (!target) continue;
  running = target;
  try {
    if (replay === undefined) results.push(await run(name, target));
    else await show(target, replay);
  } finally {
    running = undefined;
    await target.stop();
  }
}
if (replay === undefined) tellResults();

interface FuzzResult {
  target: string;
  requests: number;
  serverErrors: number;
  hangs: number;
  cuts: number;
  leaks: number;
  rssGrowthMb: number;
}

function tellResults(): void {
  const sum = (figure: Exclude<keyof FuzzResult, 'target'>) =>
    results.reduce((total, result) => total + result[figure], 0);
  console.log(
    JSON.stringify({
      bench: 'fuzz',
      target: values.target,
      requests: sum('requests'),
      serverErrors: sum('serverErrors'),
      hangs: sum('hangs'),
      cuts: sum('cuts'),
      leaks: sum('leaks'),
      rssGrowthMb: Math.max(...results.map(({ rssGrowthMb }) => rssGrowthMb)),
      seed,
    }),
  );
}

async function run(name: string, target: Target): Promise<FuzzResult> {
  console.log(`${requests} requests to ${name}, seed ${seed}`);
  const sender = createSender(target, CONCURRENCY);
  const counts: Record<Fault, number> = { serverError: 0, hang: 0, cut: 0, leak: 0 };
  const statuses = new Map<number | string, number>();
  const memory: { at: number; bytes: number }[] = [];
  const problems: string[] = [];
  const slow = new Set<Promise<void>>();
  const report = (text: string) => {
    problems.push(text);
    if (problems.length <= 20) console.error(`  ${text}`);
  };
  let sent = 0;
  let done = 0;
  const readLog = () => {
    for (const line of target.takeOutput()) {
      if (!logTells(line, target)) continue;
      counts.leak += 1;
      report('a key in a log line');
    }
  };
  const one = async (index: number, request: FuzzRequest) => {
    const ending = await sender.send(request, index);
    for (const status of ending.statuses.length > 0
      ? ending.statuses
      : [`${ending.how} (${request.kind})`]) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const fault = faultOf(request, ending, target);
    if (fault) {
      counts[fault] += 1;
      const both = ending.after === undefined ? index : `${ending.after},${index}`;
      report(`request ${index}: ${fault} ${ending.statuses.join()} (--replay ${both})`);
    }
    done += 1;
  };
  const worker = async () => {
    while (sent < requests && !target.exited()) {
      const index = sent++;
      const request = fuzzRequest(new Chance(seed, index), target);
      const ending = one(index, request);
      if (request.kind === 'slow') {
        slow.add(ending);
        void ending.then(() => slow.delete(ending));
      } else await ending;
      if (index % 200 === 0) readLog();
    }
  };
  const started = Date.now();
  const sampler = setInterval(() => {
    if (!target.exited()) memory.push({ at: done / requests, bytes: residentBytes(target.pid) });
  }, 250);
  const progress = setInterval(() => {
    const megabytes = ((memory.at(-1)?.bytes ?? 0) / 1_048_576).toFixed(0);
    console.log(
      `  ${done} done, ${(done / ((Date.now() - started) / 1000)).toFixed(0)}/s, ${megabytes} MB`,
    );
  }, 5000);
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  clearInterval(sampler);
  await Promise.all(slow);
  clearInterval(progress);
  sender.close();
  readLog();

  const alive = target.exited() ? 'it has ended' : await target.checkAlive();
  if (alive !== undefined) report(`afterwards a good request fails: ${alive}`);
  const early = memory.filter(({ at }) => at >= WARM_UP && at < WARM_UP + 0.15);
  const late = memory.filter(({ at }) => at >= 0.85);
  const growth =
    (median(late.map(({ bytes }) => bytes)) - median(early.map(({ bytes }) => bytes))) / 1_048_576;
  // A run that is too short must not report steady memory.
  const bound = requests < SHORT_RUN ? MAX_GROWTH_MB.short : MAX_GROWTH_MB.warm;
  if (!(growth <= bound)) report(`memory grew by ${growth.toFixed(1)} MB after warm-up`);
  const unauthorized = (statuses.get(401) ?? 0) / done;
  if (done >= 100 && unauthorized > MAX_UNAUTHORIZED)
    report('the key was refused: what is behind it was not tried');
  const seen = [...statuses]
    .sort((a, b) => b[1] - a[1])
    .map(([what, count]) => `${what}: ${count}`);
  console.log(`Ended with ${seen.join(', ')}; ${((Date.now() - started) / 1000).toFixed(0)} s.`);
  if (problems.length > 0) process.exitCode = 1;
  return {
    target: name,
    requests: done,
    serverErrors: counts.serverError,
    hangs: counts.hang,
    cuts: counts.cut,
    leaks: counts.leak,
    rssGrowthMb: Number(growth.toFixed(1)),
  };
}

async function show(target: Target, indexes: readonly number[]): Promise<void> {
  const sender = createSender(target, 1);
  for (const index of indexes) {
    const request = fuzzRequest(new Chance(seed, index), target);
    const ending = await sender.send(request, index);
    // The key of a temporary sandbox, whose folder the bench deletes at the end.
    console.dir(request, { maxStringLength: 500, maxArrayLength: 200 });
    console.dir(ending, { maxStringLength: 2000 });
    if (faultOf(request, ending, target)) process.exitCode = 1;
  }
  sender.close();
  for (const line of target.takeOutput()) console.log(line);
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return stopWith(`${option} is a whole number.`);
}

function stopWith(message: string): never {
  console.error(message);
  process.exit(2);
}
