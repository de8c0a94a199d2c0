import { describe, expect, test } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import {
  application,
  authorized,
  CHARGE,
  charged,
  foundCharge,
  foundTransaction,
  gatewayTimeout,
  GET_CHARGE,
  LOOKUP,
  networkError,
  notFound,
  ORDER,
  type Scripted,
  STATUS,
  type UpstreamCall,
} from '../scripted-service.fixture.ts';
import { createInFlight } from './context.ts';

type Companion = Awaited<ReturnType<typeof createCompanion>>;
type Kind = 'kept' | 'token-only';

/**
 * Scripts a stub service that creates one charge per token. With `kept`, it responds to a repeated
 * id with the charge; with `token-only` it refuses the token (code 2002).
 */
class Charging {
  readonly made: string[] = [];
  readonly #kind: Kind;

  constructor({ service }: Companion, kind: Kind, ...faults: ('before' | 'after' | 'hang')[]) {
    this.#kind = kind;
    service
      .on(CHARGE, (call) => {
        const fault = faults.shift();
        if (fault === 'before') return networkError('ECONNRESET');
        const answer = this.#charge(call);
        if (fault === 'hang') return new Promise<Scripted>(() => undefined);
        return fault === 'after' ? networkError('ECONNRESET') : answer;
      })
      .on(LOOKUP, ({ query }) =>
        this.made.includes(query.get('merchantTransactionId') ?? '')
          ? foundTransaction()
          : notFound,
      )
      .on(ORDER, () => (this.made.length > 0 ? { status: 200, body: 'charge-1' } : notFound))
      .on(GET_CHARGE, foundCharge());
  }

  #charge({ body }: UpstreamCall): Scripted {
    const { merchantTransactionId } = body as { merchantTransactionId: string };
    const isKnown = this.made.includes(merchantTransactionId);
    if (this.made.length === 0) this.made.push(merchantTransactionId);
    else if (this.#kind === 'token-only' || !isKnown) {
      return { status: 400, body: { requestId: 'svc-2', errors: [{ code: '2002' }] } };
    }
    return charged;
  }
}

const idsOf = ({ service }: Companion) =>
  service
    .callsTo(CHARGE)
    .map(({ body }) => (body as { merchantTransactionId: string }).merchantTransactionId);

async function rounds(companion: Companion, seconds: number, step = 10) {
  for (let passed = 0; passed < seconds; passed += step) {
    companion.clock.advance(step * 1_000);
    while ((await companion.background.runOnce()) > 0);
  }
}

