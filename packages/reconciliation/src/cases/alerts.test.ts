import { describe, expect, test } from 'vitest';
import { caseAlertSchema } from '@financing-checkout/contract/reconciliation';
import { Webhook } from 'standardwebhooks';
import { sqliteFacts } from '../facts/facts.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { alertCases, type AlertPolicy } from './alerts.ts';
import { type Cases, DAY_MS, exception, openCases } from './cases.fixture.ts';
import { deliverAlerts } from './delivery.ts';
import { operateOnCase } from './operations.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

const policy = (amount: number | undefined, days?: number): AlertPolicy => ({
  amount: {
    default: amount,
    currencies: amount === undefined ? {} : { JPY: 100_000 },
  },
  days,
});

describe('alerts', () => {
  async function setUp() {
    const all = await openCases(sqliteFacts());
    return {
      ...all,
      alert: (rules: AlertPolicy) =>
        alertCases({ ...all.ctx, environment: 'sandbox' }, all.source, rules),
    };
  }

  /** Starts an endpoint that responds with a sequence of statuses. */
  function receiver(all: Cases, statuses: number[], headers: Record<string, string> = {}) {
    const sent: { url: string; body: string; headers: Record<string, string> }[] = [];
    const delivery = {
      ...all.ctx,
      target: {
        url: 'https://finance.example/alerts',
        secret: new Secret(SECRET),
        previousSecret: new Secret(OLD_SECRET),
      },
      transport: (url: string, request: { body?: string; headers: Record<string, string> }) => {
        sent.push({ url, body: request.body ?? '', headers: request.headers });
        const status = statuses.shift();
        if (status === undefined) return Promise.reject(new Error('connection refused'));
        return Promise.resolve(new Response(null, { status, headers }));
      },
      random: () => 1 / 3,
    };
    return { sent, deliver: () => deliverAlerts(delivery, 10) };
  }

  test('compare an amount of unknown currency in hundredths, and mark an assumed currency', async () => {
    const all = await setUp();
    all.source.exceptions = [
      exception({
        orderKey: 'order:two',
        currency: '',
        code: 'CURRENCY_UNKNOWN',
        amount: 1_000_000,
      }),
      exception({ orderKey: 'order:guess', amount: 10_000 }),
    ];
    all.source.assumed.add('order:guess');
    await all.follow();
    expect(await all.alert(policy(10_001))).toBe(0);
    expect(await all.alert(policy(10_000))).toBe(2);
    const { sent, deliver } = receiver(all, [204, 204]);
    await deliver();
    const alerts = sent.map(({ body }) => caseAlertSchema.parse(JSON.parse(body)).data);
    const marked = alerts.map(({ currency, currencyAssumed }) => [currency, currencyAssumed]);
    expect(marked.toSorted()).toEqual([
      ['', undefined],
      ['USD', true],
    ]);
  });

  test('compare the money at stake, so that an order with two cases exceeds a threshold only once', async () => {
    const all = await setUp();
    const parts = { orderKey: 'order:parts', currency: 'CAD' };
    all.source.exceptions = [
      exception({ ...parts, code: 'MISSING_AT_LENDER', amount: 659_172 }),
      exception({ ...parts, code: 'AMBIGUOUS_PAYMENT', amount: 494_379 }),
    ];
    await all.follow();
    for (const { code, id } of await all.find()) {
      all.source.atStake.set(id, code === 'MISSING_AT_LENDER' ? 164_793 : 0);
    }
    expect(await all.alert(policy(164_794))).toBe(0);
    expect(await all.alert(policy(164_793))).toBe(1);
    const { sent, deliver } = receiver(all, [204]);
    await deliver();
    const alerts = sent.map(({ body }) => caseAlertSchema.parse(JSON.parse(body)).data);
    expect(alerts).toMatchObject([
      { code: 'MISSING_AT_LENDER', amount: 659_172, atStake: 164_793, cause: 'amount' },
    ]);
  });

  test('are queued once per case, by amount or age, and again only after the case was closed', async () => {
    const all = await setUp();
    all.source.exceptions = [
      exception({ amount: -20_000 }),
      exception({ orderKey: 'order:small', amount: 5 }),
      exception({ orderKey: 'order:yen', currency: 'JPY', amount: 20_000 }),
    ];
    await all.follow();
    expect(await all.alert(policy(undefined))).toBe(0);
    expect(await all.alert(policy(20_001))).toBe(0);
    expect(await all.alert(policy(20_000))).toBe(1);
    expect(await all.alert(policy(10_000))).toBe(0);
    all.source.exceptions = all.source.exceptions.map((row) =>
      row.amount === -20_000 ? { ...row, contentHash: 'content-2' } : row,
    );
    await all.follow();
    expect(await all.alert(policy(10_000))).toBe(0);
    const since = (await all.find())[0]?.since ?? NaN;
    all.clock.advance(since + 10 * DAY_MS - all.clock.now() - 1);
    expect(await all.alert(policy(undefined, 10))).toBe(0);
    all.clock.advance(1);
    expect(await all.alert(policy(undefined, 10))).toBe(2);
    all.source.exceptions = [];
    await all.follow();
    all.source.exceptions = [exception({ amount: -20_000 })];
    await all.follow();
    expect(await all.alert(policy(10_000))).toBe(1);
    expect((await all.kinds()).filter((kind) => kind === 'alerted')).toHaveLength(4);
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('are queued for a snoozed case once it is back in the queue', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase({ amount: -20_000 });
    const until = new Date(all.clock.now() + DAY_MS).toISOString();
    const operation = { kind: 'snoozed', until } as const;
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k1' });
    expect(await all.alert(policy(20_000))).toBe(0);
    all.clock.advance(DAY_MS);
    expect(await all.alert(policy(20_000))).toBe(1);
  });

  test('are queued for more cases than fit into one transaction', async () => {
    const all = await setUp();
    all.source.exceptions = Array.from({ length: 450 }, (_unused, index) =>
      exception({ orderKey: `order:${index}`, amount: index % 2 ? 1 : 9_000 }),
    );
    await all.follow();
    expect(await all.alert(policy(9_000))).toBe(225);
    expect(await all.alert(policy(9_000))).toBe(0);
    expect(await all.facts.alerts({ state: 'waiting', limit: 1_000 })).toHaveLength(225);
  });

  test('are not queued during a rebuild or for orders that are waiting to be judged', async () => {
    const all = await setUp();
    const { id: caseId, orderKey } = await all.openCase({ amount: -20_000 });
    all.source.current = 'rebuilding';
    expect(await all.alert(policy(1))).toBe(0);
    all.source.current = 'complete';
    all.source.dirty.add(orderKey);
    expect(await all.alert(policy(1))).toBe(0);
    all.source.dirty.clear();
    // The exception that was found is gone or changed, and no pass has processed that yet.
    for (const exceptions of [[], [exception({ contentHash: 'content-2' })]]) {
      all.source.exceptions = exceptions;
      expect(await all.alert(policy(1))).toBe(0);
    }
    all.source.exceptions = [exception({ amount: -20_000 })];
    const operation = { kind: 'ignored', reason: 'small' } as const;
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k1' });
    expect(await all.alert(policy(1))).toBe(0);
    const reopen = { kind: 'reopened', reason: 'look again' } as const;
    await operateOnCase(all.ctx, { caseId, operation: reopen, by: 'Ines', key: 'k2' });
    expect(await all.alert(policy(1))).toBe(1);
  });

  test('are signed with both secrets and contain no personal data', async () => {
    const all = await setUp();
    const { id: caseId } = await all.openCase({ amount: -20_000 });
    const assign = { kind: 'assigned', assignee: 'Tomas' } as const;
    await operateOnCase(all.ctx, { caseId, operation: assign, by: 'Ines', key: 'k1' });
    await all.alert(policy(1));
    const { sent, deliver } = receiver(all, [204]);
    expect(await deliver()).toBe(1);
    expect(await deliver()).toBe(0);
    const [message] = sent;
    expect(message?.url).toBe('https://finance.example/alerts');
    const body: unknown = JSON.parse(message?.body ?? '');
    expect(caseAlertSchema.parse(body)).toEqual(body);
    expect(body).toEqual({
      type: 'reconciliation.case.alert',
      timestamp: new Date(all.clock.now()).toISOString(),
      data: {
        environment: 'sandbox',
        caseId,
        code: 'AMOUNT_MISMATCH',
        merchantOrderId: 'A-1001',
        currency: 'USD',
        amount: -20_000,
        count: 1,
        since: '2026-11-18T00:00:00.000Z',
        cause: 'amount',
      },
    });
    const id = message?.headers['webhook-id'] ?? '';
    const signatures = [SECRET, OLD_SECRET].map((secret) =>
      new Webhook(secret).sign(id, new Date(all.clock.now()), message?.body ?? ''),
    );
    expect(message?.headers['webhook-signature']).toBe(signatures.join(' '));
    expect(await all.facts.alerts({ state: 'delivered', limit: 9 })).toMatchObject([
      { id, caseId, tries: 1, reason: undefined, nextAttemptAt: undefined },
    ]);
  });

  test('are retried with backoff, or after the delay that the receiver requests', async () => {
    const all = await setUp();
    await all.openCase({ amount: -20_000 });
    await all.alert(policy(1));
    const { sent, deliver } = receiver(all, [500]);
    const waiting = async () => (await all.facts.alerts({ state: 'waiting', limit: 9 }))[0];
    expect(await deliver()).toBe(1);
    expect(await waiting()).toMatchObject({
      tries: 1,
      reason: 'status 500',
      nextAttemptAt: all.clock.now() + 1_333,
    });
    all.clock.advance(1_332);
    expect(await deliver()).toBe(0);
    all.clock.advance(1);
    expect(await deliver()).toBe(1);
    expect(await waiting()).toMatchObject({
      tries: 2,
      reason: 'unreachable',
      nextAttemptAt: all.clock.now() + 2_667,
    });
    all.clock.advance(2_667);
    const slow = receiver(all, [429], { 'retry-after': '60' });
    expect(await slow.deliver()).toBe(1);
    expect(await waiting()).toMatchObject({ nextAttemptAt: all.clock.now() + 60_000 });
    expect(new Set([...sent, ...slow.sent].map(({ headers }) => headers['webhook-id'])).size).toBe(
      1,
    );
  });

  test('are abandoned when the receiver is gone or does not respond for three days', async () => {
    const all = await setUp();
    await all.openCase({ amount: -20_000 });
    await all.alert(policy(1));
    expect(await receiver(all, [410]).deliver()).toBe(1);
    const [dead] = await all.facts.alerts({ state: 'dead', limit: 9 });
    expect(dead).toMatchObject({ tries: 1, reason: 'status 410' });
    const replay = () => all.facts.replayAlert(all.ctx.fence, dead?.id ?? '', all.clock.now());
    expect(await replay()).toBe(true);
    expect(await all.facts.replayAlert(all.ctx.fence, 'msg_none', 0)).toBe(false);
    const { sent, deliver } = receiver(all, []);
    for (let tries = 0; tries < 90; tries++) {
      await deliver();
      all.clock.advance(3_600_000);
    }
    expect(sent).toHaveLength(83);
    expect(await all.facts.alerts({ state: 'dead', limit: 9 })).toMatchObject([
      { tries: 83, reason: 'unreachable' },
    ]);
    expect(await replay()).toBe(true);
    expect(await receiver(all, [200]).deliver()).toBe(1);
    expect(await all.facts.alerts({ state: 'delivered', limit: 9 })).toHaveLength(1);
  });
});
