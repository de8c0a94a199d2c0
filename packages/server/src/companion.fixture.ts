import { existsSync } from 'node:fs';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Order } from '@financing-checkout/contract/storefront';
import { Kysely, sql } from 'kysely';
import { createCompanion as createApis } from './companion.ts';
import { sha256 } from './platform/id.ts';
import { Secret } from '@financing-checkout/kit';
import { TestClock } from '@financing-checkout/kit/testing';
import { noteAnswers } from './answers.fixture.ts';
import { PrivateKey } from './keys/private-key.ts';
import { createTripWire } from './keys/key-ring.ts';
import { sqliteDialect } from '@financing-checkout/kit/sqlite';
import { createCounters } from './platform/counters.ts';
import { listedFields, type Logger } from './platform/logger.ts';
import type { CompanionOptions } from './options.ts';
import { notePriorities, type PrioritizedCall, unstatedPriorities } from './priorities.fixture.ts';
import { createServiceClient } from './service/client.ts';
import { ScriptedService, primed } from './scripted-service.fixture.ts';
import { PRIVATE_KEY, written } from './secrecy.fixture.ts';
import { createKyselyStore } from './store/kysely-store.ts';
import { makeStoreFile, migratedMemory } from './store/sqlite.fixture.ts';
import type { Store } from './store/store.ts';
import { signOrderTicket, type SignOrderTicketOptions } from '@financing-checkout/ticket';

export { PRIVATE_KEY };
export const PUBLIC_KEY = 'pk-0123456789abcdef0123456789';
export const TICKET_SECRET = 'ticket-secret-of-the-tests-32-bytes!';
export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const BACK_OFFICE_TOKEN = 'back-office-token-0123456789';
export const ORIGIN = 'https://shop.example';

export const order: Order = {
  merchantOrderId: 'order-1001',
  currency: 'USD',
  items: [{ name: 'Oak chair', sku: 'CH-1', price: 12_999, quantity: 2 }],
  discounts: [{ name: 'Welcome', amount: 1_000 }],
  taxAmount: 2_001,
  shippingAmount: 500,
  totalAmount: 27_499,
  consumer: { firstName: 'Ada', lastName: 'Quill', email: 'ada.quill@example.com' },
};

/** Secrets of primed checkouts, by checkout id. */
const secrets = new Map<string, string>();

/** Returns the secret of a checkout: the idempotency key of its prime. */
export function secretOf(checkoutId: string): string {
  return secrets.get(checkoutId) ?? '';
}

/** Returns a key of the required length. */
export const keyOf = (name: string) => (name === '' ? '' : name.padEnd(32, '-'));

/** Returns the key of a prime as the store records it. */
export const recordedKeyOf = async (name: string) => `sandbox ${await sha256(keyOf(name))}`;

/** Returns the secret of the checkout in a path. */
function secretFor(path: string): Record<string, string> {
  const id = /\/checkout\/([^/?]+)/.exec(path)?.[1] ?? '';
  return secrets.has(id) ? { 'financing-checkout-secret': secretOf(id) } : {};
}

export interface LogLine {
  level: string;
  event: string;
  [field: string]: unknown;
}

export interface Answer {
  status: number;
  headers: { get(name: string): string | null };
  text: string;
  /** `{}` for a text that is not JSON. */
  body: Record<string, unknown>;
}

/** A store, and its next due time for tests that advance the clock. */
interface TestStore {
  store: Store;
  /** Returns the first time after `now` at which background work becomes due, if any. */
  nextDue: (now: number) => Promise<number | undefined>;
}

/** @param file the file of a new or existing store. @default in memory */
async function openTestStore(file?: string): Promise<TestStore> {
  if (file !== undefined && !existsSync(file)) await makeStoreFile(file);
  const dialect = file === undefined ? await migratedMemory() : sqliteDialect(file);
  const db = new Kysely({ dialect });
  return {
    store: createKyselyStore({ dialect }),
    async nextDue(now) {
      const { rows } = await sql<{ at: number | null }>`
        select min(at) as at from (
          select attention_at as at from checkouts
          union all select attention_at from charge_operations
          union all select attention_at from links
          union all select attention_at from notifications
          union all select next_attempt_at from outbox
        ) where at > ${now}`.execute(db);
      return rows[0]?.at ?? undefined;
    },
  };
}

function unknownDue(): never {
  throw new Error('The next due time is known only for a store that `createCompanion` opened.');
}