describe('a lost connection', () => {
  test.each([
    ['kept', ['before']],
    ['kept', ['before', 'before', 'before']],
    ['token-only', ['before']],
    ['token-only', ['before', 'after']],
    ['kept', ['before', 'after']],
  ] as const)(
    'before the service acted ends in one charge within seconds (idempotency %s, faults %j)',
    async (kind, faults) => {
      const companion = await createCompanion();
      const service = new Charging(companion, kind, ...faults);
      const id = await companion.open();
      const began = companion.clock.now();
      const { body } = await companion.patiently(companion.confirm(id));
      expect(body.status).toBe('approved');
      expect(companion.clock.now() - began).toBeLessThan(9_000);
      expect(service.made).toHaveLength(1);
      expect(new Set(idsOf(companion))).toEqual(new Set(service.made));
    },
  );

  test.each(['kept', 'token-only'] as const)(
    'after the service created the charge ends with a lookup and no second request (idempotency %s)',
    async (kind) => {
      const companion = await createCompanion();
      const service = new Charging(companion, kind, 'after');
      const id = await companion.open();
      expect((await companion.confirm(id)).body.status).toBe('approved');
      expect(service.made).toHaveLength(1);
      expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    },
  );

  test('whose retry gets code 2002 is looked up until the charge appears', async () => {
    const companion = await createCompanion();
    const used = { status: 400, body: { errors: [{ code: '2002' }] } };
    companion.service.on(CHARGE, networkError('ECONNRESET'), used);
    const id = await companion.open();
    const { body } = await companion.patiently(companion.confirm(id));
    expect(body).toMatchObject({ status: 'unavailable', retrySafe: false });
    // Also after the grace period: the service stated that the token has its charge.
    await rounds(companion, 600);
    expect((await companion.get(`/checkout/${id}`)).body.retrySafe).toBe(false);
    companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    await rounds(companion, 600);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(2);
  });

  test('records each retry before sending it', async () => {
    const companion = await createCompanion();
    const id = await companion.open();
    const recorded: string[][] = [];
    companion.service.on(CHARGE, networkError('ECONNRESET'), async () => {
      recorded.push((await companion.attempts(id, 'charge')).map(({ state }) => state));
      return charged;
    });
    await companion.patiently(companion.confirm(id));
    expect(recorded).toEqual([['unknown', 'recorded']]);
  });

  test('on every retry ends as unknown, and as absent three minutes after the last request', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, networkError('ECONNRESET'));
    const id = await companion.open();
    const { body } = await companion.patiently(companion.confirm(id));
    expect(body.status).toBe('confirming');
    await rounds(companion, 30, 1);
    expect(companion.service.callsTo(CHARGE).length).toBeLessThanOrEqual(6);
    expect((await companion.get(`/checkout/${id}`)).body.retrySafe).toBe(false);
    await rounds(companion, 400);
    expect((await companion.get(`/checkout/${id}`)).body.retrySafe).toBe(true);
  });

  test('is not retried while the order names an unknown charge', async () => {
    const companion = await createCompanion();
    companion.service
      .on(CHARGE, networkError('ECONNRESET'))
      .on(ORDER, { status: 200, body: 'charge-9' });
    const id = await companion.open();
    const { body } = await companion.confirm(id);
    expect(body).toMatchObject({ status: 'unavailable', retrySafe: false });
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });
});

describe('a slow charge', () => {
  test('is reported as confirming after ten seconds and approved when the service responds', async () => {
    const companion = await createCompanion();
    const answer = Promise.withResolvers<Scripted>();
    companion.service.on(CHARGE, () => answer.promise);
    const id = await companion.open();
    const confirmed = companion.confirm(id);
    await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(1);
    companion.clock.advance(10_000);
    expect(await confirmed).toMatchObject({ status: 200, body: { status: 'confirming' } });
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('confirming');
    companion.clock.advance(45_000);
    answer.resolve(charged);
    await expect
      .poll(async () => (await companion.get(`/checkout/${id}`)).body.status)
      .toBe('approved');
  });

  test('that times out is looked up and not repeated for three minutes, although the token is available', async () => {
    const companion = await createCompanion();
    companion.service
      .on(CHARGE, gatewayTimeout)
      .on(STATUS, application('Approved', { confirmationToken: 'confirmation-token-1' }));
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('unavailable');
    await rounds(companion, 170);
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
    const service = new Charging(companion, 'kept');
    await rounds(companion, 400);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect([companion.service.callsTo(CHARGE).length, service.made.length]).toEqual([2, 1]);
  });

  test('is awaited when the companion shuts down', async () => {
    const inFlight = createInFlight();
    const answer = Promise.withResolvers<undefined>();
    inFlight.add(answer.promise);
    let isIdle = false;
    const idle = inFlight.idle().then(() => (isIdle = true));
    await Promise.resolve();
    expect(isIdle).toBe(false);
    answer.reject(new Error('refused'));
    await idle;
  });
});

