import { DatabaseSync } from 'node:sqlite';
import type {
  Adjustments,
  CaseRecord,
  CloseCheck,
  FundingSync,
  PeriodDetail,
  Periods,
  SealVerification,
} from '@financing-checkout/contract/reconciliation';
import { settle, startCompanion, type TestCompanion } from '../companion/companion.fixture.ts';
import { readConfiguration } from '../config/config.ts';
import { type Browser, type SignInStack, startSignIn } from '../http/sign-in.fixture.ts';
import {
  type AtEnd,
  clientOf,
  dayBefore,
  type Running,
  run,
  variablesOf,
} from '../program.fixture.ts';
import type { ProgramOptions } from '../program.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const HOUR_MS = 3_600_000;
/** Returns 09:00 UTC on the day the given number of days ago. */
export const at = (daysAgo: number) =>
  new Date(Date.parse(dayBefore(daysAgo)) + 9 * HOUR_MS).toISOString();

export const anna = { authorization: 'Bearer anna-token-0000001' };
export const ben = { authorization: 'Bearer ben-token-00000001' };

/** Two periods of four days that have ended, and the current one. */
export const periods = [
  { id: 'P1', from: dayBefore(10), to: dayBefore(7) },
  { id: 'P2', from: dayBefore(6), to: dayBefore(3) },
  { id: 'P3', from: dayBefore(2), to: dayBefore(-20) },
];

const policyOf = (slaDays = 8) => JSON.stringify({ periods, slaDays: { default: slaDays } });

/**
 * Adds an order for 100.00 plus its number in cents, settled and funded the given number of days
 * ago.
 */
function addOrder(
  { entries, records }: TestCompanion,
  index: number,
  settled: number,
  funded?: number,
): void {
  entries.push(
    settle(entries.length + 1, `A-${index}`, 10_000 + index, {
      transactionId: `txn-${index}`,
      merchantTransactionId: `mtx-${index}`,
      occurredAt: at(settled),
    }),
  );
  if (funded !== undefined) records.push(wireRecord(index, at(funded)));
}

/** A chargeback of order 0 in P1, which opens a case. */
export const chargeback = wireRecord(0, at(8), {
  status: 'CHARGEBACK',
  transactionType: 'Refund',
  lenderReferenceId: 'LR-back',
});

/** Reads all days as Anna. @returns the id of the run */
async function syncAll(
  ask: (path: string, init: RequestInit) => Response | Promise<Response>,
): Promise<string> {
  const asAnna = (path: string, init: RequestInit = {}) =>
    ask(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...anna } });
  return (await clientOf(asAnna).sync({ from: dayBefore(11), to: dayBefore(0) })).id;
}

export interface Answer {
  status: number;
  code: string | undefined;
  detail: string;
}
const answerOf = async (response: Response): Promise<Answer> => {
  const { code, detail } = (await response.json()) as { code?: string; detail: string };
  return { status: response.status, code, detail };
};

export interface Books {
  /** Path of the record store. */
  store: string;
  companion: TestCompanion;
  program: Running;
  /** See {@link addOrder}. */
  order: (index: number, settled: number, funded?: number) => void;
  /** Returns the API's response to Anna. */
  get: <Body>(path: string) => Promise<Body>;
  read: (id: string) => Promise<PeriodDetail>;
  list: () => Promise<Periods>;
  adjustments: (id: string) => Promise<Adjustments>;
  verify: () => Promise<SealVerification>;
  act: (
    id: string,
    action: string,
    person?: Record<string, string>,
    body?: object,
  ) => Promise<Answer>;
  /** Accepts a check's current findings. */
  accept: (id: string, check: CloseCheck, person?: Record<string, string>) => Promise<Answer>;
  cases: (query: string) => Promise<CaseRecord[]>;
  /** Acts on a case as Anna. */
  work: (caseId: string | undefined, verb: string, body: object) => Promise<void>;
  /** Prepares and closes a period. */
  close: (id: string) => Promise<PeriodDetail>;
  /** Reads all days. @returns the ended run */
  sync: () => Promise<FundingSync>;
}

/**
 * Starts a program with two users and two orders in P1, one of which is paid in P2.
 * @param shared folder, and cleanup of books that tests share or restart
 */
