import type {
  FundingLine,
  LedgerLine,
  OrderStatus,
  Policy,
} from '@financing-checkout/reconciliation';
import { reconcileOrder } from '@financing-checkout/reconciliation';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';

export const environment = 'sandbox';
export const DAY_MS = 86_400_000;
export const NOW = Date.UTC(2026, 2, 31, 12);

/** An order as it is in the tables. */
export interface BookedOrder {
  orderKey: string;
  currency: string;
  ledger: LedgerLine[];
  fundings: FundingLine[];
}

const amount = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(10_000, 10_001, 2_500, 7_500, 1) },
  fc.constant(1_000_000_000_000_000),
);
// What a text of lines is taken apart by may be in a value, too.
const transaction = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('t1', 't2', 't3') },
  fc.constantFrom('t1 1', 't\u00012', 't1\u0002t2'),
);
const day = fc.integer({ min: 1, max: 20 }).map((days) => NOW - days * DAY_MS);

const ledgerLine = fc.record({
  type: fc.constantFrom('Settle' as const, 'Settle' as const, 'Refund' as const),
  amount,
  occurredAt: day,
  transactionId: fc.option(transaction, { nil: undefined, freq: 6 }),
  merchantTransactionId: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined }),
});

const funding = fc
  .record({
    status: fc.oneof(
      { weight: 6, arbitrary: fc.constant('RECONCILED') },
      fc.constantFrom('AMOUNT_MISMATCH', 'MISSING', 'CHARGEBACK', 'UNRECONCILED', 'NEW'),
    ),
    transactionType: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('Settle', 'Settle', 'Refund') },
      fc.constantFrom('Chargeback', 'Reversal', 'Authorize', 'Fee'),
    ),
    transactionAmount: fc.oneof({ weight: 8, arbitrary: amount }, fc.constant(-2_500)),
    // By contract, a unit beside it, or not at all.
    discountBy: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(1, -1, 2, -290)),
    netBy: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.constantFrom(1, -40)),
    fundedAt: day,
    lenderName: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('Tamberley Credit', 'Tamberley', 'Quillmoor') },
      fc.constantFrom('Quillmoor\u0001', 'Tamberley\u0002'),
    ),
    productType: fc.option(fc.constantFrom('Installments', 'LineOfCredit'), { nil: undefined }),
    promoCode: fc.option(fc.constant('SPRING'), { nil: undefined }),
    transactionId: fc.option(transaction, { nil: undefined, freq: 6 }),
    merchantTransactionId: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined }),
    lenderReferenceId: fc.option(fc.constantFrom('R1', 'R2'), { nil: undefined }),
  })
  .map(({ discountBy, netBy, ...rest }) => {
    const discountAmount = Math.round(rest.transactionAmount * 0.029) + discountBy;
    const netAmount = rest.transactionAmount - discountAmount + netBy;
    return { ...rest, discountAmount, netAmount };
  });

/** Some contracts begin at the second. */
const aroundBegin = fc.constantFrom(NOW - 9 * DAY_MS - 1, NOW - 9 * DAY_MS);

interface Lines {
  ledger: Omit<LedgerLine, 'id'>[];
  fundings: Omit<FundingLine, 'id' | 'updatedAt'>[];
}

/** Mostly plain: what lenders pay is what the books expect. */
const plainOrder: fc.Arbitrary<Lines> = fc
  .record({
    settles: fc.array(amount, { minLength: 1, maxLength: 2 }),
    refund: fc.boolean(),
    rate: fc.constantFrom(0.029, 0.029, 0.02875),
    funding,
    settledAt: aroundBegin,
    refundedAt: aroundBegin,
  })
  .map(({ settles, refund, rate, funding: like, settledAt, refundedAt }) => {
    const wanted = settles.map((value) => ({ type: 'Settle' as const, amount: value }));
    const back = { type: 'Refund' as const, amount: settles[0] ?? 1 };
    const lines = (refund ? [...wanted, back] : wanted).map((line, index) => ({
      ...line,
      occurredAt: line.type === 'Settle' ? settledAt + index : refundedAt,
      transactionId: `t${index}`,
      merchantTransactionId: `m${index}`,
    }));
    const fundings = lines.map((line) => {
      const discountAmount = Math.round(line.amount * rate);
      return {
        ...like,
        status: 'RECONCILED',
        transactionType: line.type,
        transactionAmount: line.amount,
        discountAmount,
        netAmount: line.amount - discountAmount,
        transactionId: line.transactionId,
        merchantTransactionId: line.merchantTransactionId,
      };
    });
    return { ledger: lines, fundings };
  });