describe('a companion that died during a confirmation', () => {
  async function dead(kind: Kind, ...faults: ('before' | 'hang')[]) {
    const companion = await createCompanion();
    const service = new Charging(companion, kind, ...faults);
    const id = await companion.open();
    // The process is gone: it receives no response and none of its timers fires.
    const dying = await createCompanion({ store: companion.store });
    dying.service.on(CHARGE, () => new Promise<Scripted>(() => undefined));
    void dying.confirm(id);
    await expect.poll(() => dying.service.callsTo(CHARGE).length).toBe(1);
    return { companion, service, id };
  }

  test.each(['kept', 'token-only'] as const)(
    'is continued by another companion, which reads the token from the application (idempotency %s)',
    async (kind) => {
      const { companion, service, id } = await dead(kind);
      companion.service.on(
        STATUS,
        application('Approved', { confirmationToken: 'confirmation-token-1' }),
      );
      await rounds(companion, 80);
      expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
      await rounds(companion, 20);
      expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
      expect(service.made).toHaveLength(1);
      const [first] = await companion.attempts(id, 'charge');
      expect(service.made).toEqual([first?.merchantTransactionId]);
    },
  );

  test('is not continued with another token', async () => {
    const { companion, id } = await dead('kept');
    companion.service.on(STATUS, application('Approved', { confirmationToken: 'another' }));
    await rounds(companion, 400);
    expect((await companion.get(`/checkout/${id}`)).body.retrySafe).toBe(true);
    expect(companion.service.callsTo(CHARGE)).toHaveLength(0);
  });

  test('is continued by only one of two companions', async () => {
    const { companion, service, id } = await dead('kept');
    const { clock, store } = companion;
    const other = await createCompanion({
      store,
      clock,
      service: companion.options.service,
    });
    companion.service.on(
      STATUS,
      application('Approved', { confirmationToken: 'confirmation-token-1' }),
    );
    clock.advance(90_000);
    await Promise.all([companion.background.runOnce(), other.background.runOnce()]);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect([companion.service.callsTo(CHARGE).length, service.made.length]).toEqual([1, 1]);
  });
});

describe('a charge that is found', () => {
  async function found(change: object) {
    const companion = await createCompanion();
    companion.service.on(CHARGE, gatewayTimeout);
    const id = await companion.open();
    await companion.confirm(id);
    companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge(change));
    await rounds(companion, 2, 2);
    const ledger = async () => {
      const query = { environment: 'sandbox', after: 0, limit: 100 } as const;
      const entries = await companion.store.ledgerEntries(query);
      const last = new Map(entries.map(({ type, state }) => [type, state]));
      return Object.fromEntries(last);
    };
    return { companion, id, ledger };
  }

  test.each([
    ['VOIDED', { ...authorized }],
    ['CHARGEDBACK', {}],
    ['CHARGEBACK', {}],
    ['REFUNDED', { refundedAmount: 274.99 }],
    ['SETTLED', { refundedAmount: 274.99 }],
  ])('%s with nothing owed ends as failed and releases its order', async (state, change) => {
    const { companion, id } = await found({ ...change, state });
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('failed');
    expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
    expect((await companion.prime('key-2')).status).toBe(201);
  });

  test('AUTHORIZED has no settle in the ledger until it is settled', async () => {
    const { companion, id, ledger } = await found(authorized);
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect(await ledger()).toEqual({ Authorize: 'accepted', Settle: 'absent' });
    await rounds(companion, 3_600, 60);
    expect(await ledger()).toEqual({ Authorize: 'accepted', Settle: 'absent' });
    companion.service.on(GET_CHARGE, foundCharge());
    await rounds(companion, 7_200, 60);
    expect(await ledger()).toEqual({ Authorize: 'accepted', Settle: 'accepted' });
    expect(await companion.store.findCheckout(id)).toMatchObject({
      chargeState: 'Settled',
      attentionAt: undefined,
    });
  });

  test('AUTHORIZED is looked up for a day', async () => {
    const { companion, id } = await found(authorized);
    const before = companion.service.callsTo(GET_CHARGE).length;
    await rounds(companion, 3 * 86_400, 1_800);
    expect(companion.service.callsTo(GET_CHARGE).length - before).toBeLessThan(20);
    expect((await companion.store.findCheckout(id))?.attentionAt).toBeUndefined();
  });
});
