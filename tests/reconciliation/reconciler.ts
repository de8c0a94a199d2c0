import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import { type Program, startProgram, untilReady } from '../../scripts/processes.ts';
import { READING_TOKEN } from './companion.ts';
import type { Found } from './grade.ts';
import { clockOf, type History } from './history.ts';

/**
 * The reconciliation program in the form a merchant runs it, at the time at which a history ends.
 */
export interface Reconciler {
  program: Program;
  url: string;
  get: <Body>(path: string) => Promise<Body>;
  post: <Body>(path: string, body: object, headers?: Record<string, string>) => Promise<Body>;
  /** Resolves once it is the writing process. */
  leads(): Promise<void>;
  /** Returns the rows of an export. */
  rows: (table: 'orders' | 'exceptions' | 'lines' | 'cases') => Promise<Record<string, unknown>[]>;
  /** Imports a ledger. @returns its report */
  importLedger(file: string): Promise<Record<string, unknown>>;
  /** Syncs all days of the history, or those up to another day. @returns the run after its orders are judged */
  sync(to?: string): Promise<EndedSync>;
  /** Returns all exceptions; a funding without an order is named by its lender's reference. */
  found(): Promise<Found[]>;
}

export interface EndedSync {
  state: string;
  records: number;
  changed: number;
  closed: { period: string; days: string[] }[];
}

export interface ReconcilerOptions {
  folder: string;
  /** Path of its script. @default that of this version */
  file?: string;
  companionUrl: string;
  history: History;
  policy: object;
  /** @default SQLite in the folder */
  store?: string;
  /** Port of its API, which is part of the name of the session cookie. @default a free one */
  port?: number;
  /** Offset of its clock from the end of the history. @default 0 */
  aheadMs?: number;
  /** Headers of each request, as its access token. */
  headers?: Record<string, string>;
  /** Called with the process before it is ready. */
  onStart?: (program: Program) => void;
  env?: Record<string, string>;
}

export async function startReconciler(options: ReconcilerOptions): Promise<Reconciler> {
  const { folder, history } = options;
  mkdirSync(folder, { recursive: true });
  const policyFile = join(folder, 'policy.json');
  writeFileSync(policyFile, JSON.stringify(options.policy));
  const { asOf, from } = history.summary;
  const port = options.port ?? (await getPort());
  const program = startProgram({
    name: 'reconciliation',
    file: options.file ?? join(root, 'packages/reconciliation/dist/cli/main.js'),
    args: ['serve'],
    cwd: folder,
    env: {
      NODE_ENV: 'production',
      ...clockOf(history, options.aheadMs),
      RECONCILIATION_ENVIRONMENT: 'sandbox',
      RECONCILIATION_STORE: options.store ?? `sqlite:${join(folder, 'facts.db')}`,
      RECONCILIATION_ANALYTICS_FILE: join(folder, 'analytics.duckdb'),
      RECONCILIATION_COMPANION_URL: options.companionUrl,
      RECONCILIATION_COMPANION_TOKEN: READING_TOKEN,
      RECONCILIATION_PORT: String(port),
      RECONCILIATION_POLICY_FILE: policyFile,
      ...options.env,
    },
  });
  options.onStart?.(program);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, `${url}/readyz`);

  async function ask(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(url + path, { headers: options.headers, ...init });
    if (response.ok) return response;
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  }

  async function get<Body>(path: string) {
    return (await (await ask(path)).json()) as Body;
  }

  async function post<Body>(path: string, body: object, headers?: Record<string, string>) {
    const answer = await ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...options.headers, ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Body;
  }

  async function rows(table: string): Promise<Record<string, unknown>[]> {
    const text = await (await ask(`/exports/${table}?format=ndjson`)).text();
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  return {
    program,
    url,
    rows,
    get,
    post,
    async leads() {
      while ((await get<{ role: string }>('/status')).role !== 'leader') await pause(50);
    },
    async importLedger(file) {
      // `fetch` limits a response to five minutes; an import may take longer.
      const upload = request(`${url}/ledger`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...options.headers },
      });
      const answered = once(upload, 'response');
      await pipeline(createReadStream(file), upload);
      const [answer] = (await answered) as [IncomingMessage];
      return (await json(answer)) as Record<string, unknown>;
    },
    async sync(to = asOf.slice(0, 10)) {
      const { id } = await post<{ id: string }>('/syncs', { from, to });
      const events = await (await ask(`/syncs/${id}/events`)).text();
      const last = events.match(/^data: .*$/gm)?.at(-1) ?? '';
      return JSON.parse(last.slice('data: '.length)) as EndedSync;
    },
    async found() {
      const references = new Map<string, string>();
      for (const { orderKey, source, line } of await rows('lines')) {
        const { lenderReferenceId } = line as { lenderReferenceId?: unknown };
        if (source !== 'funding' || typeof lenderReferenceId !== 'string') continue;
        references.set(String(orderKey), lenderReferenceId);
      }
      const exceptions = await rows('exceptions');
      return exceptions.map(({ orderKey, currency, code, amount }) => ({
        name: String(orderKey).startsWith('order:')
          ? String(orderKey).slice('order:'.length)
          : `reference ${references.get(String(orderKey)) ?? ''}`,
        currency: String(currency),
        code: String(code),
        amount: Number(amount),
      }));
    },
  };
}
