import { createReadStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import {
  companionMemory,
  type Program,
  startProgram,
  untilReady,
} from '../../scripts/processes.ts';
import type { Found } from './grade.ts';
import { type History, sandboxMain } from './history.ts';

/** A sandbox that serves a seeded history. */
export interface Service {
  program: Program;
  apiUrl: string;
  controlUrl: string;
  caFile: string;
  publicKey: string;
  privateKeyFile: string;
}

export async function startService({ dataDir }: History): Promise<Service> {
  const program = startProgram({
    name: 'sandbox',
    file: sandboxMain,
    args: [
      'serve',
      ...['--api-port', '0', '--hosted-port', '0', '--control-port', '0'],
      ...['--data-dir', dataDir],
    ],
    cwd: dataDir,
    env: {},
  });
  await untilSaid(program, (line) => line.includes('ready'));
  const said = (pattern: RegExp) =>
    program.lines.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  return {
    program,
    apiUrl: said(/API of sandbox: (\S+)/),
    controlUrl: said(/[Cc]ontrol(?: API)?: (\S+)/),
    caFile: join(dataDir, 'ca.pem'),
    publicKey: readFileSync(join(dataDir, 'keys/sandbox.public'), 'utf8').trim(),
    privateKeyFile: join(dataDir, 'keys/sandbox.private'),
  };
}

/** Where a companion keeps what it knows, and how a test looks into it. */
export interface Place {
  /** COMPANION_STORE. */
  url: string;
  ask: (sql: string) => Promise<Record<string, unknown>[]>;
  /** Statements as one transaction. */
  all: (statements: readonly string[]) => Promise<void>;
}

export interface CompanionOptions {
  folder: string;
  service: Service;
  history: History;
  policy: object;
  place: Place;
  env?: Record<string, string>;
}

/** A pass of the recompute, as the log tells of it. */
export interface Pass {
  /** `full`, or what had `changed`. */
  outcome: string;
  count: number;
  durationMs: number;
}

/** A companion, as it is run by a merchant, at the time at which the history ends. */
export interface Companion {
  program: Program;
  /** Of its back office. */
  url: string;
  office: (path: string, init?: RequestInit & { duplex?: 'half' }) => Promise<Response>;
  /** Takes a ledger in. @returns its report */
  importLedger(file: string): Promise<Record<string, unknown>>;
  /** Reads all days of the history. @returns the run, when it has ended */
  sync(): Promise<{ state: string; records: number; changed: number }>;
  /** Resolves when nothing is left to compute. */
  idle(): Promise<void>;
  /** Resolves when nothing is left to compute, and the data was complete. */
  settled(): Promise<void>;
  /** Resolves when a full pass has taken place since this companion was started. */
  settledAnew(): Promise<void>;
  /** Passes so far: how many orders came out otherwise, how long it took. */
  passes(): Pass[];
  /** Passes after the first ones. @throws Error when none has been told of within a minute */
  passesAfter(count: number): Promise<Pass[]>;
  /** The most memory it has had, in MB. */
  peakMb(): number;
}

const LONGEST_PASS_MS = 60_000;

export async function startCompanion(options: CompanionOptions): Promise<Companion> {
  const { folder, service, history, place } = options;
  mkdirSync(folder, { recursive: true });
  const policyFile = join(folder, 'policy.json');
  writeFileSync(policyFile, JSON.stringify(options.policy));
  const ticketFile = join(folder, 'ticket-secret');
  writeFileSync(ticketFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  const [port, officePort] = [await getPort(), await getPort()];
  const { asOf, from } = history.summary;
  const program = startProgram({
    name: 'companion',
    file: join(root, 'packages/server/dist/node/main.js'),
    args: ['serve'],
    nodeArgs: companionMemory.nodeArgs,
    cwd: folder,
    env: {
      ...companionMemory.env,
      NODE_ENV: 'production',
      NODE_OPTIONS: `--import ${join(root, 'tests/reconciliation/shifted-clock.mjs')}`,
      TEST_CLOCK_OFFSET_MS: String(Date.parse(asOf) - Date.now()),
      FINANCING_ENVIRONMENT: 'sandbox',
      FINANCING_BASE_URL: service.apiUrl,
      FINANCING_CA_FILE: service.caFile,
      FINANCING_PUBLIC_API_KEY: service.publicKey,
      FINANCING_PRIVATE_API_KEY_FILE: service.privateKeyFile,
      FINANCING_HOSTED_URL: 'http://localhost:4444/checkout?session={sessionToken}',
      ORDER_TICKET_SECRET_FILE: ticketFile,
      COMPANION_ALLOWED_ORIGINS: 'http://localhost:3000',
      COMPANION_PORT: String(port),
      COMPANION_BACK_OFFICE_PORT: String(officePort),
      COMPANION_STORE: place.url,
      RECONCILIATION_POLICY_FILE: policyFile,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      ...options.env,
    },
  });
  const officeUrl = `http://127.0.0.1:${officePort}`;
  await untilReady(program, `${officeUrl}/readyz`);

  async function office(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(`${officeUrl}${path}`, init);
    if (response.ok) return response;
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  }

  /** @param complete whether the last full pass has to have had all data */
  async function settled(complete: boolean): Promise<void> {
    for (;;) {
      const [left] = await place.ask('select count(*) as marks from dirty_orders');
      const [run] = await place.ask(
        `select count(*) as done from recomputes where state = 'complete'
        ${complete ? 'and complete = 1' : ''}`,
      );
      if (Number(left?.marks) === 0 && Number(run?.done) === 1) return;
      await alive(50);
    }
  }

  /** Waits, unless there is nobody left to wait for. */
  async function alive(milliseconds: number): Promise<void> {
    if (program.exited) throw new Error(`The companion ended:\n${program.lines.join('\n')}`);
    await pause(milliseconds);
  }

  function passes(): Pass[] {
    return program.lines.flatMap((line) => {
      if (!line.includes('reconciliation-recomputed')) return [];
      const { outcome, count, durationMs } = JSON.parse(line) as Record<string, unknown>;
      return [{ outcome: String(outcome), count: Number(count), durationMs: Number(durationMs) }];
    });
  }

  async function passesAfter(count: number): Promise<Pass[]> {
    for (let waited = 0; passes().length <= count; waited += 20) {
      if (waited > LONGEST_PASS_MS) throw new Error('Nothing was computed, or nothing changed.');
      await alive(20);
    }
    return passes().slice(count);
  }

  return {
    program,
    url: officeUrl,
    office,
    passes,
    passesAfter,
    idle: () => settled(false),
    settled: () => settled(true),
    async settledAnew() {
      while (!passes().some(({ outcome }) => outcome === 'full')) await alive(20);
      await settled(true);
    },
    async importLedger(file) {
      // `fetch` waits five minutes for an answer: this one comes when all is in the books.
      const upload = request(`${officeUrl}/reconciliation/ledger`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
      });
      const answered = once(upload, 'response');
      await pipeline(createReadStream(file), upload);
      const [answer] = (await answered) as [IncomingMessage];
      return (await json(answer)) as Record<string, unknown>;
    },
    async sync() {
      const begun = await office('/reconciliation/syncs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ from, to: asOf.slice(0, 10) }),
      });
      const { id } = (await begun.json()) as { id: string };
      for (;;) {
        const answer = await office(`/reconciliation/syncs/${id}`);
        const run = (await answer.json()) as { state: string; records: number; changed: number };
        if (run.state !== 'running') return run;
        await pause(50);
      }
    },
    peakMb: () => {
      try {
        const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
        return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      } catch {
        // It has ended, or this is not Linux.
        return 0;
      }
    },
  };
}

/** All exceptions that stand; a funding of no order by its lender's reference. */
export async function foundIn({ ask }: Place): Promise<Found[]> {
  const rows = await ask(
    `select e.order_key, e.currency, e.code, e.amount,
      (select min(f.lender_reference_id) from fundings f
        where f.environment = e.environment and f.order_key = e.order_key) as reference
    from order_exceptions e`,
  );
  return rows.map(({ order_key: key, currency, code, amount, reference }) => ({
    name: String(key).startsWith('order:')
      ? String(key).slice(6)
      : `reference ${String(reference)}`,
    currency: String(currency),
    code: String(code),
    amount: Number(amount),
  }));
}

async function untilSaid(program: Program, wanted: (line: string) => boolean): Promise<void> {
  while (!program.lines.some(wanted)) {
    if (program.exited) {
      throw new Error(`The ${program.name} ended:\n${program.lines.slice(-20).join('\n')}`);
    }
    await pause(20);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
