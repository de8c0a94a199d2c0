import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import { startProgram, untilReady } from '../../scripts/processes.ts';
import { compareBooks, type Verdict } from '../chaos/books.ts';
import { makePlan, type Visit } from '../chaos/plan.ts';
import { shop } from '../chaos/shopper.ts';
import { type Stack, startStack } from '../chaos/stack.ts';
import { Chance } from '../fuzz/chance.ts';
import { orderTicket } from '../server/load.ts';
import { Cluster } from './cluster.ts';

export interface FailoverOptions {
  promotions: number;
  companions: number;
  /** Primes per second, in addition to the orders that are paid. */
  rate: number;
  /** Number of concurrent shoppers. */
  shoppers: number;
  /** Milliseconds of load before each promotion. */
  loadMs: number;
  seed: number;
  /** Milliseconds without progress after which the run gives up. */
  patienceMs: number;
  /** Ends the run after the current promotion, with the result so far. */
  signal?: AbortSignal;
  say: (line: string) => void;
}

export interface FailoverResult extends Verdict {
  promotions: number;
  /** Orders that were paid. */
  orders: number;
  /** Primes that were answered with a session, and their number per second of the run. */
  primes: number;
  primesPerSecond: number;
  /** Longest time that a companion could not prime after its primary was killed. */
  worstOutageSeconds: number;
  medianOutageSeconds: number;
  /** Longest time until reconciliation had renewed its lease after the primary was killed. */
  worstLeaseSeconds: number;
  /** Write transactions on a former primary after it was restarted alongside its successor. */
  writesToFormer: number;
}

