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
import { root } from '../../scripts/paths.ts';
import {
  reconciliationMemory,
  type Program,
  startProgram,
  untilReady,
} from '../../scripts/processes.ts';
import { READING_TOKEN } from '../../tests/reconciliation/companion.ts';
import { clockOf, type History } from '../../tests/reconciliation/history.ts';

/** `financing-reconcile serve` as a merchant runs it, at the time when a history ends. */
export interface Reconciliation {
  program: Program;
  url: string;
  get: <Body>(path: string) => Promise<Body>;
  post: (path: string, body: object) => Promise<Response>;
  /** Imports or withdraws an NDJSON ledger. @returns the report */
  importLedger(input: Readable, options?: { withdraw?: boolean }): Promise<Record<string, unknown>>;
  /** Syncs all days of the history. @returns the run after its orders are judged */
  sync(): Promise<SyncRun>;
  /** Yields the records of an export. */
  records(table: string): AsyncGenerator<Record<string, unknown>>;
  /** Number of passes so far, from the log. */
  passes(): Pass[];
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

/** Milliseconds to open the files, and to judge all orders after a policy change. */
const READY_MS = 600_000;

export const analyticsFile = (folder: string): string => join(folder, 'analytics.duckdb');

export async function startReconciliation(options: ReconciliationOptions): Promise<Reconciliation> {
  const { folder, history, policy } = options;
  mkdirSync(folder, { recursive: true });
  const policyFile = join(folder, 'policy.json');
  writeFileSync(policyFile, JSON.stringify(policy));
  const { asOf, from } = history.summary;
  const port = await getPort();
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
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, `${url}/readyz`, READY_MS);

  async function ask(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(url + path, init);
    if (response.ok) return response;
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  }

  function post(path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  return {
    program,
    url,
    post,
    async get<Body>(path: string) {
      return (await (await ask(path)).json()) as Body;
    },
    async importLedger(input, { withdraw = false } = {}) {
      // `fetch` limits a response to five minutes; an import may take longer.
      const upload = request(`${url}/ledger${withdraw ? '?options={"withdraw":true}' : ''}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
      });
      const answered = once(upload, 'response');
      await pipeline(input, upload);
      const [answer] = (await answered) as [IncomingMessage];
      return (await json(answer)) as Record<string, unknown>;
    },
    async sync() {
      const begun = await post('/syncs', { from, to: asOf.slice(0, 10) });
      const { id } = (await begun.json()) as { id: string };
      for (;;) {
        const run = (await (await ask(`/syncs/${id}`)).json()) as SyncRun;
        if (run.state !== 'running') return run;
        if (program.exited) throw new Error(`It ended:\n${program.lines.slice(-20).join('\n')}`);
        await pause(100);
      }
    },
    async *records(table) {
      const { body } = await ask(`/exports/${table}?format=ndjson`);
      if (!body) return;
      const lines = createInterface({ input: Readable.from(body), crlfDelay: Infinity });
      for await (const line of lines) yield JSON.parse(line) as Record<string, unknown>;
    },
    passes() {
      return program.lines.flatMap((line) => {
        if (!line.includes('"event":"judged"')) return [];
        const { count, durationMs } = JSON.parse(line) as { count: number; durationMs: number };
        return [{ count, seconds: durationMs / 1000 }];
      });
    },
  };
}