const anyOrder: fc.Arbitrary<Lines> = fc.record({
  ledger: fc.array(ledgerLine, { maxLength: 3 }),
  fundings: fc.array(funding, { maxLength: 4 }),
});

/** Orders of all kinds, some of them in two currencies, some of nobody. */
export const orders = fc
  .array(
    fc.record({
      lines: fc.oneof({ weight: 2, arbitrary: plainOrder }, anyOrder),
      // Numbers that collations sort in one way and code units in another.
      key: fc.constantFrom(
        'order:A-1',
        'order:a-1',
        'order:Ä',
        'order:😀',
        'order:\uFF5E',
        'order:A-1\u0001',
        'funding:x',
      ),
      currency: fc.constantFrom('USD', 'USD', 'JPY'),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((list) => {
    const byPlace = new Map<string, BookedOrder>();
    for (const { lines, key, currency } of list) {
      const place = `${currency} ${key}`;
      if (byPlace.has(place)) continue;
      byPlace.set(place, {
        orderKey: key,
        currency,
        ledger: (key.startsWith('order:') ? lines.ledger : []).map((line, index) => ({
          ...line,
          id: `L${index} ${place}`,
        })),
        fundings: lines.fundings.map((line, index) => ({
          ...line,
          id: `F${index} ${place}`,
          updatedAt: line.fundedAt,
        })),
      });
    }
    return [...byPlace.values()];
  });

/** Policies under which the plain orders are plain, and others. */
export const policies: fc.Arbitrary<Policy> = fc.record({
  now: fc.constantFrom(NOW, NOW + 30 * DAY_MS),
  complete: fc.boolean(),
  tolerance: fc.constantFrom(
    { minorUnits: 0, basisPoints: 0 },
    { minorUnits: 1, basisPoints: 0 },
    { minorUnits: 0, basisPoints: 500 },
    { minorUnits: 0, basisPoints: 12.5 },
  ),
  slaDays: fc.constant({ default: 5, lenders: { Quillmoor: 2 } }),
  aliases: fc.constantFrom({}, { Tamberley: 'Tamberley Credit' }),
  contracts: fc.constantFrom(
    [],
    [{ lender: 'Tamberley Credit', basisPoints: 290, returnedOnRefund: true }],
    [{ lender: 'Tamberley Credit', basisPoints: 287.5, returnedOnRefund: true }],
    [
      { lender: 'Tamberley Credit', basisPoints: 290, returnedOnRefund: false },
      {
        lender: 'Tamberley Credit',
        productType: 'Installments',
        basisPoints: 100,
        returnedOnRefund: true,
      },
      { lender: 'Quillmoor', promoCode: 'SPRING', basisPoints: 290, returnedOnRefund: true },
    ],
    [
      { lender: 'Tamberley Credit', basisPoints: 400, returnedOnRefund: true },
      {
        lender: 'Tamberley Credit',
        basisPoints: 290,
        returnedOnRefund: true,
        from: NOW - 9 * DAY_MS,
      },
      { lender: 'Quillmoor', basisPoints: 290, returnedOnRefund: true },
      {
        lender: 'Quillmoor',
        basisPoints: 400,
        returnedOnRefund: true,
        from: NOW - 9 * DAY_MS,
      },
    ],
    Array.from({ length: 101 }, (_, index) => ({
      lender: index === 50 ? 'Quillmoor' : `Lender ${index}`,
      basisPoints: 290,
      returnedOnRefund: true,
    })),
  ),
});

/** Makes the tables hold these orders and no other. */
export async function book(db: Kysely<Schema>, list: readonly BookedOrder[]): Promise<void> {
  await db.deleteFrom('fundings').execute();
  await db.deleteFrom('ledger_lines').execute();
  for (const { orderKey, currency, ledger, fundings } of list) {
    const place = { environment, order_key: orderKey, currency };
    const merchantOrderId = orderKey.startsWith('order:') ? orderKey.slice(6) : null;
    for (const line of ledger) {
      await db
        .insertInto('ledger_lines')
        .values({
          ...place,
          id: line.id,
          merchant_order_id: merchantOrderId ?? '',
          type: line.type,
          amount: line.amount,
          occurred_at: line.occurredAt,
          transaction_id: line.transactionId ?? null,
          merchant_transaction_id: line.merchantTransactionId ?? null,
          charge_id: null,
          source: 'import',
          created_at: NOW,
        })
        .execute();
    }
    for (const line of fundings) {
      await db
        .insertInto('fundings')
        .values({
          ...place,
          id: line.id,
          slice_day: '2026-03-01',
          merchant_order_id: merchantOrderId,
          status: line.status,
          transaction_type: line.transactionType,
          lender_name: line.lenderName,
          transaction_amount: line.transactionAmount,
          discount_amount: line.discountAmount,
          net_amount: line.netAmount,
          funded_at: line.fundedAt,
          updated_at: line.updatedAt,
          transaction_date: null,
          transaction_id: line.transactionId ?? null,
          merchant_transaction_id: line.merchantTransactionId ?? null,
          charge_id: null,
          lender_reference_id: line.lenderReferenceId ?? null,
          product_type: line.productType ?? null,
          promo_code: line.promoCode ?? null,
          hash: '',
          version: 1,
        })
        .execute();
    }
  }
}

/** Says that lines of these orders have changed. */
export async function mark(db: Kysely<Schema>, keys: Iterable<string>): Promise<void> {
  for (const key of new Set(keys)) {
    await db
      .insertInto('dirty_orders')
      .values({ environment, order_key: key, generation: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['environment', 'order_key'])
          .doUpdateSet((eb) => ({ generation: eb('dirty_orders.generation', '+', 1) })),
      )
      .execute();
  }
}

/** A status as the tables hold it, in the form of the rules. */
export type Standing = Record<string, OrderStatus>;

/** How orders stand in the tables. */
export async function standing(db: Kysely<Schema>): Promise<Standing> {
  const exceptions = await db.selectFrom('order_exceptions').selectAll().execute();
  const statuses = await db.selectFrom('order_statuses').selectAll().execute();
  return Object.fromEntries(
    statuses.map((row) => {
      const own = exceptions.filter(
        (it) => it.order_key === row.order_key && it.currency === row.currency,
      );
      return [
        `${row.currency} ${row.order_key}`,
        {
          funding: row.funding,
          returns: row.returns,
          headline: row.headline,
          expected: { settle: row.expected_settle, refund: row.expected_refund },
          funded: {
            settle: row.funded_settle,
            refund: row.funded_refund,
            chargeback: row.funded_chargeback,
            reversal: row.funded_reversal,
          },
          discount: row.discount,
          net: row.net,
          awaiting: row.awaiting,
          recheckAt: row.recheck_at ?? undefined,
          exceptions: own
            .map(({ code, amount: size, count, since }) => ({ code, amount: size, count, since }))
            .sort((a, b) => (a.code < b.code ? -1 : 1)),
        } as OrderStatus,
      ];
    }),
  );
}

/** How they should, by the rules. */
export function ruled(list: readonly BookedOrder[], policy: Policy): Standing {
  return Object.fromEntries(
    list
      .filter(({ ledger, fundings }) => ledger.length + fundings.length > 0)
      .map(({ orderKey, currency, ledger, fundings }) => {
        const merchantOrderId = orderKey.startsWith('order:') ? orderKey.slice(6) : undefined;
        const status = reconcileOrder({ merchantOrderId, currency, ledger, fundings }, policy);
        const exceptions = [...status.exceptions].sort((a, b) => (a.code < b.code ? -1 : 1));
        return [`${currency} ${orderKey}`, { ...status, exceptions }];
      }),
  );
}