/** Kills the primary under load and promotes its standby, again and again. */
export async function runFailover(options: FailoverOptions): Promise<FailoverResult> {
  const { seed, say } = options;
  const folder = mkdtempSync(join(tmpdir(), 'failover-run-'));
  const cleanups: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
  ];
  const ending = new AbortController();
  try {
    const cluster = await Cluster.start({ isSynchronous: true });
    cleanups.push(() => cluster.stop());
    for (const database of ['companion', 'reconciliation']) {
      await cluster.primary.ask(`create database ${database}`);
    }
    const stack = await startStack({
      folder,
      seed,
      store: cluster.url('companion'),
      companions: options.companions,
      kills: [],
      deadlineMs: 3_000,
      onMessage: () => undefined,
    });
    cleanups.push(stack.stop);
    const reconciliation = await startReconciliation(folder, stack, cluster, options.patienceMs);
    cleanups.push(() => reconciliation.stop());
    const load = startLoad(stack, options, ending.signal);
    cleanups.push(async () => {
      ending.abort();
      await load.ended;
    });

    const outages: number[] = [];
    const leases: number[] = [];
    let writesToFormer = 0;
    const began = performance.now();
    for (let promotion = 1; promotion <= options.promotions; promotion++) {
      if (options.signal?.aborted === true) break;
      await pause(options.loadMs);
      const killedAt = performance.now();
      const { former, restart, remove } = await cluster.fail();
      const promotedMs = performance.now() - killedAt;
      const renewed = reconciliation.renewed(killedAt);
      await restart();
      const before = await writeTransaction(former);
      outages.push(await load.nextPrimes(killedAt));
      leases.push(await renewed);
      await cluster.addStandby();
      writesToFormer += (await writeTransaction(former)) - before - 1;
      await remove();
      say(
        `promotion ${promotion} took ${seconds(promotedMs)} s: no prime for ${seconds(outages.at(-1))} s, reconciliation's lease after ${seconds(leases.at(-1))} s, ${load.primes} primes, ${load.paid.length} orders paid`,
      );
    }
    const elapsed = performance.now() - began;
    ending.abort();
    await load.ended;
    await reconciliation.sync(performance.now());
    const verdict = await settle(options, stack, folder, load);
    return {
      ...verdict,
      promotions: outages.length,
      orders: load.paid.length,
      primes: load.primes,
      primesPerSecond: Math.round(load.primes / (elapsed / 1000)),
      worstOutageSeconds: seconds(Math.max(...outages)),
      medianOutageSeconds: seconds(outages.toSorted((a, b) => a - b)[outages.length >> 1]),
      worstLeaseSeconds: seconds(Math.max(...leases)),
      writesToFormer,
    };
  } finally {
    ending.abort();
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

const seconds = (milliseconds = 0) => Number((milliseconds / 1000).toFixed(2));

/**
 * Runs a write transaction on a former primary without waiting for its standby.
 * @returns its number; they are consecutive, and count transactions that wait or fail
 */
async function writeTransaction(server: Cluster['primary']): Promise<number> {
  const [row] = await server.ask<{ number: string }>(
    `select pg_current_xact_id()::text as number, set_config('synchronous_commit', 'local', true)`,
  );
  return Number(row?.number);
}

interface Load {
  /** Number of primes with a session. */
  readonly primes: number;
  /** The visits that have begun. */
  readonly paid: readonly Visit[];
  readonly givenUp: readonly string[];
  /**
   * Resolves when each companion has answered a prime that was sent after `since`.
   * @returns milliseconds from `since` to the last of these answers
   */
  nextPrimes(since: number): Promise<number>;
  ended: Promise<unknown>;
}

/** Maximum number of primes that wait for an answer. */
const MAX_IN_FLIGHT = 40;

/** Primes orders at a rate, alternating between the companions, and lets shoppers pay others. */
function startLoad(stack: Stack, options: FailoverOptions, ending: AbortSignal): Load {
  const { addresses } = stack.companions;
  /** When each companion's last prime with a session was sent and answered. */
  const last = addresses.map(() => ({ sent: 0, answered: 0 }));
  const paid: Visit[] = [];
  const under = new Set<string>();
  let primes = 0;

  async function prime(companion: number, order: string): Promise<void> {
    const sent = performance.now();
    const answer = await stack
      .client('storefront', new Chance(options.seed, 9), undefined, companion)
      .once(
        'POST',
        '/checkout/prime',
        { environment: 'sandbox', order: orderTicket(order, stack.secrets.ticket) },
        { 'idempotency-key': randomUUID() },
      );
    if (answer?.status !== 201) return;
    primes++;
    const state = last[companion];
    if (state && state.sent < sent) Object.assign(state, { sent, answered: performance.now() });
  }

  async function primeAtRate(): Promise<void> {
    const pending = new Set<Promise<void>>();
    let due = performance.now();
    for (let number = 0; !ending.aborted; number++) {
      // Primes that are not answered in time are not made up for: they would flood the companions.
      while (pending.size >= MAX_IN_FLIGHT) await Promise.race(pending);
      due = Math.max(due + 1000 / options.rate, performance.now());
      await pause(Math.max(0, due - performance.now()));
      const sending = prime(number % addresses.length, `load-${options.seed}-${number}`);
      pending.add(sending);
      void sending.finally(() => pending.delete(sending));
    }
    await Promise.all(pending);
  }

  async function payOrders(visits: Iterator<Visit>): Promise<void> {
    while (!ending.aborted) {
      const next = visits.next();
      if (next.done === true) return;
      const visit = next.value;
      const order = visit.merchantOrderId;
      paid.push(visit);
      under.add(order);
      const client = stack.client('storefront', new Chance(visit.seed, 5));
      const isDone = await Promise.race([
        shop({
          visit,
          client,
          ticketSecret: stack.secrets.ticket,
          paid: stack.shop.paid(order),
        }).then(() => true),
        pause(options.patienceMs, false, { ref: false }),
      ]);
      if (isDone) under.delete(order);
    }
  }

  const plan = makePlan({ checkouts: 100_000, kills: 0, seed: options.seed });
  const visits = plan.visits.map((visit) => ({ ...visit, refund: 0 })).values();
  const shoppers = Array.from({ length: options.shoppers }, () => payOrders(visits));
  return {
    get primes() {
      return primes;
    },
    paid,
    get givenUp() {
      return [...under].map((order) => `${order}: not paid in time`);
    },
    async nextPrimes(since) {
      const deadline = since + options.patienceMs;
      while (!last.every(({ sent }) => sent > since)) {
        if (performance.now() > deadline) throw new Error('A companion did not recover.');
        await pause(10);
      }
      return Math.max(...last.map(({ answered }) => answered)) - since;
    },
    ended: Promise.all([primeAtRate(), ...shoppers]),
  };
}

/** Waits until leases, lookups and webhooks have settled every order. */
async function settle(
  options: FailoverOptions,
  stack: Stack,
  folder: string,
  load: Load,
): Promise<Verdict> {
  let deadline = Date.now() + options.patienceMs;
  let fewest = Infinity;
  for (;;) {
    const verdict = await compareBooks({
      visits: load.paid,
      sandboxState: await stack.sandbox.state(join(folder, 'sandbox-state.db')),
      office: stack.office,
      messages: stack.shop.checkouts,
    });
    const open = verdict.stuck.length + verdict.lost.length;
    if (open < fewest) deadline = Date.now() + options.patienceMs;
    fewest = Math.min(fewest, open);
    if (open === 0 || verdict.doubled.length > 0 || Date.now() > deadline) {
      verdict.stuck.push(...load.givenUp);
      return verdict;
    }
    options.say(
      `waiting for ${open} entries to settle, the first: ${verdict.stuck[0] ?? verdict.lost[0]}`,
    );
    await pause(2_000);
  }
}

/** Starts reconciliation with its store in the cluster. */
async function startReconciliation(
  folder: string,
  stack: Stack,
  cluster: Cluster,
  patienceMs: number,
) {
  const policyFile = join(folder, 'policy.json');
  writeFileSync(policyFile, '{}');
  const port = await getPort();
  const program = startProgram({
    name: 'reconciliation',
    file: join(root, 'packages/reconciliation/dist/cli/main.js'),
    args: ['serve'],
    cwd: folder,
    env: {
      RECONCILIATION_ENVIRONMENT: 'sandbox',
      RECONCILIATION_STORE: cluster.url('reconciliation'),
      RECONCILIATION_ANALYTICS_FILE: join(folder, 'analytics.duckdb'),
      RECONCILIATION_COMPANION_URL: stack.companions.addresses[0]?.backOffice ?? '',
      RECONCILIATION_COMPANION_TOKEN: stack.secrets.backOffice,
      RECONCILIATION_PORT: String(port),
      RECONCILIATION_POLICY_FILE: policyFile,
      LOG_LEVEL: 'warn',
    },
    onLine: (name, line) => appendFileSync(join(folder, 'companions.log'), `${name} ${line}\n`),
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, `${url}/readyz`);

  /** Returns the body of an answer; undefined while the program cannot answer. */
  async function ask(
    path: string,
    init?: RequestInit,
  ): Promise<Record<string, unknown> | undefined> {
    const answer = await fetch(url + path, init).catch(() => undefined);
    const body: unknown = await answer?.json().catch(() => undefined);
    return answer?.ok === true && typeof body === 'object' ? { ...body } : undefined;
  }

  return {
    stop: () => program.stop(),
    /**
     * Resolves when the lease has been renewed on the new primary.
     * @returns milliseconds since `since`
     */
    async renewed(since: number): Promise<number> {
      const deadline = since + patienceMs;
      const until = async () => {
        const [row] = await cluster.primary.ask<{ until: string }>(
          'select until from fact_head',
          'reconciliation',
        );
        return row?.until;
      };
      const before = await until();
      while ((await until()) === before) {
        if (program.exited || performance.now() > deadline) {
          throw new Error(
            `Reconciliation did not recover:\n${program.lines.slice(-20).join('\n')}`,
          );
        }
        await pause(100);
      }
      return performance.now() - since;
    },
    /** Runs syncs until one succeeds. */
    async sync(since: number): Promise<void> {
      const deadline = since + patienceMs;
      while (performance.now() < deadline) {
        if (program.exited) {
          throw new Error(`Reconciliation ended:\n${program.lines.slice(-20).join('\n')}`);
        }
        const day = new Date().toISOString().slice(0, 10);
        const started = await ask('/syncs', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ from: day, to: day }),
        });
        let run = started;
        while (run?.state === 'running') {
          await pause(50);
          run = await ask(`/syncs/${String(run.id)}`);
        }
        if (run !== undefined && run.state !== 'failed') return;
        await pause(100);
      }
      throw new Error(`Reconciliation did not recover:\n${program.lines.slice(-20).join('\n')}`);
    },
  };
}
