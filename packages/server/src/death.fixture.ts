import { ChargeAtService, notFound } from './charges/charge.fixture.ts';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion } from './companion.fixture.ts';
import { application, primed, ScriptedService } from './scripted-service.fixture.ts';
import { PrivateKey } from './keys/private-key.ts';
import { Secret } from '@financing-checkout/kit';
import { PRIVATE_KEY } from './secrecy.fixture.ts';
import { createServiceClient } from './service/client.ts';
import type { Transport } from '@financing-checkout/kit';
import { createKyselyStore } from './store/kysely-store.ts';
import { migratedMemory } from './store/sqlite.fixture.ts';
import type { Store } from './store/store.ts';

export const NOTIFICATION_AUTHORIZATION = 'Notify agreed-in-advance-1234';

/**
 * A companion run divided into steps: each store write, each call to the service and each webhook
 * is a step. A dead companion performs no more steps.
 */
export class CompanionRun {
  readonly steps: string[] = [];
  readonly #lastStep: number | undefined;
  readonly #ended = Promise.withResolvers<undefined>();
  #isOver = false;

  /** @param lastStep the step after which the companion dies. @default it does not die */
  constructor(lastStep?: number) {
    this.#lastStep = lastStep;
  }

  /** Returns the result of the work, or undefined when the companion dies first. */
  untilDeath<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return Promise.race([
      work.catch((error: unknown) => this.#throwIfDead(error)),
      this.#ended.promise,
    ]);
  }

  async step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const isLast = this.steps.push(name) - 1 === this.#lastStep;
    this.#throwIfDead();
    const result = await work();
    if (isLast) this.#end();
    this.#throwIfDead();
    return result;
  }

  transport(transport: Transport): Transport {
    return (url, request) =>
      this.step(`${request.method} ${new URL(url).pathname}`, () => transport(url, request));
  }

  store(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function' || !writes.test(String(name))) return method;
        return (...parameters: unknown[]) =>
          this.step(String(name), async () => {
            const result: unknown = await Reflect.apply(method, target, parameters);
            return result;
          });
      },
    });
  }

  #end(): void {
    this.#isOver = true;
    this.#ended.resolve(undefined);
  }

  #throwIfDead(error: unknown = new Error('The companion is dead.')): undefined {
    if (this.#isOver) throw error;
    return undefined;
  }
}

const writes = /^(?:begin|finish|change|update|claim|end|mark|put)[A-Z]/;

interface Webhook {
  checkoutId: string;
  revision: number;
  status: string;
  retrySafe?: boolean;
  chargeState?: string;
}

export interface WorldOptions {
  /** Total of the charge that the service creates, in minor units. */
  total?: number;
  settle?: boolean;
  /** Response to a repeated charge request: the charge, or a rejection of the token. */
  idempotency?: 'kept' | 'token-only';
}

/** What outlives a companion: the service with its charges, the shop, the store and the clock. */
export class World {
  readonly clock = new TestClock();
  readonly charges: ChargeAtService[] = [];
  /** The latest webhook of each checkout. */
  readonly webhooks = new Map<string, Webhook>();
  readonly store: Store;
  readonly #service = new ScriptedService();
  readonly #shop = new ScriptedService();
  readonly #settle: boolean;

  constructor(store: Store, { total, settle, idempotency }: Required<WorldOptions>) {
    this.store = store;
    this.#settle = settle;
    this.#shop.on('POST /webhooks', ({ body }) => {
      const { data } = body as { data: Webhook };
      if (data.revision > (this.webhooks.get(data.checkoutId)?.revision ?? 0)) {
        this.webhooks.set(data.checkoutId, data);
      }
      return { status: 204, text: '' };
    });
    this.#service
      .on('POST /v1/checkout/prime', primed)
      .on(
        'GET /v2/checkout/applications/application-1/status',
        application('Approved', { confirmationToken: 'confirmation-token-1' }),
      )
      .on('POST /v2/post-sale/charges', ({ body }) => {
        const { merchantTransactionId } = body as { merchantTransactionId: string };
        const [existing] = this.charges;
        const done = settle ? { settleTransactionState: 'Completed' } : {};
        if (existing !== undefined) {
          return idempotency === 'kept' && existing.lookUp(merchantTransactionId) !== notFound
            ? { status: 201, body: existing.created(done) }
            : { status: 400, body: { requestId: 'svc-2', errors: [{ code: '2002' }] } };
        }
        const charge = new ChargeAtService(this.#service, {
          id: 'charge-1',
          total,
          settled: settle ? total : 0,
        });
        this.charges.push(charge);
        return { status: 201, body: charge.created(done, merchantTransactionId) };
      });
  }

  static async create(of: WorldOptions = {}): Promise<World> {
    const store = createKyselyStore({ dialect: await migratedMemory() });
    return new World(store, { total: 27_499, settle: true, idempotency: 'kept', ...of });
  }

  companion(run: CompanionRun) {
    const { clock } = this;
    return createCompanion({
      clock,
      store: run.store(this.store),
      settle: this.#settle ? 'on-approval' : 'later',
      webhookTransport: run.transport(this.#shop.transport),
      notificationAuthorizations: [new Secret(NOTIFICATION_AUTHORIZATION)],
      service: createServiceClient({
        baseUrl: 'https://service.example/',
        keys: [new PrivateKey(PRIVATE_KEY)],
        transport: run.transport(this.#service.transport),
        clock,
      }),
    });
  }

  /** Returns the sums of the final ledger: minor units by entry type. */
  async ledgerSums(): Promise<Record<string, number>> {
    const query = { environment: 'sandbox', after: 0, limit: 1_000 } as const;
    const entries = await this.store.ledgerEntries(query);
    const last = new Map(
      entries.map((entry) => [`${entry.merchantTransactionId} ${entry.type}`, entry]),
    );
    const sums: Record<string, number> = {};
    for (const { type, state, amount } of last.values()) {
      if (state === 'unknown') throw new Error(`A ${type} is unknown for ever.`);
      if (state === 'accepted') sums[type] = (sums[type] ?? 0) + (amount?.value ?? 0);
    }
    return sums;
  }
}

export type Companion = Awaited<ReturnType<World['companion']>>;
