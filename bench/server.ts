// `npm run bench:server [-- --seconds 6 --rounds 5]`: the companion's prime, with all its checks
// and a commit to disk before the service is called, beside proxies that do none of it. One run,
// one machine, the same upstream over HTTPS, the contestants in turn; ratios of median rounds.
// `-- --requests 1000000` sends that many primes to the companion afterwards and watches its memory.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import getPort from 'get-port';
import selfsigned from 'selfsigned';
import { Pool } from 'undici';
import { compile } from '../scripts/build.ts';
import { root } from '../scripts/paths.ts';
import { companionMemory, type Program, startProgram, untilReady } from '../scripts/processes.ts';
import { signTicket } from '../tests/e2e/ticket.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '0' },
    connections: { type: 'string', default: '64' },
    // A folder for a CPU profile of the companion (`*.cpuprofile`), to look where the time goes.
    profile: { type: 'string' },
    // Measures the companion alone: for work on it.
    alone: { type: 'boolean', default: false },
    // Runs the companion's sources as they are, without a build.
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

const folder = mkdtempSync(join(tmpdir(), 'financing-checkout-bench-'));
const origin = 'http://localhost:3000';
const secret = randomBytes(32).toString('base64');
const privateKey = randomBytes(24).toString('base64url');
const publicKey = randomBytes(24).toString('base64url');
const upstreamPort = await getPort();

const certificate = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }], {
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ],
});
const file = {
  ca: join(folder, 'ca.pem'),
  key: join(folder, 'upstream.key'),
  privateKey: join(folder, 'private-key'),
  ticket: join(folder, 'ticket-secret'),
};
writeFileSync(file.ca, certificate.cert);
writeFileSync(file.key, certificate.private, { mode: 0o600 });
writeFileSync(file.privateKey, privateKey, { mode: 0o600 });
writeFileSync(file.ticket, secret, { mode: 0o600 });

const shared = {
  NODE_ENV: 'production',
  BENCH_PRIVATE_KEY: privateKey,
  BENCH_CA_FILE: file.ca,
  BENCH_UPSTREAM_URL: `https://localhost:${upstreamPort}`,
  BENCH_UPSTREAM_PORT: String(upstreamPort),
  BENCH_UPSTREAM_KEY_FILE: file.key,
  BENCH_CONNECTIONS: String(connections),
};

/** A program under measurement, and where it listens. */
interface Contestant {
  name: string;
  url: string;
  program: Program;
}

const programs: Program[] = [];

