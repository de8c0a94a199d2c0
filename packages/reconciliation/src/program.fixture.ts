import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '@financing-checkout/kit';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { patienceMs } from '../../../vitest.shared.ts';
import { type Configuration, readConfiguration } from './config/config.ts';
import {
  COMPANION_TOKEN,
  settle,
  startCompanion,
  type TestCompanion,
} from './companion/companion.fixture.ts';
import type { StartOptions } from './engine/engine.ts';
import { temporaryFolder } from './facts/facts.fixture.ts';
import { watchAnswers } from './http/answers.fixture.ts';
import type { SyncRecord } from './http/schemas.ts';
import { createProgram, type Program, type ProgramOptions } from './program.ts';
import { wireRecord } from './sync/history.fixture.ts';

const DAY_MS = 86_400_000;
/** A second thread doubles the CPU time of small statements, because the first thread spins. */
const ONE_THREAD = '1';

/** Returns the UTC day that was the given number of days ago: `2026-01-31`. */
export function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the environment variables for a process in its own folder. */
export function variablesOf(
  companion: Pick<TestCompanion, 'url'>,
  change: Record<string, string> = {},
  folder = temporaryFolder(),
): Record<string, string> {
  return {
    RECONCILIATION_ENVIRONMENT: 'sandbox',
    RECONCILIATION_STORE: `sqlite:${join(folder, 'facts.db')}`,
    RECONCILIATION_ANALYTICS_FILE: join(folder, 'analytics.duckdb'),
    RECONCILIATION_COMPANION_URL: companion.url,
    RECONCILIATION_COMPANION_TOKEN: COMPANION_TOKEN,
    RECONCILIATION_PORT: '0',
    RECONCILIATION_THREADS: ONE_THREAD,
    ...change,
  };
}

export function configure(
  companion: TestCompanion,
  change: Record<string, string> = {},
): Configuration {
  return readConfiguration(variablesOf(companion, change), () => '');
}

export interface Running extends Program {
  config: Configuration;
  /** Returns a response's JSON; throws unless it is a 2xx. */
  get: <Body>(path: string) => Promise<Body>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
  /** Syncs days and follows the sync to its end, as a client would. */
  sync: (range?: { from?: string; to?: string }) => Promise<SyncRecord>;
}

export async function run(
  config: Configuration,
  options: ProgramOptions & Partial<StartOptions> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Running> {
  const { mode = 'command', address, ...others } = options;
  const program = createProgram(config, { clock: unhurried, tickMs: 50, ...others });
  const undeclared = watchAnswers(program.app);
  atEnd(async () => {
    await program.stop();
    expect(await undeclared()).toEqual([]);
  });
  await program.start({ mode, address });
  return { ...program, ...clientOf((path, init) => program.app.request(path, init)), config };
}

/**
 * A clock with the machine's time and greatly extended deadlines, so that a slow machine meets
 * them.
 */
export const unhurried: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 3_000 ? ms : Math.max(ms, patienceMs), callback),
};

export type AtEnd = (end: () => Promise<void>) => void;

export interface SharedProgram {
  shop: TestCompanion;
  program: Running;
}

/** Starts one shop and one program for all tests in a file or group. */
export function shareProgram(
  openShop: (atEnd: AtEnd) => Promise<TestCompanion>,
  change: Record<string, string> = {},
): SharedProgram {
  const shared = {} as SharedProgram;
  beforeAll(async () => {
    const ends: (() => Promise<void>)[] = [];
    const atEnd: AtEnd = (end) => void ends.unshift(end);
    const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
    shared.shop = await openShop(atEnd);
    const variables = variablesOf(shared.shop, change, folder);
    shared.program = await run(
      readConfiguration(variables, () => ''),
      {},
      atEnd,
    );
    return async () => {
      for (const end of ends) await end();
      rmSync(folder, { recursive: true, force: true });
    };
  });
  return shared;
}

type Ask = (path: string, init?: RequestInit) => Response | Promise<Response>;

export function clientOf(ask: Ask): Pick<Running, 'get' | 'post' | 'sync'> {
  const post: Running['post'] = async (path, body, headers) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    async get<Body>(path: string) {
      const response = await ask(path);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Body;
    },
    post,
    async sync(range = {}) {
      const response = await post('/syncs', range);
      const begun = (await response.json()) as SyncRecord;
      if (!response.ok) throw new Error(JSON.stringify(begun));
      const events = await (await ask(`/syncs/${begun.id}/events`)).text();
      const last = events.match(/^data: .*$/gm)?.at(-1) ?? '';
      return JSON.parse(last.slice('data: '.length)) as SyncRecord;
    },
  };
}

/** Waits up to a minute for a condition to become true. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    if (await what()) return;
    await sleep(50);
  }
  throw new Error('The condition did not become true in a minute.');
}

/** Starts a shop with `count` fully paid orders and one that is underpaid by 15.00. */
export async function startShop(
  count = 5,
  ...atEnd: Parameters<typeof startCompanion>
): Promise<TestCompanion> {
  const companion = await startCompanion(...atEnd);
  const at = new Date(Date.now() - 2 * DAY_MS).toISOString();
  for (let index = 0; index <= count; index++) {
    const amount = 10_000 + index;
    companion.entries.push(
      settle(index + 1, `A-${index}`, index === count ? amount + 1_500 : amount, {
        transactionId: `txn-${index}`,
        merchantTransactionId: `mtx-${index}`,
      }),
    );
    companion.records.push(wireRecord(index, at));
  }
  return companion;
}

/** Returns the days from just before the shop's first order until today. */
export const shopDays = () => ({ from: dayBefore(4), to: dayBefore(0) });