export async function openBooks(
  change: Record<string, string> = {},
  shared?: { folder: string; atEnd?: AtEnd },
  { slaDays, ...options }: ProgramOptions & { slaDays?: number } = {},
): Promise<Books> {
  const companion = await startCompanion(shared?.atEnd);
  const own = {
    RECONCILIATION_TOKENS: [
      'anna periods,sync,imports,cases anna-token-0000001',
      'ben periods ben-token-00000001',
    ].join('\n'),
    RECONCILIATION_POLICY_FILE: '/policy',
    RECONCILIATION_DEFAULT_CURRENCY: 'USD',
    ...change,
  };
  const variables = variablesOf(companion, own, shared?.folder);
  const config = readConfiguration(variables, () => policyOf(slaDays));
  const program = await run(config, options, shared?.atEnd);
  const read = async <Body>(path: string): Promise<Body> => {
    const response = await program.app.request(path, { headers: anna });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const books: Books = {
    store: (variables.RECONCILIATION_STORE ?? '').replace(/^sqlite:/, ''),
    companion,
    program,
    order: (...of) => addOrder(companion, ...of),
    get: read,
    read: (id) => read(`/periods/${id}`),
    list: () => read('/periods'),
    adjustments: (id) => read(`/periods/${id}/adjustments`),
    verify: () => read('/periods/verification'),
    async act(id, action, person = anna, body = {}) {
      return answerOf(await program.post(`/periods/${id}/${action}`, body, person));
    },
    async accept(id, check, person) {
      const { checks } = await books.read(id);
      const digest = checks.find((one) => one.check === check)?.digest;
      const reason = 'known, the lender corrects it in November';
      return books.act(id, 'acceptance', person, { check, digest, reason });
    },
    cases: async (query) => (await read<{ cases: CaseRecord[] }>(`/cases?${query}`)).cases,
    async work(caseId, verb, body) {
      const headers = { ...anna, 'idempotency-key': `${verb}-${caseId}` };
      const { status } = await program.post(`/cases/${caseId}/${verb}`, body, headers);
      if (status !== 200) throw new Error(`${verb} of ${caseId}: ${status}`);
    },
    async close(id) {
      for (const [action, person] of [
        ['preparation', anna],
        ['close', ben],
      ] as const) {
        const { status, detail } = await books.act(id, action, person);
        if (status !== 200) throw new Error(`${action} of ${id}: ${detail}`);
      }
      return books.read(id);
    },
    sync: async () => read(`/syncs/${await syncAll((...of) => program.app.request(...of))}`),
  };
  books.order(0, 10, 9);
  books.order(1, 8, 5);
  await books.sync();
  return books;
}

/** Changes a record store while the program runs, as someone with write access could. */
export function meddle(store: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(store, { timeout: 30_000 });
  database.exec('begin immediate');
  work(database);
  database.exec('commit');
  database.close();
}

/** Books whose users sign in through an OpenID provider. */
export interface Office extends SignInStack {
  /** Path of the record store. */
  store: string;
  /** Signs a person in. */
  enter: (subject: string) => Promise<Browser>;
  /** Acts on the first period in a browser. */
  act: (browser: Browser, action: string, body?: object) => Promise<Answer>;
  read: (browser: Browser) => Promise<PeriodDetail>;
}

/** Starts books that Ada and Grace may close after signing in, but tokens may not. */
export async function openOffice(change: Record<string, string> = {}): Promise<Office> {
  const companion = await startCompanion();
  addOrder(companion, 0, 10, 9);
  const variables = {
    RECONCILIATION_COMPANION_URL: companion.url,
    RECONCILIATION_POLICY_FILE: '/policy',
    RECONCILIATION_DEFAULT_CURRENCY: 'USD',
    RECONCILIATION_TOKENS: 'anna sync,imports anna-token-0000001',
    ...change,
  };
  const stack = await startSignIn(variables, { policy: policyOf() });
  const roles = ['Group of finance'];
  stack.provider.people.set('subject-ada', { name: 'Ada Lovelace', roles });
  stack.provider.people.set('subject-grace', { name: 'Grace Hopper', roles });
  await stack.engine.start({ mode: 'command' });
  await syncAll((path, init) => fetch(stack.url + path, init));
  return {
    ...stack,
    store: stack.engine.config.store.url.reveal(),
    async enter(subject) {
      stack.provider.next = subject;
      const browser = stack.browser();
      await browser.signIn();
      return browser;
    },
    act: async (browser, action, body = {}) =>
      answerOf(await browser.ask(`/periods/P1/${action}`, 'POST', body)),
    read: async (browser) => (await browser.ask('/periods/P1')).json() as Promise<PeriodDetail>,
  };
}
