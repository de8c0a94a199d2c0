import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import getPort from 'get-port';
import { fetch, type RequestInit, type Response } from 'undici';
import { root } from '../../scripts/paths.ts';
import { reconciliationMemory, type Program, startProgram } from '../../scripts/processes.ts';
import { READING_TOKEN } from '../../tests/reconciliation/companion.ts';
import { clockOf, type History } from '../../tests/reconciliation/history.ts';
import { attended, patient, UsageSamples } from './processes.ts';

/** `financing-reconcile serve` as a merchant runs it, at the time when a history ends. */
export interface Reconciliation {
  program: Program;
  /** What the program uses, from its start. */
  usage: UsageSamples;
  url: string;
  get: <Body>(path: string) => Promise<Body>;
  post: (path: string, body: object) => Promise<Response>;
  /** Imports or withdraws an NDJSON ledger. @returns the report */
  importLedger(input: Readable, options?: { withdraw?: boolean }): Promise<Record<string, unknown>>;
  /** Syncs all days of the history. @returns the run after its orders are judged */
  sync(): Promise<SyncRun>;
  /** Yields the records of an export. */
  records(table: string): AsyncGenerator<Record<string, unknown>>;
  /** Reads an export, and discards its records. @returns their number */
  countExported(table: string): Promise<number>;
  /** The passes so far, from the log. */
  passes: readonly Pass[];
  /** Ends the program, and kills it if it takes ten minutes. */
  stop(): Promise<void>;
}

export interface SyncRun {
  state: string;
  records: number;
  changed: number;
  startedAt: string;
  /** When all days were read. Their orders are judged afterwards. */
  endedAt: string;
}

export interface Pass {
  count: number;
  seconds: number;
  /** By `performance.now`. */
  endedAt: number;
}

export interface ReconciliationOptions {
  folder: string;
  companionUrl: string;
  history: History;
  policy: object;
  /** URL of the record store. */
  store: string;
  env?: Record<string, string>;
}

/** Milliseconds to write what the analytics database has in memory. */
const STOP_MS = 600_000;

export const analyticsFile = (folder: string): string => join(folder, 'analytics.duckdb');

export async function startReconciliation(options: ReconciliationOptions): Promise<Reconciliation> {
  const { folder, history, policy } = options;
  mkdirSync(folder, { recursive: true });
  const policyFile = join(folder, 'policy.json');
  writeFileSync(policyFile, JSON.stringify(policy));
  const { asOf, from } = history.summary;
  const port = await getPort();
  const passes: Pass[] = [];
  const program = startProgram({
    name: 'reconciliation',
    file: join(root, 'packages/reconciliation/dist/cli/main.js'),
    args: ['serve'],
    nodeArgs: reconciliationMemory.nodeArgs,
    cwd: folder,
    env: {
      ...reconciliationMemory.env,
      ...clockOf(history),
      NODE_ENV: 'production',
      RECONCILIATION_ENVIRONMENT: 'sandbox',
      RECONCILIATION_STORE: options.store,
      RECONCILIATION_ANALYTICS_FILE: analyticsFile(folder),
      RECONCILIATION_COMPANION_URL: options.companionUrl,
      RECONCILIATION_COMPANION_TOKEN: READING_TOKEN,
      RECONCILIATION_PORT: String(port),
      RECONCILIATION_POLICY_FILE: policyFile,
      ...options.env,
    },
    onLine(_, line) {
      if (!line.includes('"event":"judged"')) return;
      const { count, durationMs } = JSON.parse(line) as { count: number; durationMs: number };
      passes.push({ count, seconds: durationMs / 1000, endedAt: performance.now() });
    },
  });
  const usage = new UsageSamples(program);
  const url = `http://127.0.0.1:${port}`;
  await attended(program, async () => {
    while (!program.exited) {
      const answer = await fetch(`${url}/readyz`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) return;
      await pause(50);
    }
  });

  async function ask(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(url + path, { ...init, dispatcher: patient });
    if (response.ok) return response;
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  }

  async function bodyOf(table: string): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await ask(`/exports/${table}?format=ndjson`);
    if (!body) throw new Error(`The export of ${table} is empty.`);
    return body;
  }

  function post(path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return attended(program, () => ask(path, init));
  }

  return {
    program,
    usage,
    passes,
    url,
    stop: () => program.stop('SIGTERM', STOP_MS),
    post,
    get: <Body>(path: string) =>
      attended(program, async () => (await (await ask(path)).json()) as Body),
    importLedger(input, { withdraw = false } = {}) {
      return attended(program, async () => {
        const upload = request(`${url}/ledger${withdraw ? '?options={"withdraw":true}' : ''}`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-ndjson' },
        });
        const answered = once(upload, 'response');
        await pipeline(input, upload);
        const [answer] = (await answered) as [IncomingMessage];
        return (await json(answer)) as Record<string, unknown>;
      });
    },
    async sync() {
      const begun = await post('/syncs', { from, to: asOf.slice(0, 10) });
      const { id } = (await begun.json()) as { id: string };
      return attended(program, async () => {
        for (;;) {
          const run = (await (await ask(`/syncs/${id}`)).json()) as SyncRun;
          if (run.state !== 'running') return run;
          await pause(100);
        }
      });
    },
    async *records(table) {
      try {
        const lines = createInterface({
          input: Readable.from(await bodyOf(table)),
          crlfDelay: Infinity,
        });
        for await (const line of lines) yield JSON.parse(line) as Record<string, unknown>;
      } catch (error) {
        await attended(program, () => {
          throw error;
        });
      }
    },
    countExported(table) {
      return attended(program, async () => {
        let lines = 0;
        for await (const chunk of await bodyOf(table)) {
          for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
        }
        return lines;
      });
    },
  };
}