async function untilSaysReady(program: Program): Promise<void> {
  while (!program.lines.includes('ready')) {
    if (program.exited) throw new Error(`${program.name} ended:\n${program.lines.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function startScript(name: string): Promise<Contestant> {
  const port = await getPort();
  const program = startProgram({
    name,
    file: join(root, 'bench', 'server', `${name}.ts`),
    cwd: folder,
    env: { ...shared, BENCH_PORT: String(port) },
  });
  programs.push(program);
  await untilSaysReady(program);
  return { name, url: `http://127.0.0.1:${port}`, program };
}

async function startCompanion(): Promise<Contestant> {
  const [port, backOffice] = [await getPort(), await getPort()];
  const program = startProgram({
    name: 'companion',
    file: join(
      root,
      'packages',
      'server',
      ...(values.source ? ['src', 'node', 'main.ts'] : ['dist', 'node', 'main.js']),
    ),
    args: ['serve'],
    nodeArgs: companionMemory.nodeArgs,
    cwd: folder,
    env: {
      ...companionMemory.env,
      NODE_ENV: 'production',
      FINANCING_ENVIRONMENT: 'sandbox',
      FINANCING_BASE_URL: shared.BENCH_UPSTREAM_URL,
      FINANCING_CA_FILE: file.ca,
      FINANCING_PUBLIC_API_KEY: publicKey,
      FINANCING_PRIVATE_API_KEY_FILE: file.privateKey,
      FINANCING_HOSTED_URL: 'http://localhost:4444/checkout?session={sessionToken}',
      ORDER_TICKET_SECRET_FILE: file.ticket,
      COMPANION_ALLOWED_ORIGINS: origin,
      COMPANION_PORT: String(port),
      COMPANION_BACK_OFFICE_PORT: String(backOffice),
      COMPANION_STORE: `sqlite:${join(folder, 'companion.db')}`,
      // One load generator is one address; a limit per address would be what is measured.
      COMPANION_RATE_LIMIT_PER_ADDRESS: '0',
      COMPANION_RATE_LIMIT_PER_KEY: '0',
      COMPANION_RATE_LIMIT_OPEN_PER_ORDER: '0',
      COMPANION_RATE_LIMIT_PRIMES_PER_ORDER: '0',
      COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER: '0',
      // As many connections to the service as every contestant has.
      FINANCING_CONCURRENCY: String(connections),
      LOG_LEVEL: 'warn',
      ...(values.profile === undefined
        ? {}
        : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(values.profile)}` }),
    },
  });
  programs.push(program);
  await untilReady(program, `http://127.0.0.1:${backOffice}/readyz`);
  return { name: 'companion', url: `http://127.0.0.1:${port}`, program };
}

const now = Math.floor(Date.now() / 1000);
const bodies = Array.from({ length: 512 }, (_, index) =>
  JSON.stringify({
    environment: 'sandbox',
    order: signTicket(
      {
        aud: 'financing-companion',
        iat: now,
        exp: now + 6 * 3600,
        jti: randomUUID(),
        order: {
          merchantOrderId: `bench-${index}`,
          currency: 'USD',
          items: [
            { name: 'Lounge chair', sku: 'LC-1', price: 89_000, quantity: 1 },
            { name: 'Reading lamp', sku: 'RL-2', price: 12_500, quantity: 2 },
          ],
          taxAmount: 5563,
          shippingAmount: 0,
          totalAmount: 119_563,
        },
      },
      secret,
    ),
  }),
);

interface Round {
  rps: number;
  p50Ms: number;
}

/** Primes that were answered as they should be. */
let answered = 0;

/**
 * Sends primes over so many connections for so long, or so many of them.
 * @throws Error when an answer is not a session of the service's: what is broken is fast.
 */
async function load(
  url: string,
  options: { connections: number; seconds?: number; requests?: number; path?: string },
): Promise<Round> {
  const pool = new Pool(url, {
    connections: options.connections,
    connect: { ca: certificate.cert },
  });
  const started = performance.now();
  const until = started + (options.seconds ?? Infinity) * 1000;
  const times: number[] = [];
  let sent = 0;
  let wrong: string | undefined;
  const worker = async () => {
    while (!wrong && performance.now() < until && sent < (options.requests ?? Infinity)) {
      const body = bodies[sent++ % bodies.length];
      const at = performance.now();
      try {
        const answer = await pool.request({
          method: 'POST',
          path: options.path ?? '/checkout/prime',
          headers: {
            authorization: `Bearer ${options.path ? privateKey : publicKey}`,
            'content-type': 'application/json',
            'financing-checkout-version': '1',
            'idempotency-key': randomUUID(),
            origin,
          },
          body: body ?? '',
        });
        const text = await answer.body.text();
        const good = answer.statusCode === 201 || answer.statusCode === 200;
        if (good && text.includes('"session-')) answered += 1;
        else wrong ??= `${answer.statusCode} ${text}`;
      } catch (error) {
        wrong ??= String(error);
      }
      if (times.length < 200_000) times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, worker));
  const elapsed = (performance.now() - started) / 1000;
  await pool.close();
  if (wrong !== undefined) throw new Error(`${url} did not answer as it should: ${wrong}`);
  return { rps: sent / elapsed, p50Ms: median(times) };
}

/** How many sessions the service has given out. */
async function sessionsMade(): Promise<number> {
  const pool = new Pool(shared.BENCH_UPSTREAM_URL, { connect: { ca: certificate.cert } });
  const { body } = await pool.request({ method: 'GET', path: '/made' });
  const made = Number(await body.text());
  await pool.close();
  return made;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Requests to each contestant before the first that is measured. */
const WARM_UP = 30_000;

/** Resident memory of a process in megabytes (Linux). */
function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Time a process has had of the processors, in milliseconds (Linux: ticks of 10 ms). */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

try {
  if (!values.source) compile();
  const upstream = startProgram({
    name: 'upstream',
    file: join(root, 'bench', 'server', 'upstream.ts'),
    cwd: folder,
    env: shared,
  });
  programs.push(upstream);
  await untilSaysReady(upstream);
  const companion = await startCompanion();
  const contestants = values.alone
    ? [companion]
    : [
        await startScript('raw'),
        await startScript('fastify-proxy'),
        await startScript('express-proxy'),
        companion,
      ];
  const figures = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  const upstreamP50: number[] = [];
  const companionP50: number[] = [];
  // Until the compiler has seen what is called often: a companion runs for weeks.
  for (const { url } of contestants) await load(url, { connections, requests: WARM_UP });
  for (let index = 1; index <= rounds; index++) {
    for (const { name, url, program } of contestants) {
      const before = processorMs(program.pid);
      const { rps } = await load(url, { connections, seconds });
      const perRequest = ((processorMs(program.pid) - before) * 1000) / (rps * seconds);
      figures.get(name)?.push(rps);
      console.log(
        `round ${index}/${rounds}  ${name.padEnd(14)} ${rps.toFixed(0)} requests/s, ${perRequest.toFixed(0)} µs of a processor each`,
      );
    }
    // One at a time, so that what is measured is time and not a queue.
    const one = { connections: 1, seconds: 1 };
    const direct = await load(shared.BENCH_UPSTREAM_URL, { ...one, path: '/v1/checkout/prime' });
    upstreamP50.push(direct.p50Ms);
    companionP50.push((await load(companion.url, one)).p50Ms);
  }
  for (let sent = 0; sent < requests; sent += 50_000) {
    await load(companion.url, { connections, requests: 50_000 });
    console.log(`${sent + 50_000} requests: ${residentMb(companion.program.pid).toFixed(0)} MB`);
  }
  // Sessions that were made up, or given twice, are fast, too.
  const made = await sessionsMade();
  if (made !== answered) throw new Error(`${answered} answers, ${made} sessions at the service.`);
  const rps = Object.fromEntries(
    [...figures].map(([name, all]) => [name, round(median(all), 0)]),
  ) as Record<string, number>;
  const ratio = (other: string) => round((rps.companion ?? 0) / (rps[other] ?? Number.NaN), 2);
  console.log(
    JSON.stringify({
      bench: 'server',
      rps,
      ratio: {
        vsRaw: ratio('raw'),
        vsFastifyProxy: ratio('fastify-proxy'),
        vsExpressProxy: ratio('express-proxy'),
      },
      addedP50Ms: round(median(companionP50) - median(upstreamP50), 2),
      rssMb: round(residentMb(companion.program.pid), 0),
    }),
  );
} finally {
  for (const program of programs.toReversed()) await program.stop();
  rmSync(folder, { recursive: true, force: true });
}