/** Creates a companion with a real SQLite store and a scripted service. */
export async function createCompanion(
  change: Partial<CompanionOptions> = {},
  setup: { file?: string; keys?: string[] } = {},
) {
  const service = new ScriptedService().on('POST /v1/checkout/prime', primed);
  const shop = new ScriptedService().on('POST /webhooks', { status: 204, text: '' });
  const clock = new TestClock();
  const counters = createCounters();
  const log: LogLine[] = [];
  const calls: PrioritizedCall[] = [];
  const logger: Logger = {
    log: (level, event, fields = {}) => void log.push({ level, event, ...listedFields(fields) }),
  };
  const [firstKey = PRIVATE_KEY, ...otherKeys] = setup.keys ?? [];
  const keys: [PrivateKey, ...PrivateKey[]] = [
    new PrivateKey(firstKey),
    ...otherKeys.map((key) => new PrivateKey(key)),
  ];
  const { store, nextDue } =
    change.store === undefined
      ? await openTestStore(setup.file)
      : { store: change.store, nextDue: unknownDue };
  const options: CompanionOptions = {
    environment: 'sandbox',
    publicKey: PUBLIC_KEY,
    service: notePriorities(
      createServiceClient({
        baseUrl: 'https://service.example/',
        keys,
        transport: service.transport,
        clock,
        logger,
        random: () => 0,
      }),
      calls,
    ),
    tripWire: createTripWire(keys),
    store,
    allowedOrigins: [ORIGIN],
    tickets: { secrets: [new Secret(TICKET_SECRET)] },
    hostedUrl: 'https://hosted.example/c?s={sessionToken}&k={publicKey}&o={origin}&r={returnUrl}',
    backOfficeTokens: [
      {
        name: 'back-office',
        scopes: ['fundings', 'webhooks', 'links', 'money'],
        secret: new Secret(BACK_OFFICE_TOKEN),
      },
    ],
    webhook: { url: 'https://shop.example/webhooks', secret: new Secret(WEBHOOK_SECRET) },
    webhookTransport: shop.transport,
    clock,
    logger,
    counters,
    random: () => 0,
    ...change,
  };
  const { storefront, backOffice, background } = createApis(options);
  const answers: string[] = [];
  const apps = [storefront, backOffice];
  const noted = noteAnswers({ storefront, backOffice }, options.allowedOrigins);
  written.push({
    log,
    answers,
    undeclaredAnswers: noted.undeclared,
    unstatedPriorities: () => unstatedPriorities(apps, log, calls),
  });

  async function read(response: Response): Promise<Answer> {
    const text = await response.text();
    answers.push(JSON.stringify([...response.headers]), text);
    noted.check(response, text);
    const isJson = text !== '' && response.headers.get('content-type')?.includes('json') === true;
    const body = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, text, body };
  }

  const headers = ({ 'idempotency-key': key, ...more }: Record<string, string> = {}) => ({
    authorization: `Bearer ${PUBLIC_KEY}`,
    'financing-checkout-version': '1',
    'content-type': 'application/json',
    origin: ORIGIN,
    ...(key === undefined ? {} : { 'idempotency-key': keyOf(key) }),
    ...more,
  });

  async function post(path: string, body: unknown = {}, more: Record<string, string> = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const all = headers({ ...secretFor(path), ...more });
    const answer = await read(
      await storefront.request(path, { method: 'POST', headers: all, body: text }),
    );
    const { id } = answer.body;
    const key = all['idempotency-key'];
    if (typeof id === 'string' && key !== undefined) {
      secrets.set(id, key);
    }
    return answer;
  }

  return {
    service,
    shop,
    clock,
    counters,
    log,
    answers,
    store: options.store,
    options,
    storefront,
    backOffice,
    background,
    headers,
    read,
    post,
    async get(path: string, more: Record<string, string> = {}) {
      const all = headers({ ...secretFor(path), ...more });
      return read(await storefront.request(path, { headers: all }));
    },
    async office(path: string, more: Record<string, string> = {}) {
      const authorization = `Bearer ${BACK_OFFICE_TOKEN}`;
      return read(await backOffice.request(path, { headers: { authorization, ...more } }));
    },
    async officePost(path: string, body: unknown = {}, more: Record<string, string> = {}) {
      const headers = {
        authorization: `Bearer ${BACK_OFFICE_TOKEN}`,
        'content-type': 'application/json',
        ...more,
      };
      return read(
        await backOffice.request(path, { method: 'POST', headers, body: JSON.stringify(body) }),
      );
    },
    async ticket(change: Partial<Order> = {}, more: Partial<SignOrderTicketOptions> = {}) {
      return signOrderTicket(
        { ...order, ...change },
        {
          secret: TICKET_SECRET,
          environment: options.environment,
          issuedAt: new Date(clock.now()),
          ...more,
        },
      );
    },
    async prime(key = 'key-1', change: Partial<Order> = {}) {
      const body = { order: await this.ticket(change), environment: 'sandbox' };
      return post('/checkout/prime', body, { 'idempotency-key': key });
    },
    /** Primes and returns the checkout id. */
    async open(key = 'key-1', change: Partial<Order> = {}) {
      const { body } = await this.prime(key, change);
      return body.id as string;
    },
    /** Returns a checkout's attempts of one kind, oldest first. */
    async attempts(id: string, kind: string) {
      const attempts = await options.store.findAttempts(id);
      return attempts.filter((attempt) => attempt.kind === kind);
    },
    confirm(id: string, confirmationToken = 'confirmation-token-1') {
      return post(`/checkout/${id}/confirmation`, { confirmationToken });
    },
    /** Waits for a promise while advancing the clock. @param step milliseconds */
    async patiently<Result>(answer: Promise<Result>, step = 250): Promise<Result> {
      const there = { is: false };
      const note = () => void (there.is = true);
      void answer.then(note, note);
      for (;;) {
        for (let turn = 0; turn < 20 && !there.is; turn++) await turnOfLoop();
        if (there.is) return answer;
        clock.advance(step);
      }
    },
    /**
     * Advances the clock by `ms` milliseconds and runs the background work that becomes due. The
     * clock stops only at times when work is due.
     * @param afterStop called after the work at each stop
     */
    async pass(ms: number, afterStop: () => void = () => undefined): Promise<void> {
      const end = clock.now() + ms;
      for (;;) {
        while ((await background.runOnce()) > 0);
        afterStop();
        if (clock.now() >= end) return;
        const next = (await nextDue(clock.now())) ?? end;
        clock.advance(Math.min(next, end) - clock.now());
      }
    },
    /** Returns the bodies of the webhooks, in order. */
    webhooks() {
      return shop.calls.map(({ body }) => (body as { data: Record<string, unknown> }).data);
    },
  };
}
